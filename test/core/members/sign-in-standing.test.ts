import { describe, expect, it } from 'vitest';
import type { Member } from '../../../src/core/members/member.ts';
import type { MemberLimit } from '../../../src/core/members/member-limits.ts';
import { type SignInFacts, signInStanding } from '../../../src/core/members/sign-in-standing.ts';
import { memberRecord, now } from '../../support/records/records.ts';

const hour = 60 * 60 * 1_000;
const well = { ...memberRecord(), status: 'active', emailVerified: true, deletionDueAt: null } as const;

const limit = (name: MemberLimit['limit'], lockedUntil: number | null): MemberLimit => ({
  limit: name,
  counted: 5,
  allowed: 5,
  lockedUntil,
});

const standing = (member: Partial<Member> = {}, facts: Partial<SignInFacts> = {}) =>
  signInStanding({ ...well, ...member }, { limits: [], hasWayIn: true, ...facts }, now);

const inTheWay = (...of: Parameters<typeof standing>) =>
  standing(...of).hindrances.map(({ hindrance, keepsOut, until }) => [hindrance, keepsOut, until]);

describe('why a member cannot sign in', () => {
  it('says nothing when all is well, or when a limit is not reached', () => {
    const limits = [limit('failed_sign_ins', null), limit('wrong_user_codes', null)];
    expect(standing({}, { limits })).toEqual({ canSignIn: true, hindrances: [] });
  });

  it.each([
    ['a disabled account', { status: 'disabled' }, {}, ['disabled', true, null]],
    [
      'wrong passwords, until a time',
      {},
      { limits: [limit('failed_sign_ins', now + hour)] },
      ['wrong_passwords', true, now + hour],
    ],
    ['no password was chosen', {}, { hasWayIn: false }, ['no_password', true, null]],
    [
      'a deletion that is asked for, which lets her in until it is due',
      { deletionDueAt: now + hour },
      {},
      ['deletion_asked', false, now + hour],
    ],
    ['a deletion that is due', { deletionDueAt: now }, {}, ['deletion_asked', true, now]],
    [
      'wrong current passwords, which keep her from her settings alone',
      {},
      { limits: [limit('wrong_current_passwords', now + hour)] },
      ['wrong_current_passwords', false, now + hour],
    ],
    [
      'wrong TV codes, which keep her from TVs alone',
      {},
      { limits: [limit('wrong_user_codes', now + hour)] },
      ['wrong_user_codes', false, now + hour],
    ],
    ['an address that is not proven', { emailVerified: false }, {}, ['address_not_proven', false, null]],
  ] as const)('%s', (_what, member, facts, expected) => {
    expect(inTheWay(member, facts)).toEqual([expected]);
    expect(standing(member, facts).canSignIn).toBe(!expected[1]);
  });

  it('names every reason, and first the one that keeps her out', () => {
    const limits = [limit('failed_sign_ins', now + hour), limit('wrong_user_codes', now + hour)];
    const member = { status: 'disabled', emailVerified: false, deletionDueAt: now + hour } as const;
    expect(inTheWay(member, { limits, hasWayIn: false }).map(([hindrance]) => hindrance)).toEqual([
      'disabled',
      'wrong_passwords',
      'no_password',
      'deletion_asked',
      'wrong_user_codes',
      'address_not_proven',
    ]);
  });
});
