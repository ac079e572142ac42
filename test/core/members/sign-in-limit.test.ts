import { describe, expect, it } from 'vitest';
import { hour } from '../../../src/core/limits.ts';
import { wrongSecondFactors } from '../../../src/core/members/limits.ts';
import {
  blockedUntil,
  factorBlockedUntil,
  factorFailedAgain,
  failedAgain,
  hashEmail,
  type SignInFailures,
  takenBack,
} from '../../../src/core/members/member-limits.ts';
import { clockTolerance } from '../../../src/core/operators/limits.ts';
import { day, minute, now } from '../../support/records/records.ts';

/** As many failures in a row, at one moment. */
const failed = (times: number): SignInFailures | null =>
  Array.from({ length: times }).reduce<SignInFailures | null>((before) => failedAgain(before, now), null);

const waitAfter = (times: number) => {
  const until = blockedUntil(failed(times), now);
  return until === 0 ? 0 : (until - now) / minute;
};

describe('failed sign-ins of one address (security, Defaults; A6)', () => {
  it('four failures cost nothing; then it is 1, 2, 4, 8, 15 and 15 minutes', () => {
    expect([0, 1, 2, 3, 4].map(waitAfter)).toEqual([0, 0, 0, 0, 0]);
    expect([5, 6, 7, 8, 9, 10].map(waitAfter)).toEqual([1, 2, 4, 8, 15, 15]);
  });

  it('F1: a guess that was counted and not looked at leaves what stood before, or one less of what stands now', () => {
    const later = { failures: 3, lastFailedAt: now + minute };
    const counted = failedAgain(failed(5), now + minute);
    expect(takenBack(failed(5), counted, counted)).toEqual(failed(5));
    expect(takenBack(null, failedAgain(null, now), failedAgain(null, now))).toBe(null);
    // Others were counted meanwhile, or one was right and cleared the count.
    expect(takenBack(failed(1), { failures: 2, lastFailedAt: now }, later)).toEqual({
      ...later,
      failures: 2,
    });
    expect(takenBack(failed(1), { failures: 2, lastFailedAt: now }, null)).toBe(null);
    expect(takenBack(failed(3), counted, { failures: 1, lastFailedAt: now })).toBe(null);
  });

  it('A6: no lock is permanent: it lasts 15 minutes after any number of failures', () => {
    for (const failures of [100, 1_000, 1_000_000, Number.MAX_SAFE_INTEGER]) {
      expect(blockedUntil({ failures, lastFailedAt: now }, now)).toBe(now + 15 * minute);
    }
  });

  it('the wait counts from the last failure', () => {
    const later = failedAgain(failed(5), now + 30 * minute);
    expect(blockedUntil(later, now + 30 * minute)).toBe(now + 32 * minute);
  });

  it('Z18: a clock that is set back by an hour does not lengthen a lock by an hour, and no failure is forgotten', () => {
    const before = failed(5);
    const setBack = now - 60 * minute;
    expect(blockedUntil(before, setBack)).toBe(0);
    const again = failedAgain(before, setBack);
    expect(again).toEqual({ failures: 6, lastFailedAt: setBack });
    expect(blockedUntil(again, setBack)).toBe(setBack + 2 * minute);
  });

  it('F1: a failure at a process whose clock is ahead by 5 s locks at every other', () => {
    const ahead = now + clockTolerance;
    expect(blockedUntil({ failures: 5, lastFailedAt: ahead }, now)).toBe(ahead + minute);
    expect(blockedUntil({ failures: 5, lastFailedAt: ahead + 1 }, now)).toBe(0);
  });

  it('a day without a failure forgets them all, and 1 ms less does not', () => {
    expect(failedAgain(failed(20), now + day)).toEqual({ failures: 1, lastFailedAt: now + day });
    expect(failedAgain(failed(20), now + day - 1)).toEqual({ failures: 21, lastFailedAt: now + day - 1 });
  });

  it('an address is one, however it is written, and kept as a hash', () => {
    expect(hashEmail(' Ada@Example.test')).toBe(hashEmail('ada@example.test'));
    expect(hashEmail('ada@example.test')).toMatch(/^[\w-]{43}$/);
    expect(hashEmail('bo@example.test')).not.toBe(hashEmail('ada@example.test'));
  });

  it('SF24: of digits of a second factor few are looked at in a month, however patient their guesser', () => {
    /** How many are looked at, where the guesser rests after so many: until all are forgotten, or for a day. */
    const lookedAt = (many: number, rest: number) => {
      let looked = 0;
      let stored: SignInFailures | null = null;
      for (let at = now; at < now + 30 * day; at = Math.max(at, factorBlockedUntil(stored, at))) {
        stored = factorFailedAgain(stored, at);
        looked += 1;
        if (looked % many === 0) at += rest;
      }
      return looked;
    };
    const tries = Array.from({ length: 75 }, (_, index) => index + 1);
    const looked = tries.flatMap((many) =>
      [0, day, wrongSecondFactors.memory].map((rest) => lookedAt(many, rest)),
    );
    expect(Math.max(...looked)).toBeLessThan(75);
    const stored = { failures: 20, lastFailedAt: now };
    expect(factorBlockedUntil(stored, now)).toBe(now + 12 * hour);
  });
});
