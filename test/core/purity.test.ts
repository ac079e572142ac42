import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesOf, importsOf, sources, withoutComments } from '../support/sources.ts';

const core = resolve('core');

const files = sources
  .filter(({ name }) => name.startsWith('core/'))
  .map(({ name, code }) => ({ name: name.slice('core/'.length), path: resolve(name), code }));

const cryptoAllowed = ['createHmac', 'hash', 'KeyObject', 'timingSafeEqual'];

/** What would let time, chance, or the world outside into a decision. */
const impure = {
  'a promise': /\b(?:async|await|Promise)\b|\.then\(/,
  'the time of day': /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\)|\bperformance\b/,
  chance: /\bMath\.random\b|\brandom(?:Bytes|UUID|Int)\b|\bgetRandomValues\b/,
  'the process': /\bprocess\b|\bglobalThis\b/,
  'a timer': /\bset(?:Timeout|Interval|Immediate)\b/,
  'output or the network': /\bconsole\b|\bfetch\b/,
  'a function that is asked for a value': /\(\) => (?:number|string|boolean|unknown)\b/,
  'an import while it runs': /\bimport\(|\brequire\(/,
};

describe.each(files)('src/core/$name', ({ path, code }) => {
  it('imports xstate, three functions and a type of node:crypto, and the core, nothing else', () => {
    const foreign = importsOf(code).filter(({ from, names }) => {
      if (from === 'xstate') return false;
      if (from === 'node:crypto') return names.some((name) => !cryptoAllowed.includes(name));
      return !from.startsWith('.') || relative(core, resolve(dirname(path), from)).startsWith('..');
    });
    expect(foreign).toEqual([]);
  });

  it('has no promise, clock, chance, process, timer or output, and is given values alone', () => {
    const found = Object.entries(impure).filter(([, pattern]) => pattern.test(code));
    expect(found.map(([what]) => what)).toEqual([]);
  });
});

describe('the core as a whole', () => {
  it('has no circle: no file imports, through others, what imports it, not even for a type', () => {
    const files = sources.filter(({ name }) => name.startsWith('core/'));
    expect(circlesOf(new Map(files.map(({ name, imports }) => [name, new Set(imports)])))).toEqual([]);
  });

  it('calls xstate in machine.ts alone; the nouns only say what their machines do', () => {
    const callers = files.filter(({ code }) => importsOf(code).some(({ from }) => from === 'xstate'));
    expect(callers.map(({ name }) => name)).toEqual(['machine.ts']);
  });

  it('hashes in hash.ts alone', () => {
    const callers = files.filter(({ code }) => importsOf(code).some(({ from }) => from === 'node:crypto'));
    expect(callers.map(({ name }) => name)).toEqual(['hash.ts']);
  });
});

describe('the check itself', () => {
  it('sees every import of a file', () => {
    const code = [
      "import { a, type B } from './a.ts';",
      "import c from 'c';",
      "import * as d from 'd';",
      "import 'e';",
      "import type {\n  F,\n  G,\n} from '../f.ts';",
      "export { h } from 'h';",
    ].join('\n');
    expect(importsOf(code)).toEqual([
      { from: './a.ts', names: ['a', 'B'] },
      { from: 'c', names: ['c'] },
      { from: 'd', names: ['*', 'as', 'd'] },
      { from: 'e', names: [] },
      { from: '../f.ts', names: ['F', 'G'] },
      { from: 'h', names: ['h'] },
    ]);
  });

  it('lets a time be written that was handed in', () => {
    expect(impure['the time of day'].test('new Date(ms).toISOString()')).toBe(false);
    expect(impure['the time of day'].test('new Date()')).toBe(true);
  });

  it('reads code, not comments', () => {
    expect(withoutComments("/** await */ const a = 'https://a'; // Date.now()").trim()).toBe(
      "const a = 'https://a';",
    );
  });
});
