import { describe, expect, it } from 'vitest';
import {
  dueKeys,
  type KeyTimes,
  keyStanding,
  lastTokenEnds,
} from '../../../src/core/operators/signing-key.ts';
import { day, hour, now } from '../../support/records/records.ts';

const key = (kid: string, activeFrom: number, changes: Partial<KeyTimes> = {}): KeyTimes => ({
  kid,
  algorithm: 'ES256',
  activeFrom,
  retiredAt: null,
  ...changes,
});

/** A key that is retired, one that signs no more, one that signs, and the next; and one that is none of theirs. */
const keys = [
  key('old', now - 200 * day, { retiredAt: now - 100 * day }),
  key('before', now - 100 * day),
  key('current', now - 2 * hour),
  key('next', now + hour),
  key('rsa', now - 300 * day, { algorithm: 'RS256' }),
];
const named = (kid: string) => keys.find((one) => one.kid === kid) ?? key('none', 0);
const standings = (at: number) =>
  Object.fromEntries(keys.map((one) => [one.kid, keyStanding(one, keys, at)]));

describe('M16: what a key is for', () => {
  it('is read from the times of all of its algorithm', () => {
    expect(standings(now)).toEqual({
      old: 'retired',
      before: 'published',
      current: 'signing',
      next: 'next',
      rsa: 'signing',
    });
  });

  it('changes at the moment from which the next one signs: not 1 ms before', () => {
    expect(standings(now + hour - 1)).toMatchObject({ current: 'signing', next: 'next' });
    expect(standings(now + hour)).toMatchObject({ current: 'published', next: 'signing' });
  });

  it('goes back to the one before when the one that signs is retired', () => {
    const left = keys.map((one) => (one.kid === 'current' ? { ...one, retiredAt: now } : one));
    expect(keyStanding(named('before'), left, now)).toBe('signing');
  });

  it('of two that sign from the same moment is told by the kid, as the tokens are signed', () => {
    const twins = [key('a', now), key('b', now)];
    expect(twins.map((one) => keyStanding(one, twins, now))).toEqual(['published', 'signing']);
  });
});

describe('M16: the last token of a key', () => {
  it('ends four hours after the next one began to sign, and is not known before', () => {
    expect(lastTokenEnds(named('before'), keys, now)).toBe(now + 2 * hour);
    expect(lastTokenEnds(named('current'), keys, now)).toBeNull();
    expect(lastTokenEnds(named('current'), keys, now + hour)).toBe(now + 5 * hour);
    expect(lastTokenEnds(named('next'), keys, now)).toBeNull();
  });
});

describe('M16: what is due', () => {
  it('is the next key a day before the ninety days of the one that signs are over, of each algorithm', () => {
    const pair = [key('es', now), key('rs', now + hour, { algorithm: 'RS256' })];
    expect(dueKeys(pair, now + 89 * day - 1)).toEqual({ next: [], retired: [] });
    expect(dueKeys(pair, now + 89 * day)).toEqual({ next: ['ES256'], retired: [] });
    expect(dueKeys(pair, now + 89 * day + hour)).toEqual({ next: ['ES256', 'RS256'], retired: [] });
  });

  it('is nothing where the next key is published already, and the retirement at the end of the last token', () => {
    const three = [key('one', now - 100 * day), key('two', now), key('three', now + 90 * day)];
    expect(dueKeys(three, now + 89 * day)).toEqual({ next: [], retired: ['one'] });
    expect(dueKeys(three, now + 4 * hour - 1).retired).toEqual([]);
    expect(dueKeys(three, now + 4 * hour).retired).toEqual(['one']);
  });

  it('is one next key after a service stood still for years, and not one for each quarter', () => {
    expect(dueKeys([key('one', now)], now + 1_000 * day)).toEqual({ next: ['ES256'], retired: [] });
  });
});
