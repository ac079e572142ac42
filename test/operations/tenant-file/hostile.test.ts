import { describe, expect, it } from 'vitest';
import { tenantFile } from '../../../src/core/operators/limits.ts';
import { readTenantFile } from '../../../src/operations/tenant-file/read.ts';
import { workOf } from '../../support/process/work.ts';
import { client, known, marked, problemsOf, tenant } from './texts.ts';

describe('config check: a text that is no YAML or JSON', () => {
  it.each([
    ['tenants: [§', 'it is not indented like what is around it, or a bracket is not closed'],
    ['{"tenants": [] §"other": 1}', 'this does not belong here'],
    [
      'tenants:\n  - a: 1\n    b: 2\n§   c: 3',
      'a quote, a bracket, a comma or a colon is missing, or the indentation is off',
    ],
    ['tenants:\n§\t- a', 'tabs do not indent: use spaces'],
    ['a: §b: c', 'a text with a colon in it needs quotes'],
    ['a: "b§', 'a quote, a bracket, a comma or a colon is missing, or the indentation is off'],
    ['a: §@b', 'a text that begins with this character needs quotes'],
    ['a: "§\\q"', 'there is no such escape sequence'],
    ['§', 'the file is empty'],
    ['§# nothing\n', 'the file is empty'],
    ['a: 1\n§---\nb: 2', 'a second document begins: a tenant file is one'],
    ['§%YAML 1.1\n---\na: yes', 'directives are not taken: take the line with % away'],
    ['§%TAG ! tag:example.com,2026:\n---\na: yes', 'directives are not taken: take the line with % away'],
    [
      '# of ours\n§%TAG !e! tag:example.com,2026:\n---\na: yes',
      'directives are not taken: take the line with % away',
    ],
    ['§%OTHER x\n---\na: yes', 'directives are not taken: take the line with % away'],
  ])('%j: %s', (source, problem) => {
    const { text, place } = marked(source);
    expect(problemsOf(text)).toContain(`${place}: ${problem}`);
  });

  it('takes JSON with tabs, escapes and pairs of surrogates', () => {
    const text =
      '{\n\t"tenants": [\n\t\t{"issuer": "https:\\/\\/a.test", "name": "A \\ud83e\\udd8a \\u00e9"}\n\t]\n}';
    const read = readTenantFile(text, known);
    expect(read.ok && read.file.tenants[0]).toEqual({ issuer: 'https://a.test', name: 'A 🦊 é' });
  });
});

const laughs = [...'bcdefghi'].map((name, index) => {
  const before = 'abcdefgh'[index];
  return `${name}: &${name} [*${before}, *${before}, *${before}, *${before}]\n`;
});

describe('config check: hostile YAML', () => {
  it.each([
    ['aliases', 'a: &p x\nb: §*p', 'aliases are not taken: write it out'],
    ['anchors', 'a: &p §x', 'anchors are not taken: write it out where it is needed'],
    [
      'a billion laughs',
      `a: &a [l, l]\nb: &b [§*a, *a]\n${laughs.slice(1).join('')}`,
      'aliases are not taken: write it out',
    ],
    ['anchors of names', tenant('&x §disabled: true'), 'a name has neither anchor nor type'],
    ['types of names', tenant('!!str §disabled: true'), 'a name has neither anchor nor type'],
    ['an alias to nothing', 'a: §*b', 'aliases are not taken: write it out'],
    [
      'types of other languages',
      tenant('logo: !!js/function §"x"'),
      'types with ! are not taken: take it away',
    ],
    ['types of its own', tenant('disabled: !!bool §"true"'), 'types with ! are not taken: take it away'],
    ['merge keys', tenant('§<<: { disabled: true }'), 'merge keys are not taken: write it out'],
    ['__proto__', tenant('§__proto__: { disabled: true }'), '__proto__ is not known'],
    ['constructor', client('type: public, §constructor: 1'), 'constructor is not known'],
    ['names twice', tenant('§name: B'), '"name" stands here twice: first in line 3'],
    ['names twice in JSON', '{"a": [], §"a": []}', '"a" stands here twice: first in line 1'],
    [
      'names that are no texts',
      tenant('§1: x'),
      'a name must be a text: if it looks like something else, it needs quotes',
    ],
    [
      'names that are lists',
      tenant('? §[x]\n    : x'),
      'a name must be a text: if it looks like something else, it needs quotes',
    ],
    [
      'half a character',
      tenant('brandColor: §"\\ud83e"'),
      'this is half a character: an escape of a pair stands alone',
    ],
    [
      'names with half a character',
      tenant('§"\\udd8a": x'),
      'this is half a character: an escape of a pair stands alone',
    ],
    [
      'numbers that are none',
      tenant('passwordLength: §.nan'),
      'this is no number: if it is a text, it needs quotes',
    ],
  ])('refuses %s', (_what, source, problem) => {
    const { text, place } = marked(source);
    expect(problemsOf(text)).toContain(`${place}: ${problem}`);
    expect('disabled' in {}).toBe(false);
  });

  const size = tenantFile.bytes;
  const tooMuch = 'there is more in it than in any tenant file: split it by tenants';
  it.each([
    ['a megabyte', 'a'.repeat(1_024 * 1_024), 'the file is larger than 256 KiB: split it by tenants'],
    ['deep brackets', '['.repeat(size), 'it is nested too deeply'],
    ['deep lists', '- '.repeat(size / 2), 'it is nested too deeply'],
    ['what is a little too deep', `a: ${'['.repeat(20)}${']'.repeat(20)}`, 'it is nested too deeply'],
    ['nothing but quotes', '"'.repeat(size), tooMuch],
    ['quotes that are fewer', '"'.repeat(20_000), 'this does not belong here'],
    ['many documents', '---\n'.repeat(size / 4), tooMuch],
    ['flow maps without names', `{${'?,'.repeat(size / 3)}}`, tooMuch],
    ['deep questions', '? '.repeat(size / 2), 'it is nested too deeply'],
    ['many names', Array.from({ length: 4_000 }, (_, n) => `k${n}: 1`).join('\n'), 'tenants is missing'],
  ])('refuses %s soon', async (_what, text, problem) => {
    let problems: readonly string[] = [];
    const worked = await workOf(() => {
      problems = problemsOf(text);
    });
    expect(worked).toBeLessThan(4_000);
    expect(problems.map((one) => one.replace(/^\d+:\d+: /, ''))).toContain(problem);
    expect(problems.length).toBeLessThanOrEqual(tenantFile.problems + 1);
  });
});
