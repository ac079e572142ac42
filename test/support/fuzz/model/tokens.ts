import { expect } from 'vitest';
import { authorizationCodeMachine } from '../../../../src/core/grants/authorization-code.ts';
import { refreshTokenMachine } from '../../../../src/core/grants/refresh-token.ts';
import { claimsOf, profile, refreshAs, revoke } from '../../tokens.ts';
import { answerOf, authorizationParameters, pkce, type Tokens, token } from '../../visitor.ts';
import { isEnded } from './compare.ts';
import { appOf, errorOf } from './device.ts';
import { endSignIn, sessionLives, useSession } from './moves.ts';
import { lineOf } from './table.ts';
import {
  accessEndOf,
  addSignIn,
  host,
  livesUntil,
  type ModelClient,
  type ModelCode,
  type ModelMember,
  type ModelSignIn,
  type World,
} from './world.ts';

/** A web client asks for a code, silently. */
export async function authorize(
  world: World,
  member: ModelMember,
  client: ModelClient,
  scope: string,
): Promise<void> {
  const session = useSession(world, member);
  const { verifier, challenge } = pkce();
  const asked = authorizationParameters(
    client.clientId,
    client.redirectUri,
    { verifier, challenge },
    { scope, prompt: 'none' },
  );
  const answer = await member.phone.authorize(asked);
  if (client.isDisabled) {
    expect(answer.status).toBe(400);
    return;
  }
  const parameters = answerOf(answer);
  if (session === null) {
    expect(parameters.get('error')).toBe('login_required');
    return;
  }
  const code = parameters.get('code') ?? '';
  expect(code).not.toBe('');
  const expiresAt = world.now + 600_000;
  world.codes.push({
    client,
    member,
    session,
    scope,
    code,
    verifier,
    expiresAt,
    state: 'issued',
    signIn: null,
    given: 0,
  });
}

/** The client, or another, exchanges a code; once or several times at once. */
export async function exchange(
  world: World,
  code: ModelCode,
  by: ModelClient,
  isRight: boolean,
  count: number,
): Promise<void> {
  const { now } = world;
  const verifier = isRight ? code.verifier : pkce().verifier;
  const body = {
    grant_type: 'authorization_code',
    client_id: by.clientId,
    code: code.code,
    code_verifier: verifier,
  };
  const got = await Promise.all(Array.from({ length: count }, () => token(world.service, host, body)));
  const tokens = got.find(({ status }) => status === 200)?.json<Tokens & Record<string, unknown>>();
  const wanted = got.map(() => {
    if (by.isDisabled) return 'invalid_client';
    if (by !== code.client) return 'invalid_grant';
    const { next, outcome } = lineOf(authorizationCodeMachine, code.state, 'exchange', {
      'ten minutes are over': now >= code.expiresAt,
      'the redirect_uri sent differs': false,
      // No client of the model has a key to prove.
      'the key of the proof differs': false,
      'the verifier is wrong': !isRight,
      'the member may no longer sign in': !code.member.isActive,
    });
    code.state = next;
    if (outcome === 'endSignIn' && code.signIn !== null) endSignIn(code.signIn, 'code_reused');
    if (outcome !== 'issueTokens') return 'invalid_grant';
    const { client, member, session, scope } = code;
    if (tokens !== undefined) code.signIn = addSignIn(world, { client, member, session, scope }, tokens);
    return 'tokens';
  });
  expect(got.map(errorOf).sort()).toEqual(wanted.sort());
  code.given += got.filter(({ status }) => status === 200).length;
}

const stateOf = ({ state, endReason, generation }: ModelSignIn, sent: number) => {
  if (state === 'ended') return endReason === 'expired' ? 'expired' : 'revoked';
  return sent === generation ? 'current' : 'superseded';
};

/** The outcomes that end a sign-in, and why it ended then. */
const ends: Readonly<Record<string, string>> = {
  endInactive: 'member_inactive',
  endExpired: 'expired',
  endReused: 'refresh_token_reused',
};

/** What a refresh must be told; the sign-in is moved on. */
function refreshed(world: World, signIn: ModelSignIn, sent: number, isWider: boolean): string {
  const { now } = world;
  const { client, member } = signIn;
  const lives = livesUntil(signIn);
  const state = stateOf(signIn, sent);
  const isReplay =
    sent === signIn.generation - 1 &&
    member.isActive &&
    now < Math.min(signIn.rotatedAt + client.replayWindow, lives);
  const { outcome } = lineOf(refreshTokenMachine, state, 'refresh', {
    'the member may no longer sign in': !member.isActive,
    'its lifetime is over': now >= lives,
    'the scope asked for is wider': isWider,
    "within the client's replay window, the scope asked for is wider": isReplay && isWider,
    "within the client's replay window": isReplay && !isWider,
  });
  const end = ends[outcome];
  if (end !== undefined) endSignIn(signIn, end);
  if (outcome === 'refuseScope') return 'invalid_scope';
  if (outcome === 'issueTokens') Object.assign(signIn, { generation: signIn.generation + 1, rotatedAt: now });
  return end !== undefined || outcome === 'refuse' ? 'invalid_grant' : 'tokens';
}

/** The client, or another, refreshes with one of the tokens of a sign-in; once or several times at once. */
export async function refresh(
  world: World,
  signIn: ModelSignIn,
  sent: number,
  by: ModelClient,
  { scope, count }: { readonly scope: string | null; readonly count: number },
): Promise<void> {
  const { service } = world;
  const text = signIn.refreshTokens[sent - 1] ?? '';
  const wasEnded = await isEnded(service, text.split('.')[0] ?? '');
  const more: Record<string, string> = scope === null ? {} : { scope };
  const got = await Promise.all(
    Array.from({ length: count }, () => refreshAs(service, host, appOf(by), text, more)),
  );
  const wider = (scope ?? '').split(' ').some((one) => one !== '' && !signIn.scope.split(' ').includes(one));
  const wanted = got.map(() => {
    if (by.isDisabled) return 'invalid_client';
    return by === signIn.client ? refreshed(world, signIn, sent, wider) : 'invalid_grant';
  });
  expect(got.map(errorOf).sort()).toEqual(wanted.sort());
  for (const answer of got.filter(({ status }) => status === 200)) {
    expect(wasEnded, 'an ended sign-in never yields a token').toBe(false);
    const tokens = answer.json<Tokens & Record<string, unknown>>();
    const next = String(tokens.refresh_token);
    expect(next).not.toBe(text);
    // However often one token is sent, it has one successor.
    expect(signIn.refreshTokens[sent] ?? next).toBe(next);
    signIn.refreshTokens[sent] = next;
    signIn.accessToken = tokens.access_token;
  }
}

/** The client, or another, revokes one of the tokens of a sign-in. */
export async function revokeToken(
  world: World,
  signIn: ModelSignIn,
  sent: number,
  by: ModelClient,
): Promise<void> {
  const body = { token: signIn.refreshTokens[sent - 1] ?? '', client_id: by.clientId };
  const answer = await revoke(world.service, host, body);
  expect(answer.status).toBe(by.isDisabled ? 401 : 200);
  if (by.isDisabled || by !== signIn.client) return;
  expect(answer.text).toBe('');
  const { outcome } = lineOf(refreshTokenMachine, stateOf(signIn, sent), 'revoke');
  if (outcome === 'endRevoked') endSignIn(signIn, 'revoked');
}

/** An app calls the member API with the newest access token that it was given (decisions 26 to 28). */
export async function callApi(world: World, signIn: ModelSignIn): Promise<void> {
  const { member, session, accessToken } = signIn;
  // A refresh may have narrowed the scope: a token without offline_access is tied to the session (decision 27).
  const scope = String(claimsOf(accessToken).scope);
  const answer = await profile(world.service, host, signIn.accessToken);
  const lives = scope.includes('offline_access') || sessionLives(world, session);
  const isGood = world.now < accessEndOf(signIn) && member.isActive && lives;
  expect(answer.status).toBe(isGood ? 200 : 401);
  if (isGood) expect(answer.json().id).toBe(member.id);
}
