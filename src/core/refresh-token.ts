/**
 * The refresh token: usable once. Using it makes the next one; using an old one means that two parties hold
 * the same token, one of whom stole it, and since nobody can tell which, the whole sign-in ends: the thief's
 * token and the member's stop working together, and the member signs in again (contract, "Refresh token";
 * RFC 9700 §4.14.2).
 *
 * A token is `signInId.generation.mac`. The sign-in's row holds the generation that is current, so an old
 * token is recognised however long ago it was replaced, without a row for each. The mac is HMAC-SHA-256 under
 * the tenant's token key, which is nowhere in the database in clear: what does not carry it was never issued,
 * and changes nothing.
 *
 * | state | event | condition | next state | outcomes |
 * |---|---|---|---|---|
 * | current | refresh | the member may no longer sign in | revoked | refuse, endSignIn |
 * | current | refresh | its lifetime is over | expired | refuse, endSignIn |
 * | current | refresh | the scope asked for is wider | current | refuseScope |
 * | current | refresh | – | superseded | issueTokens |
 * | current | revoke | – | revoked | endSignIn |
 * | superseded | refresh | within the client's replay window, the scope asked for is wider | superseded | refuseScope |
 * | superseded | refresh | within the client's replay window | superseded | replayTokens |
 * | superseded | refresh | – | revoked | refuse, endSignIn |
 * | superseded | revoke | – | revoked | endSignIn |
 * | revoked | refresh | – | revoked | refuse |
 * | revoked | revoke | – | revoked | ignore |
 * | expired | refresh | – | expired | refuse |
 * | expired | revoke | – | expired | ignore |
 */
import { setup } from 'xstate';
import type { Client } from './client.ts';
import { type Decision, type Refusal, refusal } from './decision.ts';
import { equalInConstantTime, hmac, type MacKey } from './hash.ts';
import { step } from './machine.ts';
import { type Member, maySignIn } from './members/member.ts';
import { readScope, scopeCovers } from './oidc/scope.ts';
import { endSignIn, livesUntil, rotateSignIn, type SignIn, type SignInEnd } from './sign-in.ts';
import type { TokenGrant } from './tokens.ts';

/** What a genuine refresh token says: which sign-in it belongs to, and which generation it is. */
export interface RefreshToken {
  readonly signInId: string;
  readonly generation: number;
}

const outcome = () => {};

interface Facts {
  readonly memberIsActive: boolean;
  readonly scopeIsWider: boolean;
  readonly now: number;
}

interface Life {
  readonly livesUntil: number;
  readonly replayableUntil: number;
}

const isReplayable = ({ livesUntil, replayableUntil }: Life, { memberIsActive, now }: Facts): boolean =>
  memberIsActive && now < Math.min(replayableUntil, livesUntil);

export const refreshTokenMachine = setup({
  types: {
    context: {} as Life,
    events: {} as ({ type: 'refresh' } & Facts) | { type: 'revoke' },
  },
  guards: {
    'the member may no longer sign in': ({ event }) => event.type === 'refresh' && !event.memberIsActive,
    'its lifetime is over': ({ context, event }) =>
      event.type === 'refresh' && event.now >= context.livesUntil,
    'the scope asked for is wider': ({ event }) => event.type === 'refresh' && event.scopeIsWider,
    "within the client's replay window, the scope asked for is wider": ({ context, event }) =>
      event.type === 'refresh' && event.scopeIsWider && isReplayable(context, event),
    "within the client's replay window": ({ context, event }) =>
      event.type === 'refresh' && isReplayable(context, event),
  },
  actions: {
    issueTokens: outcome,
    replayTokens: outcome,
    refuse: outcome,
    refuseScope: outcome,
    endSignIn: outcome,
    ignore: outcome,
  },
}).createMachine({
  id: 'refresh token',
  context: { livesUntil: 0, replayableUntil: 0 },
  initial: 'current',
  states: {
    current: {
      on: {
        refresh: [
          {
            guard: 'the member may no longer sign in',
            target: 'revoked',
            actions: ['refuse', 'endSignIn'],
          },
          { guard: 'its lifetime is over', target: 'expired', actions: ['refuse', 'endSignIn'] },
          { guard: 'the scope asked for is wider', actions: 'refuseScope' },
          { target: 'superseded', actions: 'issueTokens' },
        ],
        revoke: { target: 'revoked', actions: 'endSignIn' },
      },
    },
    superseded: {
      on: {
        refresh: [
          {
            guard: "within the client's replay window, the scope asked for is wider",
            actions: 'refuseScope',
          },
          { guard: "within the client's replay window", actions: 'replayTokens' },
          { target: 'revoked', actions: ['refuse', 'endSignIn'] },
        ],
        revoke: { target: 'revoked', actions: 'endSignIn' },
      },
    },
    revoked: { on: { refresh: { actions: 'refuse' }, revoke: { actions: 'ignore' } } },
    expired: { on: { refresh: { actions: 'refuse' }, revoke: { actions: 'ignore' } } },
  },
});

/** A refresh request, after its client was authenticated. */
export interface RefreshCommand {
  readonly client: Client;
  readonly token: RefreshToken;
  /** The member of the sign-in as stored now, or null if there is none any more. */
  readonly member: Member | null;
  /** The scope asked for, or undefined for the same as before. */
  readonly scope: string | undefined;
  readonly now: number;
}

/** The answer to a refresh token that is not usable, whatever the reason. */
export const unknownToken = refusal(
  'invalid_grant',
  'the refresh token is unknown, expired, revoked or already used',
);

/**
 * Decides a refresh request (RFC 6749 §6; decisions 17, 24, 25, 28).
 *
 * What scope an answer was narrowed to is not stored: a replay is for the scope that it asks for itself, and
 * one that asks for none is for all of the sign-in's. A client that narrowed repeats its request as it was.
 *
 * @param signIn the sign-in that the token names, or null
 * @returns the tokens to sign, or `invalid_grant`, or `invalid_scope` which changes nothing
 */
export function refresh(signIn: SignIn | null, command: RefreshCommand): Decision<TokenGrant | Refusal> {
  const { client, token, member, now } = command;
  if (signIn === null || !belongsTo(signIn, client)) return { answer: unknownToken, writes: [] };
  // Blank is as good as absent (decision 11).
  const asked = command.scope?.trim() ?? '';
  const scope = asked === '' ? signIn.scope : readScope(asked);
  const { outcomes } = step(refreshTokenMachine, stateOf(token, signIn), lifeOf(token, signIn, client), {
    type: 'refresh',
    memberIsActive: maySignIn(member, now),
    scopeIsWider: !scopeCovers(signIn.scope, asked),
    now,
  });
  if (outcomes.includes('refuseScope')) {
    return { answer: refusal('invalid_scope', 'a refresh may narrow the scope, not widen it'), writes: [] };
  }
  const rotates = outcomes.includes('issueTokens');
  if (member !== null && (rotates || outcomes.includes('replayTokens'))) {
    return {
      answer: {
        kind: 'tokens',
        client,
        member,
        scope,
        sessionId: signIn.sessionId,
        authenticatedAt: signIn.authenticatedAt,
        nonce: null,
        refreshToken: { signInId: signIn.id, generation: token.generation + 1 },
        issuedAt: now,
      },
      writes: rotates ? rotateSignIn(signIn, now) : [],
    };
  }
  const reason = reasonOf(stateOf(token, signIn), member, now);
  return {
    answer: unknownToken,
    writes: outcomes.includes('endSignIn') ? endSignIn(signIn, reason, now) : [],
  };
}

/**
 * Decides a revocation request: the current token and a superseded one end the sign-in; anything else
 * changes nothing (RFC 7009 §2.1; decision 35).
 */
export function revoke(
  signIn: SignIn | null,
  command: Pick<RefreshCommand, 'client' | 'token' | 'now'>,
): Decision<null> {
  const { client, token, now } = command;
  if (signIn === null || !belongsTo(signIn, client)) return { answer: null, writes: [] };
  const state = stateOf(token, signIn);
  const { outcomes } = step(refreshTokenMachine, state, lifeOf(token, signIn, client), { type: 'revoke' });
  return {
    answer: null,
    writes: outcomes.includes('endSignIn') ? endSignIn(signIn, 'revoked', now) : [],
  };
}

/** The text of a refresh token, given its tenant's token key. */
export function writeRefreshToken(key: MacKey, token: RefreshToken): string {
  const head = `${token.signInId}.${token.generation}`;
  return `${head}.${hmac(key, 'refresh token', head).toString('base64url')}`;
}

/** Reads a refresh token; null for anything that this tenant did not issue. */
export function readRefreshToken(key: MacKey, text: string): RefreshToken | null {
  const match = /^([0-9a-f-]{36})\.([1-9]\d{0,14})\.[\w-]{43}$/.exec(text);
  if (match === null) return null;
  const token = { signInId: String(match[1]), generation: Number(match[2]) };
  return equalInConstantTime(text, writeRefreshToken(key, token)) ? token : null;
}

function belongsTo(signIn: SignIn, client: Client): boolean {
  return signIn.tenantId === client.tenantId && signIn.clientId === client.clientId;
}

/** A token's state is not stored: it follows from its sign-in's row. */
function stateOf(token: RefreshToken, signIn: SignIn): string {
  if (signIn.state === 'ended') return signIn.endReason === 'expired' ? 'expired' : 'revoked';
  return token.generation === signIn.generation ? 'current' : 'superseded';
}

function lifeOf(token: RefreshToken, signIn: SignIn, client: Client): Life {
  const isPrevious = token.generation === signIn.generation - 1;
  return {
    livesUntil: livesUntil(signIn, client),
    replayableUntil: isPrevious ? signIn.rotatedAt + client.replayWindow : 0,
  };
}

function reasonOf(state: string, member: Member | null, now: number): SignInEnd {
  if (state === 'superseded') return 'refresh_token_reused';
  return maySignIn(member, now) ? 'expired' : 'member_inactive';
}
