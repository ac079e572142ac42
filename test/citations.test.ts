import { describe, expect, it } from 'vitest';
import { brokenLinksIn, citationsIn, leadsSomewhere, textOf, texts } from '../tools/citations.ts';

describe('a citation', () => {
  it('leads to a line of a document, in the code, the tests, the templates and the documents', () => {
    const lost = texts.flatMap((file) =>
      citationsIn(textOf(file)).flatMap((citation) =>
        leadsSomewhere(citation) ? [] : [`${file}: ${citation}`],
      ),
    );
    expect(lost).toEqual([]);
  });

  it('stands in hundreds of places', () => {
    expect(texts.flatMap((file) => citationsIn(textOf(file))).length).toBeGreaterThan(500);
  });
});

// Made here, so that this file itself cites none of them.
const cites = (noun: string, numbers: string) => citationsIn(`(RFC 8628 §3.5; ${noun} ${numbers})`);

describe('reading citations', () => {
  it.each([
    ['decision', '22', ['decision-22']],
    ['decisions', '22, 23', ['decision-22', 'decision-23']],
    ['decisions', '5 and 38', ['decision-5', 'decision-38']],
    ['decisions', '17, 20 to 22', ['decision-17', 'decision-20', 'decision-21', 'decision-22']],
    ['pages', '4 to 6', ['page-4', 'page-5', 'page-6']],
    ['interop', '50', ['interop-50']],
    ['architecture, rule', '19', ['rule-19']],
    ['memory, rule', '19', ['memory, rule-19']],
    ['security, promise', '7; A12', ['promise-7', 'A12']],
    ['contract,', '"Token response"', ['contract: Token response']],
    ['contract,', 'Limits; Z7', ['contract: Limits', 'Z7']],
    ['security,', 'F11', ['F11']],
    ['security,', 'Defaults', ['security: Defaults']],
  ])('finds %s %s', (noun, numbers, found) => {
    expect(cites(noun, numbers)).toEqual(found);
  });

  it('reads the lines of a comment as one', () => {
    expect(citationsIn(['/** So it is (contract,', ' * "Token response"). */'].join('\n'))).toEqual([
      'contract: Token response',
    ]);
  });

  it.each([
    'decision-0',
    'decision-99',
    'page-99',
    'rule-99',
    'memory, rule-19',
    'promise-9',
    'contract: Nothing',
    'Q99',
  ])('knows that %s leads nowhere', (citation) => expect(leadsSomewhere(citation)).toBe(false));
});

describe('a link of a document', () => {
  it.each(texts.filter((file) => file.endsWith('.md')))(
    'in %s leads to a file, and to a place in it',
    (file) => {
      expect(brokenLinksIn(file)).toEqual([]);
    },
  );
});
