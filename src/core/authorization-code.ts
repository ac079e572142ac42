/**
 * The authorization code: valid for ten minutes, exchanged once, by the client it was issued to, with the
 * verifier whose challenge began it. A second exchange means that the code leaked, so the sign-in that the
 * first one began ends too (RFC 6749 §4.1.2; decision 18).
 *
 * | state | event | condition | next state | outcomes |
 * |---|---|---|---|---|
 * | issued | exchange | ten minutes are over | expired | refuse |
 * | issued | exchange | the redirect_uri sent differs | issued | refuse |
 * | issued | exchange | the verifier is wrong | burned | refuse |
 * | issued | exchange | the member may no longer sign in | burned | refuse |
 * | issued | exchange | – | used | issueTokens |
 * | issued | cancel | – | burned | recordEnd |
 * | used | exchange | – | used | refuse, endSignIn |
 * | used | cancel | – | used | ignore |
 * | burned | exchange | – | burned | refuse |
 * | burned | cancel | – | burned | ignore |
 * | expired | exchange | – | expired | refuse |
 * | expired | cancel | – | expired | ignore |
 */
import { setup } from 'xstate';
import type { Client } from './client.ts';
import { type Decision, type Refusal, refusal, type Write } from './decision.ts';
import { authorizationCodeLifetime } from './limits.ts';
import { step } from './machine.ts';
import { type Member, maySignIn } from './members/member.ts';
import { verifierMatches } from './oidc/pkce.ts';
import type { Scope } from './oidc/scope.ts';
import { unusedCodeMemory } from './operators/limits.ts';
import { beginSignIn, endSignIn, isOffline, type SignIn } from './sign-in.ts';
import type { TokenGrant } from './tokens.ts';

export type AuthorizationCodeState = 'issued' | 'used' | 'burned' | 'expired';

/** A stored authorization code; the code itself is kept as its SHA-256. Times are ms since the epoch. */
export interface AuthorizationCode {
  readonly hash: string;
  readonly tenantId: string;
  readonly clientId: string;
  readonly memberId: string;
  readonly sessionId: string;
  readonly state: AuthorizationCodeState;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly scope: Scope;
  readonly nonce: string | null;
  readonly authenticatedAt: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The sign-in that the exchange began. */
  readonly signInId: string | null;
}

const outcome = () => {};

/** What was found by comparing what the client sent with the record. */
interface Proofs {
  readonly redirectUriDiffers: boolean;
  readonly verifierMatches: boolean;
  readonly memberIsActive: boolean;
}

export const authorizationCodeMachine = setup({
  types: {
    context: {} as { expiresAt: number },
    events: {} as ({ type: 'exchange'; now: number } & Proofs) | { type: 'cancel' },
  },
  guards: {
    'ten minutes are over': ({ context, event }) =>
      event.type === 'exchange' && event.now >= context.expiresAt,
    'the redirect_uri sent differs': ({ event }) => event.type === 'exchange' && event.redirectUriDiffers,
    'the verifier is wrong': ({ event }) => event.type === 'exchange' && !event.verifierMatches,
    'the member may no longer sign in': ({ event }) => event.type === 'exchange' && !event.memberIsActive,
  },
  actions: {
    issueTokens: outcome,
    refuse: outcome,
    endSignIn: outcome,
    recordEnd: outcome,
    ignore: outcome,
  },
}).createMachine({
  id: 'authorization code',
  context: { expiresAt: 0 },
  initial: 'issued',
  states: {
    issued: {
      on: {
        exchange: [
          { guard: 'ten minutes are over', target: 'expired', actions: 'refuse' },
          { guard: 'the redirect_uri sent differs', actions: 'refuse' },
          { guard: 'the verifier is wrong', target: 'burned', actions: 'refuse' },
          { guard: 'the member may no longer sign in', target: 'burned', actions: 'refuse' },
          { target: 'used', actions: 'issueTokens' },
        ],
        cancel: { target: 'burned', actions: 'recordEnd' },
      },
    },
    used: { on: { exchange: { actions: ['refuse', 'endSignIn'] }, cancel: { actions: 'ignore' } } },
    burned: { on: { exchange: { actions: 'refuse' }, cancel: { actions: 'ignore' } } },
    expired: { on: { exchange: { actions: 'refuse' }, cancel: { actions: 'ignore' } } },
  },
});

/** A code as it is issued, after the member was authenticated. */
export function issueAuthorizationCode(
  facts: Omit<AuthorizationCode, 'state' | 'issuedAt' | 'expiresAt' | 'signInId'>,
  now: number,
): AuthorizationCode {
  return {
    ...facts,
    state: 'issued',
    issuedAt: now,
    expiresAt: now + authorizationCodeLifetime,
    signInId: null,
  };
}

/** An exchange request, after its client was authenticated. */
export interface ExchangeCommand {
  readonly client: Client;
  /** The member the code was issued for, as stored now, or null if there is none any more. */
  readonly member: Member | null;
  /** The sign-in an earlier exchange began, or null. */
  readonly begun: SignIn | null;
  readonly codeVerifier: string | undefined;
  readonly redirectUri: string | undefined;
  readonly now: number;
  /** A fresh UUID for the sign-in that may begin. */
  readonly signInId: string;
}

const invalid = refusal(
  'invalid_grant',
  'the code is unknown, expired or already used, or its proof is wrong',
);

/**
 * Decides an exchange (RFC 6749 §4.1.3, RFC 7636 §4.6; decisions 17 to 20).
 *
 * A missing, malformed or wrong verifier from the right client burns the code; a redirect_uri that differs
 * is refused and leaves it.
 *
 * @param code the stored code, or null
 * @returns the tokens to sign, or `invalid_grant`
 */
export function exchange(
  code: AuthorizationCode | null,
  command: ExchangeCommand,
): Decision<TokenGrant | Refusal> {
  const { client, member, begun, now } = command;
  if (code === null || code.tenantId !== client.tenantId || code.clientId !== client.clientId) {
    return { answer: invalid, writes: [] };
  }
  const { state, outcomes } = step(authorizationCodeMachine, code.state, code, {
    type: 'exchange',
    now,
    redirectUriDiffers: command.redirectUri !== undefined && command.redirectUri !== code.redirectUri,
    verifierMatches: verifierMatches(command.codeVerifier, code.codeChallenge),
    memberIsActive: maySignIn(member, now),
  });
  const move = (signInId: string | null): readonly Write[] =>
    state === code.state
      ? []
      : [{ write: 'moveAuthorizationCode', hash: code.hash, from: code.state, to: state, signInId }];

  if (outcomes.includes('issueTokens') && member !== null) {
    const signIn = beginSignIn(familyOf(code, command.signInId), now);
    return {
      answer: {
        kind: 'tokens',
        client,
        member,
        scope: code.scope,
        sessionId: code.sessionId,
        authenticatedAt: code.authenticatedAt,
        nonce: code.nonce,
        refreshToken: isOffline(code) ? { signInId: signIn.id, generation: signIn.generation } : null,
        issuedAt: now,
      },
      writes: [{ write: 'insertSignIn', signIn }, ...move(signIn.id)],
    };
  }
  const ended = outcomes.includes('endSignIn') && begun !== null ? endSignIn(begun, 'code_reused', now) : [];
  return { answer: invalid, writes: [...move(null), ...ended] };
}

/** Ends a code that was not exchanged yet: its member signs out everywhere, or may no longer sign in. */
export function cancelAuthorizationCode(code: AuthorizationCode): readonly Write[] {
  const { state } = step(authorizationCodeMachine, code.state, code, { type: 'cancel' });
  if (state === code.state) return [];
  return [{ write: 'moveAuthorizationCode', hash: code.hash, from: code.state, to: state, signInId: null }];
}

/** Whether a code may be forgotten by itself; one that was used is remembered with its sign-in (decision 18). */
export function isUnusedCodeForgotten(
  { state, expiresAt }: Pick<AuthorizationCode, 'state' | 'expiresAt'>,
  now: number,
): boolean {
  return state !== 'used' && now >= expiresAt + unusedCodeMemory;
}

function familyOf(code: AuthorizationCode, id: string) {
  const { tenantId, clientId, memberId, sessionId, scope, authenticatedAt } = code;
  return { id, tenantId, clientId, memberId, sessionId, scope, authenticatedAt };
}
