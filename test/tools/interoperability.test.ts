import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { textOf, texts } from '../../tools/citations.ts';
import { interoperabilityDocument, interopLines } from '../../tools/interop-table.ts';
import { testTitles } from '../../tools/test-titles.ts';

const titles = testTitles();
const lines = interopLines();

describe('the lines of docs/interop.md', () => {
  it('each has a test', () => {
    const tested = new Set(titles.map(({ id }) => id));
    expect(lines.filter(({ id }) => !tested.has(id)).map(({ id }) => id)).toEqual([]);
  });

  it('are those that titles of tests cite', () => {
    const known = new Set(lines.map(({ id }) => id));
    expect(titles.filter(({ id }) => /^I\d/.test(id) && !known.has(id))).toEqual([]);
  });

  it('stand once each, in their order', () => {
    const numbers = lines.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)]);
    expect(lines.filter(({ text }) => text === '')).toEqual([]);
  });

  it('are cited as I and a number where a title begins, or they are not found', () => {
    const tests = texts.filter((file) => file.endsWith('.test.ts') && !/\/(?:citations|tools)/.test(file));
    const spelled = tests.flatMap((file) =>
      [...textOf(file).matchAll(/(?:it|\])\(\s*['"`][^'"`\n]*\binterop \d+[^\n]*/g)].map(
        ([line]) => `${file}: ${line}`,
      ),
    );
    expect(spelled).toEqual([]);
  });

  it('are docs/interoperability.md with their tests (if not: npm run docs)', () => {
    const document = readFileSync(new URL('../../docs/interoperability.md', import.meta.url), 'utf8');
    expect(document).toBe(interoperabilityDocument(titles));
  });
});

// Made here, so that this file is no test of the line it names.
const title = (id: string) => ({
  id,
  title: `${id}, Z9: a rule of \\'one\\' <b>`,
  file: 'test/x/one.test.ts',
});

describe('the document', () => {
  const line =
    '7. <a id="interop-7"></a>Ignores unknown parameters; a repeated one is refused. [RFC 6749 §3.1]';

  it('has each line by its number and its first clause, with the rules of its tests', () => {
    const [read] = interopLines(`## Part\n\n${line}\n`);
    expect(read).toEqual({
      id: 'I7',
      number: 7,
      chapter: 'Part',
      text: 'Ignores unknown parameters; a repeated one is refused.',
    });
    const document = interoperabilityDocument([title(['I', 7].join(''))], read === undefined ? [] : [read]);
    expect(document).toContain('## Part\n\n**[7](interop.md#interop-7)** Ignores unknown parameters\n');
    expect(document).toContain("- [one.test.ts](../test/x/one.test.ts): a rule of 'one' \\<b\\>\n");
  });
});
