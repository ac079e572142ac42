import { describe, expect, it } from 'vitest';
import { type RefreshCommand, refresh } from '../../../../src/core/grants/refresh-token.ts';
import type { SignIn } from '../../../../src/core/grants/sign-in.ts';
import type { Rule } from '../../../../src/core/refusals/rule.ts';
import {
  clientRecord,
  day,
  memberRecord,
  now,
  second,
  signInRecord,
} from '../../../support/records/records.ts';

const client = clientRecord();
const member = memberRecord();
const disabled = memberRecord({ status: 'disabled' });
const signIn = signInRecord();
const revoked = signInRecord({ state: 'ended', endedAt: now, endReason: 'revoked' });
const expired = signInRecord({ state: 'ended', endedAt: now, endReason: 'expired' });

const current = { signInId: signIn.id, generation: signIn.generation };

/** A refresh with the current token, by the right client, for the same scope. */
const right: RefreshCommand = { client, token: current, member, scope: undefined, jkt: null, now };

describe('why a refresh gave nothing, for the audit', () => {
  const because = (stored: SignIn | null, command: Partial<RefreshCommand>) =>
    refresh(stored, { ...right, ...command }).because;
  const older = signInRecord({ generation: 4, rotatedAt: now - 5 * second });
  const about = { event: 'refresh_refused', target: signIn.id };

  it.each<[string, Rule, SignIn | null, Partial<RefreshCommand>]>([
    ['this is no refresh token of the tenant', 'refresh_token_foreign', null, { token: null }],
    ['the sign-in of the refresh token is unknown', 'sign_in_unknown', null, {}],
  ])('%s', (reason, rule, stored, command) => {
    expect(because(stored, command)).toEqual({ ...about, target: null, rule, reason });
  });

  it.each<[string, Rule, SignIn, Partial<RefreshCommand>]>([
    [
      'the refresh token was issued to another client',
      'grant_of_another_client',
      signIn,
      { client: clientRecord({ clientId: 'c2' }) },
    ],
    ['the sign-in had ended: revoked', 'sign_in_ended', revoked, {}],
    ['the sign-in had ended: expired', 'sign_in_ended', expired, {}],
    ['the sign-in is too old, and has ended', 'sign_in_expired', signIn, { now: now + 90 * day }],
    ['the scope asked for is wider', 'scope_wider', signIn, { scope: 'openid phone' }],
    ['the member may no longer sign in', 'member_inactive', signIn, { member: disabled }],
  ])('%s', (reason, rule, stored, command) => {
    expect(because(stored, command)).toEqual({ ...about, rule, reason });
  });

  it.each<[string, number]>([
    ['a refresh token 1 generation old, superseded 5 s ago', 3],
    ['a refresh token 3 generations old, superseded more than 5 s ago', 1],
  ])('%s, and what that most likely was', (age, generation) => {
    const came = because(older, { token: { ...current, generation } });
    expect(came).toEqual({
      ...about,
      rule: 'refresh_token_reused',
      reuse: 'unclear',
      reason: expect.stringMatching(`^${age}; it is not`),
    });
  });

  it('nothing is said where tokens are given', () => {
    expect(because(signIn, {})).toBeUndefined();
  });
});
