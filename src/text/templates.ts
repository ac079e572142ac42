// Makes the template engine of pages and mails.
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import { say } from './portal.ts';

/** Where the templates of pages and mails are. */
export const templateFolder = new URL('../../templates/', import.meta.url);

/**
 * The template engine: everything is escaped, and nothing is read twice. Templates can call `attributes`, and those of
 * the portal `say`, for the texts of its catalogue.
 */
export function createTemplates(): Eta {
  const eta = new Eta({
    views: fileURLToPath(templateFolder),
    cache: true,
    autoEscape: true,
    autoFilter: true,
    functionHeader: 'const { attributes, say } = this;',
    // A field that a template names and the handler left out is a bug, not an empty place on the page.
    filterFunction: (value) => {
      if (value === undefined) throw new Error('a template prints an undefined value');
      return value === null ? '' : String(value);
    },
  });
  const { escapeFunction, filterFunction } = eta.config;
  /**
   * The attributes of an element, to be printed as they are (`<%~`) right behind its name. Null and false leave
   * an attribute out, true gives it no value, and every other value is escaped.
   */
  const attributes = (given: Readonly<Record<string, unknown>>): string =>
    Object.entries(given)
      .filter(([, value]) => value !== null && value !== false)
      .map(([name, value]) =>
        value === true ? ` ${name}` : ` ${name}="${escapeFunction(filterFunction(value))}"`,
      )
      .join('');
  return Object.assign(eta, { attributes, say });
}
