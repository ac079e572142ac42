import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../src/core/decision.ts';
import {
  type AuthorizationCode,
  authorizationCodeMachine,
  cancelAuthorizationCode,
  type ExchangeCommand,
  exchange,
  issueAuthorizationCode,
} from '../../../src/core/grants/authorization-code.ts';
import { beginSignIn } from '../../../src/core/grants/sign-in.ts';
import type { Write } from '../../../src/core/write.ts';
import { linesOf } from '../../support/machines/state-lines.ts';
import {
  clientRecord,
  codeRecord,
  memberRecord,
  minute,
  now,
  signInRecord,
  verifier,
} from '../../support/records/records.ts';

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

const invalidGrant = { kind: 'refusal', error: 'invalid_grant' };

const moved = (to: AuthorizationCode['state'], signInId: string | null = null): Write => ({
  write: 'moveAuthorizationCode',
  hash: code.hash,
  from: 'issued',
  to,
  signInId,
});

const begins = beginSignIn(
  {
    id: 'sign-in-2',
    tenantId: 'tenant-a',
    clientId: 'client-1',
    memberId: 'member-1',
    sessionId: 'session-1',
    scope: code.scope,
    resources: '',
    authenticatedAt: code.authenticatedAt,
    claims: code.claims,
    dpopJkt: null,
  },
  right.now,
);

interface Case {
  readonly line: string;
  readonly code: AuthorizationCode;
  readonly command: Partial<ExchangeCommand>;
  readonly answer: object;
  readonly writes: readonly Write[];
}

const cases: readonly Case[] = [
  {
    line: 'issued | exchange | ten minutes are over',
    code,
    command: { now: now + 10 * minute },
    answer: invalidGrant,
    writes: [moved('expired')],
  },
  {
    line: 'issued | exchange | the redirect_uri sent differs',
    code,
    command: { redirectUri: 'https://app.test/cb2' },
    answer: invalidGrant,
    writes: [],
  },
  {
    line: 'issued | exchange | the key of the proof differs',
    code: codeRecord({ dpopJkt: 'the thumbprint' }),
    command: { jkt: 'of another key', codeVerifier: undefined },
    answer: invalidGrant,
    writes: [],
  },
  {
    line: 'issued | exchange | the verifier is wrong',
    code,
    command: { codeVerifier: verifier.replace('d', 'e') },
    answer: invalidGrant,
    writes: [moved('burned')],
  },
  {
    line: 'issued | exchange | the member may no longer sign in',
    code,
    command: { member: memberRecord({ status: 'disabled' }) },
    answer: invalidGrant,
    writes: [moved('burned')],
  },
  {
    line: 'issued | exchange | –',
    code,
    command: {},
    answer: {
      kind: 'tokens',
      client,
      member,
      scope: 'openid offline_access email',
      sessionId: 'session-1',
      authenticatedAt: code.authenticatedAt,
      nonce: 'the nonce',
      refreshToken: { signInId: 'sign-in-2', generation: 1 },
      jkt: null,
      issuedAt: right.now,
    },
    writes: [{ write: 'insertSignIn', signIn: begins }, moved('used', 'sign-in-2')],
  },
  {
    line: 'used | exchange | –',
    code: codeRecord({ state: 'used', signInId: 'sign-in-1' }),
    command: { begun: signInRecord() },
    answer: invalidGrant,
    writes: [{ write: 'endSignIn', id: 'sign-in-1', reason: 'code_reused', at: right.now }],
  },
  {
    line: 'burned | exchange | –',
    code: codeRecord({ state: 'burned' }),
    command: {},
    answer: invalidGrant,
    writes: [],
  },
  {
    line: 'expired | exchange | –',
    code: codeRecord({ state: 'expired' }),
    command: {},
    answer: invalidGrant,
    writes: [],
  },
];

describe('exchange of an authorization code, line by line of its state table', () => {
  it.each(cases)('$line', ({ code: stored, command, answer, writes }) => {
    const decision = exchange(stored, { ...right, ...command });
    expect(decision.answer).toMatchObject(answer);
    expect(decision.writes).toEqual(writes);
  });

  it('has a case for every line', () => {
    const ofExchange = linesOf(authorizationCodeMachine).filter((line) => !line.includes('| cancel |'));
    expect(cases.map(({ line }) => line)).toEqual(ofExchange);
  });

  it('issued | cancel: a code that was not exchanged is burned', () => {
    expect(cancelAuthorizationCode(code)).toEqual([moved('burned')]);
  });

  it.each(['used', 'burned', 'expired'] as const)('%s | cancel: changes nothing', (state) => {
    expect(cancelAuthorizationCode({ ...code, state })).toEqual([]);
  });
});

describe('exchange of an authorization code', () => {
  it('decision 18: a code lives for 600 s', () => {
    const { state: _, issuedAt: __, expiresAt: ___, signInId: ____, ...facts } = code;
    expect(issueAuthorizationCode(facts, now)).toEqual({
      ...facts,
      state: 'issued',
      issuedAt: now,
      expiresAt: now + 600_000,
      signInId: null,
    });
  });

  it('decision 20: it works 1 ms before its expiry, and not at its expiry', () => {
    expect(exchange(code, { ...right, now: code.expiresAt - 1 }).answer).toMatchObject({ kind: 'tokens' });
    expect(exchange(code, { ...right, now: code.expiresAt }).answer).toMatchObject(invalidGrant);
  });

  it.each([
    ['no code is known', null, {}],
    ['it is another client’s', code, { client: clientRecord({ clientId: 'client-2' }) }],
    ['it is another tenant’s', code, { client: clientRecord({ tenantId: 'tenant-b' }) }],
    [
      'it is another client’s and was used',
      codeRecord({ state: 'used', signInId: 'sign-in-1' }),
      { client: clientRecord({ clientId: 'client-2' }), begun: signInRecord() },
    ],
  ])('decision 17: where %s the answer is invalid_grant and nothing changes', (_what, stored, command) => {
    const decision = exchange(stored, { ...right, ...command });
    expect(decision.answer).toMatchObject(invalidGrant);
    expect(decision.writes).toEqual([]);
  });

  it.each([
    ['missing', undefined],
    ['too short', verifier.slice(1)],
    ['too long', 'a'.repeat(129)],
    ['the challenge itself', code.codeChallenge],
  ])('decision 18: a verifier that is %s burns the code', (_what, codeVerifier) => {
    expect(exchange(code, { ...right, codeVerifier }).writes).toEqual([moved('burned')]);
  });

  it('decision 18: a redirect_uri that is sent and the same is accepted', () => {
    expect(exchange(code, { ...right, redirectUri: code.redirectUri }).answer).toMatchObject({
      kind: 'tokens',
    });
  });

  it.each([
    ['public', 'the thumbprint'],
    ['confidential', null],
  ] as const)('I59: the refresh tokens of a %s client are bound to %s', (type, dpopJkt) => {
    const bound = { ...right, client: clientRecord({ type }), jkt: 'the thumbprint' };
    const { answer, writes } = exchange(codeRecord({ dpopJkt: 'the thumbprint' }), bound);
    expect(answer).toMatchObject({ kind: 'tokens', jkt: 'the thumbprint' });
    expect(writes[0]).toEqual({ write: 'insertSignIn', signIn: { ...begins, dpopJkt } });
  });

  it('I59: a code that is bound to a key is exchanged by none without a proof', () => {
    const decision = exchange(codeRecord({ dpopJkt: 'the thumbprint' }), right);
    expect(decision).toMatchObject({ answer: invalidGrant, writes: [] });
  });

  it('the code of a member who is gone gives nothing, and is burned', () => {
    const decision = exchange(code, { ...right, member: null });
    expect(decision.answer).toMatchObject(invalidGrant);
    expect(decision.writes).toEqual([moved('burned')]);
  });

  it('a second exchange ends the sign-in even after ten minutes', () => {
    const used = codeRecord({ state: 'used', signInId: 'sign-in-1' });
    const later = now + 11 * minute;
    expect(exchange(used, { ...right, begun: signInRecord(), now: later }).writes).toEqual([
      { write: 'endSignIn', id: 'sign-in-1', reason: 'code_reused', at: later },
    ]);
  });

  it('a third exchange writes nothing more: the sign-in has ended', () => {
    const used = codeRecord({ state: 'used', signInId: 'sign-in-1' });
    const begun = signInRecord({ state: 'ended', endedAt: now, endReason: 'code_reused' });
    expect(exchange(used, { ...right, begun }).writes).toEqual([]);
  });

  it('T16: without offline_access there is no refresh token', () => {
    const { answer } = exchange(codeRecord({ scope: 'openid email' }), right);
    expect(answer).toMatchObject({ kind: 'tokens', scope: 'openid email', refreshToken: null });
  });

  it('every refusal reads the same, so that it does not tell which proof was wrong', () => {
    const answers = cases.map((each) => exchange(each.code, { ...right, ...each.command }).answer);
    expect(new Set(answers.filter(isRefusal).map(({ description }) => description)).size).toBe(1);
  });
});
