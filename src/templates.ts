// Makes the template engine of pages and mails.
import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';

/** Where the templates of pages and mails are. */
export const templateFolder = new URL('../templates/', import.meta.url);

/** The template engine: everything is escaped, and nothing is read twice. */
export function createTemplates(): Eta {
  return new Eta({
    views: fileURLToPath(templateFolder),
    cache: true,
    autoEscape: true,
    autoFilter: true,
    // A field that a template names and the handler left out is a bug, not an empty place on the page.
    filterFunction: (value) => {
      if (value === undefined) throw new Error('a template prints an undefined value');
      return value === null ? '' : String(value);
    },
  });
}
