import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { languages } from '../../src/text/language.ts';

/** How a language words things: `templates/languages/glossary/`. Patterns are read without regard to case. */
interface Glossary {
  /** By the English word for a thing, the words that say it. */
  readonly terms: Readonly<Record<string, string>>;
  /** Words that no text has, with what is said instead. */
  readonly banned: Readonly<Record<string, string>>;
  /** Keys whose text says a term in another way, with the reason. */
  readonly excused: Readonly<Record<string, string>>;
}

const read = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../templates/languages/${path}.json`, import.meta.url), 'utf8'));
const catalogueOf = (tag: string) => read(tag) as Readonly<Record<string, string>>;
const glossaryOf = (tag: string) => read(`glossary/${tag}`) as Glossary;
const pattern = (source: string) => new RegExp(source, 'iu');

/** What people read of a message, without example addresses, names of values and the syntax of plurals. */
const wordsOf = (message: string) =>
  message
    .replace(/https?:\/\/\S+|\S+@\S+/g, ' ')
    .replace(/\{\w+(?:, plural,)?|(?:=\d+|zero|one|two|few|many|other) \{/g, ' ')
    .replace(/\}/g, ' ');

const english = Object.entries(catalogueOf('en')).map(([key, message]) => ({ key, words: wordsOf(message) }));
const englishTerms = Object.entries(glossaryOf('en').terms);

describe.each(languages)('pages 24: the texts in %s', (tag) => {
  const { terms, banned, excused } = glossaryOf(tag);
  const texts = catalogueOf(tag);
  const said = (key: string) => wordsOf(texts[key] ?? '');

  it('have one word for one thing', () => {
    expect(Object.keys(terms)).toEqual(englishTerms.map(([term]) => term));
    const otherwise = english.flatMap(({ key, words }) =>
      englishTerms
        .filter(
          ([term, source]) => pattern(source).test(words) && !pattern(terms[term] ?? '').test(said(key)),
        )
        .map(([term]) => ({ key, term, text: texts[key] })),
    );
    expect(otherwise.filter(({ key }) => excused[key] === undefined)).toEqual([]);
    // An excuse that nothing needs any more is taken away.
    expect(Object.keys(excused).filter((key) => !otherwise.some((one) => one.key === key))).toEqual([]);
  });

  it('have no word that is banned', () => {
    expect(Object.keys(banned).length).toBeGreaterThanOrEqual(8);
    const found = Object.entries(banned).flatMap(([source, instead]) =>
      Object.keys(texts)
        .filter((key) => pattern(source).test(said(key)))
        .map((key) => ({ key, text: texts[key], instead })),
    );
    expect(found).toEqual([]);
  });
});
