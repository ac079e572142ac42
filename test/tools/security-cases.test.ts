import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { interopLines } from '../../tools/interop-table.ts';
import { securityCaseIds } from '../../tools/security-cases.ts';
import { securityCasesDocument } from '../../tools/security-table.ts';
import { testTitles, titlesIn } from '../../tools/test-titles.ts';

const titles = testTitles();

describe('the register of security cases', () => {
  it('has a test for each case', () => {
    const tested = new Set(titles.map(({ id }) => id));
    expect(securityCaseIds.filter((id) => !tested.has(id))).toEqual([]);
  });

  it('knows every id that leads a test’s title', () => {
    const known = new Set([...securityCaseIds, ...interopLines().map(({ id }) => id)]);
    expect(titles.filter(({ id }) => !known.has(id))).toEqual([]);
  });

  it('has each id once', () => {
    expect(securityCaseIds).toEqual([...new Set(securityCaseIds)]);
  });

  it('is docs/security-cases.md with the tests (if not: npm run docs)', () => {
    const document = readFileSync(new URL('../../docs/security-cases.md', import.meta.url), 'utf8');
    expect(document).toBe(securityCasesDocument(titles));
  });
});

// Made here, so that this file is no test of the cases it names.
const leading = (ids: readonly string[], between = '', rest = ' a rule', quote = "'") =>
  `it(${quote}${ids.join(between)}:${rest}${quote}, () => {})`;

describe('a title', () => {
  const idsIn = (text: string) => titlesIn(text).map(({ id }) => id);

  it.each([
    ['one id', leading(['X1']), ['X1']],
    ['several ids', leading(['X1', 'X5'], ', '), ['X1', 'X5']],
    ['an id after an id', leading(['X1', 'X5'], ': '), ['X1', 'X5']],
    ['a template', leading(['X1'], '', ' of $name', '`'), ['X1']],
    ['its id and title in fields', `{ id: 'Z1',\n  title: 'a rule' }`, ['Z1']],
  ])('is read with %s', (_what, text, ids) => {
    expect(idsIn(text)).toEqual(ids);
  });

  it.each([
    ['a path of a drawing', `'M0 0h24'`],
    ['a method of PKCE', `'S256'`],
    ['an id that does not lead', `'as in X1: a rule'`],
  ])('is not %s', (_what, text) => {
    expect(idsIn(text)).toEqual([]);
  });
});
