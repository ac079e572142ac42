// Which rules of a style sheet a page can meet: with the others a page would carry what no part of it needs (pages 2).
import { readFileSync } from 'node:fs';
import { templateFolder } from '../../text/templates.ts';

/** What a page is made of, as far as a sheet names it. */
export interface PageParts {
  readonly elements: ReadonlySet<string>;
  readonly classes: ReadonlySet<string>;
}

const wordsOf = (text: string) => text.match(/[a-z][\w-]*/g) ?? [];

/** The parts of every page that a template makes, with those that its script adds. */
export function partsOf(template: string, script: string): PageParts {
  const page = `${wholeOf(template)}\n${script}`;
  const all = (pattern: RegExp) => [...page.matchAll(pattern)].flatMap(([, found]) => wordsOf(found ?? ''));
  // Classes are written out, or are texts of the code around the markup, and of the script.
  const quoted = all(/'([a-z][\w -]*)'/g);
  return {
    elements: new Set([...all(/<([a-z]\w*)/g), ...quoted]),
    classes: new Set([...all(/class="([^"]*(?:<%[^>]*%>[^"]*)*)"/g), ...quoted]),
  };
}

/** A template with its shell and everything that it includes. */
function wholeOf(template: string): string {
  const text = readFileSync(new URL(template, templateFolder), 'utf8');
  const folder = template.replace(/[^/]+$/, '');
  const others = [...text.matchAll(/(?:include|layout)\('(\/|(?:\.\/)?)([^']+)'/g)];
  return [text, ...others.map(([, from, path]) => wholeOf(`${from === '/' ? '' : folder}${path}.eta`))].join(
    '\n',
  );
}

/** The rules of a sheet that have a selector which a page can meet, with those selectors alone. */
export function rulesMet(sheet: string, parts: PageParts): string {
  return (
    sheet
      .replaceAll(/([^{}]+)\{([^{}]*)\}/g, (_rule, list: string, body: string) => {
        const met = list.split(',').filter((selector) => isMet(selector, parts));
        return met.length === 0 ? '' : `${met.join(',')}{${body}}`;
      })
      // A block that is left empty, and one around it.
      .replaceAll(/@[^{}]+\{\}/g, '')
      .replaceAll(/@[^{}]+\{\}/g, '')
  );
}

/** Of several classes of one element some may come with the data, such as `good` of `.tag.good`: one is enough. */
function isMet(selector: string, { elements, classes }: PageParts): boolean {
  const plain = selector.replaceAll(/::?[\w-]+|\[[^\]]*\]/g, '');
  return plain.split(/[\s>+~()]+/).every((compound) => {
    const [, element = '', names = ''] = /^([a-z]\w*)?((?:\.[\w-]+)*)/.exec(compound) ?? [];
    const own = wordsOf(names);
    return (
      (element === '' || elements.has(element)) && (own.length === 0 || own.some((one) => classes.has(one)))
    );
  });
}
