import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/core/json.ts';
import { bytes, text } from '../support/fuzz/hostile.ts';
import { writtenJson, writtenMembers } from '../support/fuzz/json.ts';
import { holds } from '../support/fuzz/runs.ts';

const name = fc.oneof(fc.constantFrom('a', 'b', '__proto__', '', '{', '"', '\\'), text(3));

describe('a JSON body', () => {
  it('that was written is read as what was meant, however it is spaced and escaped', () =>
    holds(
      fc.property(
        fc
          .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
          .chain((value) => fc.tuple(fc.constant(value), writtenJson(fc.constant(value)))),
        ([value, written]) => {
          expect(parseJson(Buffer.from(written))).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
      200,
    ));

  it('RFC 8259 §4: in which a name stands twice, however it is written, is malformed, and no other is', () =>
    holds(
      fc.property(
        fc
          .array(fc.tuple(name, fc.jsonValue({ maxDepth: 1 })), { maxLength: 5 })
          .chain((members) => fc.tuple(fc.constant(members), writtenMembers(fc.constant(members)))),
        fc.boolean(),
        ([members, written], isDeep) => {
          const isTwice = new Set(members.map(([one]) => one)).size < members.length;
          const text = isDeep ? `{"list":[1,${written}],"a":{}}` : written;
          expect(parseJson(Buffer.from(text)) === undefined).toBe(isTwice);
        },
      ),
      400,
    ));

  it('is undefined or what JSON says, whatever the bytes', () =>
    holds(
      fc.property(
        bytes(),
        fc.constantFrom(['', ''], ['[', ']'], ['{"a":', '}'], ['"', '"'], ['{"', '":1}']),
        (made, [before = '', behind = '']) => {
          const sent = Buffer.concat([Buffer.from(before), made, Buffer.from(behind)]);
          const read = parseJson(sent);
          if (read === undefined) return;
          expect(read).toEqual(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(sent)));
        },
      ),
      400,
    ));
});
