import { describe, expect, it } from 'vitest';
import {
  type AuthorizationCode,
  type ExchangeCommand,
  exchange,
} from '../../../../src/core/grants/authorization-code.ts';
import type { Rule } from '../../../../src/core/refusals/rule.ts';
import {
  clientRecord,
  codeRecord,
  memberRecord,
  minute,
  now,
  signInRecord,
  verifier,
} from '../../../support/records/records.ts';

const client = clientRecord();
const member = memberRecord();
const code = codeRecord();

/** An exchange by the right client, with the right verifier, ten seconds after the code was issued. */
const right: ExchangeCommand = {
  client,
  member,
  begun: null,
  codeVerifier: verifier,
  redirectUri: undefined,
  jkt: null,
  now: now + 10_000,
  signInId: 'sign-in-2',
};

describe('why an exchange gave nothing, for the audit', () => {
  const used = codeRecord({ state: 'used', signInId: 'sign-in-1' });
  const overdue = now + 10 * minute;

  it.each<[string, Rule, AuthorizationCode | null, Partial<ExchangeCommand>]>([
    ['the code is unknown', 'code_unknown', null, {}],
    [
      'the code was issued to another client',
      'grant_of_another_client',
      code,
      { client: clientRecord({ clientId: 'client-2' }) },
    ],
    [
      'the code was issued to another client',
      'grant_of_another_client',
      used,
      { client: clientRecord({ clientId: 'client-2' }) },
    ],
    ['the code is too old', 'code_expired', code, { now: overdue }],
    ['the code is too old', 'code_expired', codeRecord({ state: 'expired' }), {}],
    ['the redirect_uri differs', 'code_redirect_uri_differs', code, { redirectUri: 'https://app.test/cb2' }],
    ['the code_verifier is missing', 'code_verifier_missing', code, { codeVerifier: undefined }],
    ['the code_verifier is wrong', 'code_verifier_wrong', code, { codeVerifier: verifier.slice(1) }],
    ['the member may no longer sign in', 'member_inactive', code, { member: null }],
    ['the code had ended before', 'code_ended', codeRecord({ state: 'burned' }), {}],
  ])('%s', (reason, rule, stored, command) => {
    const because = { event: 'code_refused', rule, reason };
    expect(exchange(stored, { ...right, ...command }).because).toEqual(because);
  });

  it.each([
    ['the code was exchanged before: the sign-in that it began has ended', signInRecord()],
    ['the code was exchanged before', signInRecord({ state: 'ended', endedAt: 1, endReason: 'revoked' })],
  ])('%s', (reason, begun) => {
    expect(exchange(used, { ...right, begun }).because).toEqual({
      event: 'code_reused',
      rule: 'code_reused',
      reason,
    });
  });

  it('nothing is said where tokens are given', () => {
    expect(exchange(code, right).because).toBeUndefined();
  });
});
