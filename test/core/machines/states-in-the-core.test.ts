import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** What asks for the state of a record: a field of that name, or a comparison of it with the name of a state. */
const asks = [
  // `state` is a parameter of OAuth too (RFC 6749 §4.1.1): that is a value of what was sent.
  /(?<!\bvalues)\.state\b/,
  /\bstate\s*[!=]==\s*['"`]/,
  /\bswitch \(state\)/,
  /\.includes\(state\)/,
];

const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');

const asking = (code: string) => asks.some((pattern) => pattern.test(withoutComments(code)));

const root = new URL('../../../src/', import.meta.url);
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && !/^(?:core|storage)\//.test(name),
);

describe('the state of a record', () => {
  it('is asked for in the core alone: others are told what it means', () => {
    const found = files.filter((name) => asking(readFileSync(new URL(name, root), 'utf8')));
    expect(found).toEqual([]);
  });

  it.each([
    ["if (proof.state === 'finished') return;", true],
    ['const { state } = proof;\nswitch (state) {', true],
    ["const isOver = ({ state }: EmailProof) => !['pending'].includes(state);", true],
    ["({ state }) => state !== 'pending'", true],
    ['send(reply, values.state);', false],
    ['const query = state === undefined ? {} : { state };', false],
    ['// proof.state is not looked at', false],
  ])('the check itself: %s', (code, expected) => {
    expect(asking(code)).toBe(expected);
  });
});
