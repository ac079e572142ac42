import { describe, expect, it } from 'vitest';
import { isLastWayIn } from '../../src/core/members/ways-in.ts';
import { answeredAcr, factorsOf, strengthOf, wayOf } from '../../src/core/strength.ts';
import { now } from '../support/records/records.ts';

describe('the strength of a session (decision 47)', () => {
  it.each([
    [['pwd'], 'pwd', null],
    [['otp'], 'otp', null],
    [['fed', 'otp', 'mfa'], 'fed otp mfa', now],
    [['hwk', 'user'], 'hwk user', now],
    [['swk'], 'swk', null],
    [['otp', 'otp', 'mfa'], 'otp mfa', now],
  ] as const)(
    'I67: of %j it is two factors where there are two, or a passkey that verified its user',
    (factors, amr, strongAt) => {
      expect(strengthOf(factors, now)).toEqual({ amr, strongAt });
      const acr = `urn:memberdoor:${strongAt === null ? 1 : 2}`;
      expect(answeredAcr({ amr, strongAt }, null)).toBe(acr);
    },
  );

  it('I67: answers the highest of the demanded values that it has, and no other', () => {
    const [weak, strong] = [strengthOf(['pwd'], now), strengthOf(['pwd', 'otp', 'mfa'], now)];
    expect(answeredAcr(strong, ['urn:memberdoor:1'])).toBe('urn:memberdoor:1');
    expect(answeredAcr(strong, ['urn:memberdoor:1', 'urn:memberdoor:2'])).toBe('urn:memberdoor:2');
    expect(answeredAcr(weak, ['urn:memberdoor:2'])).toBeNull();
    expect(answeredAcr(strong, ['gold'])).toBeNull();
  });

  it('says its factors, and how it was begun', () => {
    const session = strengthOf(['pwd', 'otp', 'mfa'], now);
    expect(factorsOf(session)).toEqual(['pwd', 'otp', 'mfa']);
    expect(wayOf(session)).toBe('password');
  });
});

it('decision 46: the last way in is the only one that a member has left', () => {
  const password = { way: 'password', id: null } as const;
  expect(isLastWayIn([password], password)).toBe(true);
  expect(isLastWayIn([password, { way: 'password', id: 'another' }], password)).toBe(false);
});
