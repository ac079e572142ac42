import { describe, expect, it } from 'vitest';
import {
  classOfReuse,
  holderOf,
  type ReuseFacts,
  reuseAdvice,
  reuseClasses,
  wordsOfReuse,
} from '../../../src/core/grants/reuse.ts';
import { day, hour, minute, second } from '../../support/records/records.ts';

const key = Buffer.alloc(32, 7);
const home = holderOf(key, '192.0.2.1', 'Example TV/1.0');
const elsewhere = holderOf(key, '198.51.100.7', 'Example TV/1.0');
const other = holderOf(key, '192.0.2.1', 'curl/8.5');

/** A token comes back in the place that its successor was given to, which was never used, half a minute after that. */
const facts: ReuseFacts = { behind: 1, since: 30 * second, from: home, lastTo: home, isAnswerLost: false };

describe('what the return of a used refresh token most likely was', () => {
  it.each<[string, Partial<ReuseFacts>, string]>([
    ['its successor never used, in the same place', {}, 'lost_response'],
    ['and a day later', { since: day }, 'lost_response'],
    ['and longer ago', { since: day + 1 }, 'unclear'],
    ['within five seconds', { since: 5 * second }, 'parallel_refresh'],
    ['a moment after them', { since: 5 * second + 1 }, 'lost_response'],
    ['within seconds, the successor used at once', { since: second, behind: 2 }, 'parallel_refresh'],
    ['within seconds, and two have been used since', { since: second, behind: 3 }, 'unclear'],
    ['within seconds of an answer that never left', { since: 0, isAnswerLost: true }, 'lost_response'],
    ['the successor used, and soon', { since: minute, behind: 2 }, 'unclear'],
    ['the successor used, and more than an hour ago', { since: hour + 1, behind: 2 }, 'theft'],
    ['many of its successors used, however soon', { since: second, behind: 4 }, 'theft'],
    ['from another network', { from: elsewhere }, 'theft'],
    ['from another program', { from: other }, 'theft'],
    ['from another network at the same moment', { from: elsewhere, since: 0 }, 'theft'],
    ['from elsewhere after an answer that never left', { from: other, isAnswerLost: true }, 'theft'],
    ['of a sign-in from before this was kept', { lastTo: null }, 'unclear'],
    ['of a member who was erased', { from: null }, 'unclear'],
  ])('%s: %s', (_what, more, kind) => {
    expect(classOfReuse({ ...facts, ...more }).kind).toBe(kind);
  });

  it('says by what it was found, in words', () => {
    expect(wordsOfReuse(classOfReuse(facts))).toBe(
      'probably the answer before was lost (the same network and program, soon after, its successor was never used)',
    );
    expect(wordsOfReuse(classOfReuse({ ...facts, from: elsewhere, behind: 2 }))).toBe(
      'perhaps stolen (another network than before, its successor had been used)',
    );
  });

  it('has a sentence of advice for each class', () => {
    for (const kind of reuseClasses) expect(reuseAdvice[kind]).toMatch(/^[A-Z][^.]+\.$/);
  });
});

describe('RF1: a place is kept as marks that tell two of them apart and nothing else', () => {
  it('of the same length whatever is sent, and without a letter of it', () => {
    for (const text of ['', 'Example TV/1.0', '<script>'.repeat(4_000), 'тв\u0000']) {
      const { network, program } = holderOf(key, '192.0.2.1', text);
      expect([network, program]).toEqual([home.network, expect.stringMatching(/^[\w-]{8}$/)]);
    }
  });

  it('which the key of another tenant makes of no address', () => {
    expect(holderOf(Buffer.alloc(32, 8), '192.0.2.1', '').network).not.toBe(home.network);
  });
});
