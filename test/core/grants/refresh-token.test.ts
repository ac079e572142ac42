import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/core/client.ts';
import {
  type RefreshCommand,
  readRefreshToken,
  refresh,
  refreshTokenMachine,
  revoke,
  writeRefreshToken,
} from '../../../src/core/grants/refresh-token.ts';
import type { SignIn, SignInEnd } from '../../../src/core/grants/sign-in.ts';
import type { Write } from '../../../src/core/write.ts';
import { linesOf } from '../../support/machines/state-lines.ts';
import {
  clientRecord,
  day,
  memberRecord,
  minute,
  now,
  second,
  signInRecord,
} from '../../support/records/records.ts';

const client = clientRecord();
const replaying = clientRecord({ replayWindow: 30 * second });
const member = memberRecord();
const disabled = memberRecord({ status: 'disabled' });
const signIn = signInRecord();
const revoked = signInRecord({ state: 'ended', endedAt: now, endReason: 'revoked' });
const expired = signInRecord({ state: 'ended', endedAt: now, endReason: 'expired' });

const current = { signInId: signIn.id, generation: signIn.generation };
const superseded = { signInId: signIn.id, generation: signIn.generation - 1 };

/** A refresh with the current token, by the right client, for the same scope. */
const right: RefreshCommand = { client, token: current, member, scope: undefined, jkt: null, now };

const invalidGrant = { kind: 'refusal', error: 'invalid_grant' };
const ends = (reason: SignInEnd, at = now): Write => ({
  write: 'endSignIn',
  id: signIn.id,
  reason,
  at,
  // Where the request came from is not said here.
  ...(reason === 'refresh_token_reused' ? { reuse: 'unclear' } : {}),
});
const rotates: Write = { write: 'rotateSignIn', id: signIn.id, from: 3, to: 4, at: now };

const tokens = {
  kind: 'tokens',
  client,
  member,
  scope: 'openid offline_access email',
  sessionId: 'session-1',
  authenticatedAt: signIn.authenticatedAt,
  nonce: null,
  jkt: null,
  issuedAt: now,
};

interface Case {
  readonly line: string;
  readonly signIn: SignIn;
  readonly command: Partial<RefreshCommand>;
  /** Of a refresh; a revocation answers nothing. */
  readonly answer: object;
  readonly writes: readonly Write[];
}

const cases: readonly Case[] = [
  {
    line: 'current | refresh | the member may no longer sign in',
    signIn,
    command: { member: disabled },
    answer: invalidGrant,
    writes: [ends('member_inactive')],
  },
  {
    line: 'current | refresh | its lifetime is over',
    signIn: signInRecord({ rotatedAt: now - 30 * day, createdAt: now - 40 * day }),
    command: {},
    answer: invalidGrant,
    writes: [ends('expired')],
  },
  {
    line: 'current | refresh | the scope asked for is wider',
    signIn,
    command: { scope: 'openid phone' },
    answer: { kind: 'refusal', error: 'invalid_scope' },
    writes: [],
  },
  {
    line: 'current | refresh | –',
    signIn,
    command: {},
    answer: { ...tokens, refreshToken: { signInId: signIn.id, generation: 4 } },
    writes: [rotates],
  },
  { line: 'current | revoke | –', signIn, command: {}, answer: {}, writes: [ends('revoked')] },
  {
    line: "superseded | refresh | within the client's replay window, the scope asked for is wider",
    signIn: signInRecord({ rotatedAt: now - 10 * second }),
    command: { token: superseded, client: replaying, scope: 'openid phone' },
    answer: { kind: 'refusal', error: 'invalid_scope' },
    writes: [],
  },
  {
    line: "superseded | refresh | within the client's replay window",
    signIn: signInRecord({ rotatedAt: now - 10 * second }),
    command: { token: superseded, client: replaying },
    answer: { ...tokens, client: replaying, refreshToken: { signInId: signIn.id, generation: 3 } },
    writes: [],
  },
  {
    line: 'superseded | refresh | –',
    signIn,
    command: { token: superseded },
    answer: invalidGrant,
    writes: [ends('refresh_token_reused')],
  },
  {
    line: 'superseded | revoke | –',
    signIn,
    command: { token: superseded },
    answer: {},
    writes: [ends('revoked')],
  },
  { line: 'revoked | refresh | –', signIn: revoked, command: {}, answer: invalidGrant, writes: [] },
  { line: 'revoked | revoke | –', signIn: revoked, command: {}, answer: {}, writes: [] },
  { line: 'expired | refresh | –', signIn: expired, command: {}, answer: invalidGrant, writes: [] },
  { line: 'expired | revoke | –', signIn: expired, command: {}, answer: {}, writes: [] },
];

describe('a refresh token that is bound to a key (interop 59)', () => {
  const bound = signInRecord({ dpopJkt: 'the thumbprint' });

  it.each([
    ['no proof', current, null],
    ['a proof of another key', current, 'of another key'],
    ['an old token and no proof', superseded, null],
    ['an old token and a proof of another key', superseded, 'of another key'],
  ])('gives nothing and ends nothing with %s', (_what, token, jkt) => {
    expect(refresh(bound, { ...right, token, jkt })).toMatchObject({ answer: invalidGrant, writes: [] });
  });

  it('gives tokens for the same key, and its reuse with that key ends the sign-in', () => {
    const proven = { ...right, jkt: 'the thumbprint' };
    expect(refresh(bound, proven).answer).toMatchObject({ kind: 'tokens', jkt: 'the thumbprint' });
    expect(refresh(bound, { ...proven, token: superseded }).writes).toEqual([ends('refresh_token_reused')]);
  });

  it('is bound by the first proof of a public client, and never of a confidential one', () => {
    const proven = (type: Client['type']) => ({
      ...right,
      client: clientRecord({ type }),
      jkt: 'the thumbprint',
    });
    const binds: Write = { write: 'bindSignIn', id: signIn.id, dpopJkt: 'the thumbprint' };
    expect(refresh(signIn, proven('public')).writes).toEqual([rotates, binds]);
    expect(refresh(signIn, proven('confidential')).writes).toEqual([rotates]);
    expect(refresh(bound, proven('public')).writes).toEqual([rotates]);
  });
});

describe('refresh token, line by line of its state table', () => {
  it.each(cases)('$line', ({ line, signIn: stored, command, answer, writes }) => {
    const asked = { ...right, ...command };
    if (line.includes('| revoke |')) return expect(revoke(stored, asked)).toEqual(writes);
    const decision = refresh(stored, asked);
    expect(decision.answer).toMatchObject(answer);
    expect(decision.writes).toEqual(writes);
  });

  it('has a case for every line', () => {
    expect(cases.map(({ line }) => line)).toEqual(linesOf(refreshTokenMachine));
  });
});

describe('lifetime of a refresh token (decisions 20, 25; T21)', () => {
  const idle = signInRecord({ createdAt: now, rotatedAt: now + 5 * day });
  const old = signInRecord({ createdAt: now, rotatedAt: now + 90 * day });

  it.each([
    ['unused', idle, idle.rotatedAt + client.refreshTokenIdle],
    ['in all', old, old.createdAt + client.refreshTokenAbsolute],
  ])('the time it may live %s: it works 1 ms before the end, and not at the end', (_what, stored, end) => {
    expect(refresh(stored, { ...right, now: end - 1 }).answer).toMatchObject({ kind: 'tokens' });
    const decision = refresh(stored, { ...right, now: end });
    expect(decision.answer).toMatchObject(invalidGrant);
    expect(decision.writes).toEqual([ends('expired', end)]);
  });
});

describe('replay window (decision 24)', () => {
  const replay = { ...right, token: superseded, client: replaying };
  const end = signIn.rotatedAt + replaying.replayWindow;

  it('is open 1 ms before its end, and closed at its end', () => {
    expect(refresh(signIn, { ...replay, now: end - 1 }).answer).toMatchObject({ kind: 'tokens' });
    expect(refresh(signIn, { ...replay, now: end }).writes).toEqual([ends('refresh_token_reused', end)]);
  });

  it('gives the current token again, and makes no second successor', () => {
    const decision = refresh(signIn, { ...replay, now: end - 1 });
    expect(decision.answer).toMatchObject({ refreshToken: current });
    expect(decision.writes).toEqual([]);
  });

  it('is for the token just replaced; the one before it is reuse', () => {
    const before = { signInId: signIn.id, generation: 1 };
    const decision = refresh(signIn, { ...replay, token: before, now: end - 1 });
    expect(decision.writes).toEqual([ends('refresh_token_reused', end - 1)]);
  });

  it('does not exist unless the client asked for one', () => {
    const stored = signInRecord({ rotatedAt: now });
    expect(refresh(stored, { ...right, token: superseded }).writes).toEqual([ends('refresh_token_reused')]);
  });

  it.each([
    ['for a disabled member', { member: disabled }],
    ['for a disabled member and a wider scope', { member: disabled, scope: 'openid phone' }],
    ['for a wider scope at its end', { scope: 'openid phone', now: end }],
  ])('replays nothing %s', (_what, command) => {
    const asked = { ...replay, now: end - 1, ...command };
    const decision = refresh(signIn, asked);
    expect(decision.answer).toMatchObject(invalidGrant);
    expect(decision.writes).toEqual([ends('refresh_token_reused', asked.now)]);
  });

  it('refuses a wider scope, and changes nothing: the right request is still replayed (decision 25)', () => {
    const decision = refresh(signIn, { ...replay, scope: 'openid phone', now: end - 1 });
    expect(decision.answer).toMatchObject({ kind: 'refusal', error: 'invalid_scope' });
    expect(decision.writes).toEqual([]);
  });

  it.each([
    ['the scope that it asks for', 'openid email', 'openid email'],
    ['the scope of the sign-in, where it asks for none', undefined, signIn.scope],
  ])('a replay is for %s', (_what, scope, answered) => {
    const decision = refresh(signIn, { ...replay, scope, now: end - 1 });
    expect(decision.answer).toMatchObject({ kind: 'tokens', scope: answered });
  });
});

describe('scope of a refresh (decision 25)', () => {
  it('may be narrowed for this answer; the sign-in keeps its own', () => {
    const decision = refresh(signIn, { ...right, scope: 'email openid' });
    expect(decision.answer).toMatchObject({ kind: 'tokens', scope: 'openid email' });
    expect(decision.writes).toEqual([rotates]);
  });

  it.each(['openid offline_access email phone', 'admin'])('"%s" is wider, and changes nothing', (scope) => {
    const decision = refresh(signIn, { ...right, scope });
    expect(decision.answer).toMatchObject({ error: 'invalid_scope' });
    expect(decision.writes).toEqual([]);
  });
});

describe('what a stranger presents (decision 17)', () => {
  it.each([
    ['of no known sign-in', null, {}],
    ['of another client', signIn, { client: clientRecord({ clientId: 'client-2' }) }],
    ['of another tenant', signIn, { client: clientRecord({ tenantId: 'tenant-b' }) }],
    [
      'of another client, superseded',
      signIn,
      { client: clientRecord({ clientId: 'client-2' }), token: superseded },
    ],
  ])('a token %s is invalid_grant, is not revoked, and changes nothing', (_what, stored, command) => {
    const refreshed = refresh(stored, { ...right, ...command });
    expect(refreshed.answer).toMatchObject(invalidGrant);
    expect(refreshed.writes).toEqual([]);
    expect(revoke(stored, { ...right, ...command })).toEqual([]);
  });
});

describe('member of a refresh token (decision 28)', () => {
  it('a member who is gone ends the sign-in', () => {
    const decision = refresh(signIn, { ...right, member: null });
    expect(decision.answer).toMatchObject(invalidGrant);
    expect(decision.writes).toEqual([ends('member_inactive')]);
  });
});

describe('text of a refresh token', () => {
  const key = Buffer.alloc(32, 7);
  const token = { signInId: '0190f5a4-5f6e-7c3a-9d41-2b7c8e9f0a1b', generation: 12 };
  const text = writeRefreshToken(key, token);

  it('is read back as what it says', () => {
    expect(readRefreshToken(key, text)).toEqual(token);
  });

  it.each([
    ['another tenant’s key', Buffer.alloc(32, 8), text],
    ['another generation under the same mac', key, text.replace('.12.', '.13.')],
    ['another sign-in under the same mac', key, text.replace('0190', '0191')],
    ['a generation with a leading zero', key, text.replace('.12.', '.012.')],
    ['a generation of 0', key, writeRefreshToken(key, { ...token, generation: 0 })],
    ['a mac cut by a letter', key, text.slice(0, -1)],
    ['something behind it', key, `${text}A`],
    ['white space around it', key, ` ${text} `],
    ['nothing', key, ''],
  ])('with %s it was never issued', (_what, withKey, sent) => {
    expect(readRefreshToken(withKey, sent)).toBeNull();
  });

  it('says nothing about time: an old token is recognised however long ago it was replaced', () => {
    const stored = signInRecord({ generation: 40, rotatedAt: now - minute });
    const decision = refresh(stored, { ...right, token: { signInId: signIn.id, generation: 3 } });
    expect(decision.writes).toEqual([ends('refresh_token_reused')]);
  });
});
