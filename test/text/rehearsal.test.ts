import { readdirSync, readFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { templateFolder } from '../../src/text/templates.ts';
import { sources } from '../support/sources.ts';

const read = (name: string) => readFileSync(new URL(name, templateFolder), 'utf8');
const catalogue = JSON.parse(read('languages/rehearsal/en.json')) as Readonly<Record<string, string>>;
const keys = Object.keys(catalogue);

/** The templates of the room's own pages; the others there have the texts of members' pages. */
const templates = ['card', 'room'].flatMap((folder) =>
  readdirSync(new URL(`rehearsal/${folder}/`, templateFolder), 'utf8')
    .filter((name) => name.endsWith('.eta'))
    .map((name) => ({ name: `${folder}/${name}`, text: read(`rehearsal/${folder}/${name}`) })),
);
const code = sources
  .filter(({ name }) => /^http\/rehearsal\/(?:card|room)\//.test(name))
  .map((file) => file.code);

/** Every text in the code that a key can be, with `*` for its gaps. */
const named = [...templates.map(({ text }) => text), ...code].flatMap((text) =>
  [...text.matchAll(/'([^'\n]+)'|`([^`\n]+)`/g)].map(([, plain, filled]) =>
    (plain ?? filled ?? '').replaceAll(/\$\{[^}]*\}/g, '*'),
  ),
);

const fits = (key: string) => (pattern: string) =>
  new RegExp(`^${pattern.replaceAll(/[.+?^$()|[\]\\{}]/g, '\\$&').replaceAll('*', '[\\w-]+')}$`).test(key);

describe('the catalogue of the rehearsal room', () => {
  it('has its keys in order, and a message under each that can be read', () => {
    expect(keys).toEqual(keys.toSorted());
    for (const [key, text] of Object.entries(catalogue)) {
      expect(() => new IntlMessageFormat(text, 'en'), key).not.toThrow();
      expect(text.trim(), key).not.toBe('');
    }
  });

  it('has no text that is not used', () => {
    const patterns = [...new Set(named)].filter((text) => /^[\w.*-]+$/.test(text) && text !== '*');
    expect(keys.filter((key) => !patterns.some(fits(key)))).toEqual([]);
  });

  it.each(templates)('has every text of $name', ({ text }) => {
    const bare = text.replaceAll(/<%[\s\S]*?%>/g, '§').replaceAll(/<[^>]*>/g, '\n');
    expect(bare.split('\n').filter((line) => /[A-Za-z]{2}/.test(line.replaceAll(/&\w+;/g, '')))).toEqual([]);
  });
});
