import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Form, parseForm, pick } from '../../src/http/form.ts';
import { bytes, text } from '../support/fuzz/hostile.ts';
import { holds } from '../support/fuzz/runs.ts';

const hexValue = (digit: number | undefined) => Number.parseInt(String.fromCharCode(digit ?? 0), 16);

/** Percent-decodes byte by byte, strictly (WHATWG URL §5.1, without its leniency). @throws for what is none */
function decoded(part: Buffer): string {
  const out: number[] = [];
  for (let at = 0; at < part.length; at += 1) {
    if (part[at] === 0x25) {
      const value = hexValue(part[at + 1]) * 16 + hexValue(part[at + 2]);
      if (Number.isNaN(value)) throw new Error('no percent-encoding');
      out.push(value);
      at += 2;
    } else out.push(part[at] === 0x2b ? 0x20 : (part[at] ?? 0));
  }
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(out));
}

/** Another reader of forms, of bytes and with a list of pairs. */
function pairsOf(body: Buffer): readonly (readonly [string, string])[] | null {
  try {
    const pairs: (readonly [string, string])[] = [];
    for (let from = 0; from <= body.length; ) {
      const end = body.indexOf('&', from) === -1 ? body.length : body.indexOf('&', from);
      const pair = body.subarray(from, end);
      const at = pair.indexOf('=');
      if (pair.length > 0) {
        pairs.push(
          at === -1 ? [decoded(pair), ''] : [decoded(pair.subarray(0, at)), decoded(pair.subarray(at + 1))],
        );
      }
      from = end + 1;
    }
    // U+FFFD that came as bytes cannot be told from bytes that were none; encoded it is as good as any.
    return new TextDecoder('utf-8', { fatal: true }).decode(body).includes('\ufffd') ? null : pairs;
  } catch {
    return null;
  }
}

const pairsIn = (form: Form) => [...form].flatMap(([name, values]) => values.map((value) => [name, value]));

const piece = fc.oneof(
  bytes(12),
  fc
    .constantFrom('&', '=', '+', '%', '%41', '%4', '%c3%a5', '%C3', '%00', 'a', 'client_id', '&&', '==')
    .map((known) => Buffer.from(known)),
);
const body = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.concat(pieces));
const names = ['client_id', 'scope', 'a'] as const;

describe('a form', () => {
  it('is read as another reader of the same bytes reads it, or is malformed for both', () =>
    holds(
      fc.property(body, (sent) => {
        const form = parseForm(sent.toString('utf8'));
        const pairs = pairsOf(sent);
        if (pairs === null || form === null) {
          expect(form).toBe(pairs);
          return;
        }
        expect(pairsIn(form).sort()).toEqual([...pairs].map((pair) => [...pair]).sort());
      }),
      400,
    ));

  it('that was written is read as it was, every value in its order', () =>
    holds(
      fc.property(fc.array(fc.tuple(text(), text()), { maxLength: 8 }), (pairs) => {
        const form = parseForm(new URLSearchParams(pairs).toString());
        const expected = new Map<string, string[]>();
        for (const [name, value] of pairs) expected.set(name, [...(expected.get(name) ?? []), value]);
        // An empty name with an empty value is written as nothing but "=".
        expect(form === null ? null : new Map(form)).toEqual(expected);
      }),
      200,
    ));

  it('decision 11: gives one value a name, none where it is empty, and tells which names came twice', () =>
    holds(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...names, '__proto__'), text(3)), { maxLength: 6 }),
        (pairs) => {
          const form = parseForm(new URLSearchParams(pairs).toString()) ?? new Map();
          const { values, repeated } = pick(form, names);
          const sentAs = (name: string) =>
            pairs.filter(([known]) => known === name).map(([, value]) => value);
          expect([...repeated].sort()).toEqual(names.filter((name) => sentAs(name).length > 1).sort());
          for (const name of names) expect(values[name]).toBe(sentAs(name)[0] || undefined);
          expect(Object.keys(values).every((name) => (names as readonly string[]).includes(name))).toBe(true);
        },
      ),
      200,
    ));
});
