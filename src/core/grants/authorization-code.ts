/**
 * The authorization code: valid for ten minutes, exchanged once, by the client it was issued to, with the
 * verifier whose challenge began it. A second exchange means that the code leaked, so the sign-in that the
 * first one began ends too (RFC 6749 §4.1.2; decision 18).
 */
import { type Decision, isRefusal, type Refusal, refusal } from '../decision.ts';
import { authorizationCodeLifetime } from '../limits.ts';
import { machineOf, type StateOf, step } from '../machine.ts';
import { maySignIn } from '../members/member.ts';
import type { KeptClaims } from '../oidc/request/claims-parameter.ts';
import { verifierMatches } from '../oidc/request/pkce.ts';
import { chooseAudience, type Resources } from '../oidc/request/resource.ts';
import type { Scope } from '../oidc/scope.ts';
import { unusedCodeMemory } from '../operators/limits.ts';
import type { Rule } from '../refusals/rule.ts';
import { endSignIn, type SignIn, type SignInWrite } from './sign-in.ts';
import { type Beginning, beginWithTokens, type TokenGrant } from './tokens.ts';

type AuthorizationCodeState = StateOf<typeof authorizationCodeMachine>;

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
  readonly resources: Resources;
  readonly nonce: string | null;
  /** The claims that the request asked for by name. */
  readonly claims: KeptClaims | null;
  /** Thumbprint of the key that alone may exchange it (`dpop_jkt`, RFC 9449 §10); null where none was named. */
  readonly dpopJkt: string | null;
  readonly authenticatedAt: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The sign-in that the exchange began. */
  readonly signInId: string | null;
}

/** An exchange, with what was found by comparing what the client sent with the record. */
interface ExchangeEvent {
  readonly type: 'exchange';
  readonly now: number;
  readonly redirectUriDiffers: boolean;
  readonly keyDiffers: boolean;
  readonly verifierMatches: boolean;
  readonly memberIsActive: boolean;
}

export const authorizationCodeMachine = machineOf({
  id: 'authorization code',
  context: {} as { expiresAt: number },
  event: {} as ExchangeEvent | { type: 'cancel' },
  conditions: {
    'ten minutes are over': ({ context, event }) =>
      event.type === 'exchange' && event.now >= context.expiresAt,
    'the redirect_uri sent differs': ({ event }) => event.type === 'exchange' && event.redirectUriDiffers,
    'the key of the proof differs': ({ event }) => event.type === 'exchange' && event.keyDiffers,
    'the verifier is wrong': ({ event }) => event.type === 'exchange' && !event.verifierMatches,
    'the member may no longer sign in': ({ event }) => event.type === 'exchange' && !event.memberIsActive,
  },
  lines: [
    ['issued', 'exchange', 'ten minutes are over', 'expired', 'refuseExpired'],
    ['issued', 'exchange', 'the redirect_uri sent differs', '–', 'refuseRedirectUri'],
    ['issued', 'exchange', 'the key of the proof differs', '–', 'refuseKey'],
    ['issued', 'exchange', 'the verifier is wrong', 'burned', 'refuseVerifier'],
    ['issued', 'exchange', 'the member may no longer sign in', 'burned', 'refuseInactive'],
    ['issued', 'exchange', '–', 'used', 'issueTokens'],
    ['issued', 'cancel', '–', 'burned', 'recordEnd'],
    ['used', 'exchange', '–', '–', 'endSignIn'],
    ['used', 'cancel', '–', '–', 'ignore'],
    ['burned', 'exchange', '–', '–', 'refuseBurned'],
    ['burned', 'cancel', '–', '–', 'ignore'],
    ['expired', 'exchange', '–', '–', 'refuseExpired'],
    ['expired', 'cancel', '–', '–', 'ignore'],
  ],
});

export type AuthorizationCodeWrite =
  | { readonly write: 'insertAuthorizationCode'; readonly code: AuthorizationCode }
  | {
      readonly write: 'moveAuthorizationCode';
      readonly hash: string;
      readonly from: AuthorizationCodeState;
      readonly to: AuthorizationCodeState;
      readonly signInId: string | null;
    };

/** A code as it is issued, after the member was authenticated. */
export function issueAuthorizationCode(
  facts: Omit<AuthorizationCode, 'state' | 'issuedAt' | 'expiresAt' | 'signInId'>,
  now: number,
  lifetime = authorizationCodeLifetime,
): AuthorizationCode {
  return {
    ...facts,
    state: 'issued',
    issuedAt: now,
    expiresAt: now + lifetime,
    signInId: null,
  };
}

/** An exchange request, after its client was authenticated. */
export interface ExchangeCommand extends Beginning {
  /** The sign-in an earlier exchange began, or null. */
  readonly begun: SignIn | null;
  readonly codeVerifier: string | undefined;
  readonly redirectUri: string | undefined;
}

type Exchange = Decision<TokenGrant | Refusal, AuthorizationCodeWrite | SignInWrite>;

const answer = refusal(
  'invalid_grant',
  'the code is unknown, expired or already used, or its proof is wrong',
);

const refused = (rule: Rule, reason: string, writes: Exchange['writes'] = []): Exchange => ({
  answer,
  writes,
  because: { event: 'code_refused', rule, reason },
});

/**
 * Decides an exchange (RFC 6749 §4.1.3, RFC 7636 §4.6; decisions 17 to 20).
 *
 * A missing, malformed or wrong verifier from the right client burns the code; a redirect_uri that differs
 * is refused and leaves it, as is a proof of another key than the one that the request named, or no proof.
 *
 * @param code the stored code, or null
 * @returns the tokens to sign, or `invalid_grant`
 */
export function exchange(code: AuthorizationCode | null, command: ExchangeCommand): Exchange {
  const { client, member, now, codeVerifier, redirectUri, jkt } = command;
  if (code === null) return refused('code_unknown', 'the code is unknown');
  if (code.tenantId !== client.tenantId || code.clientId !== client.clientId) {
    return refused('grant_of_another_client', 'the code was issued to another client');
  }
  const { state, outcome } = step(authorizationCodeMachine, code.state, code, {
    type: 'exchange',
    now,
    redirectUriDiffers: redirectUri !== undefined && redirectUri !== code.redirectUri,
    keyDiffers: code.dpopJkt !== null && code.dpopJkt !== jkt,
    verifierMatches: verifierMatches(codeVerifier, code.codeChallenge),
    memberIsActive: maySignIn(member, now),
  });
  const moved = moveTo(code, state);
  switch (outcome) {
    case 'issueTokens':
      return tokensFor(code, command);
    case 'refuseExpired':
      return refused('code_expired', 'the code is too old', moved);
    case 'refuseRedirectUri':
      return refused('code_redirect_uri_differs', 'the redirect_uri differs', moved);
    case 'refuseKey':
      return refused(
        'grant_of_another_key',
        'the key of the DPoP proof is not the one that the code is bound to',
        moved,
      );
    case 'refuseVerifier':
      return codeVerifier === undefined
        ? refused('code_verifier_missing', 'the code_verifier is missing', moved)
        : refused('code_verifier_wrong', 'the code_verifier is wrong', moved);
    case 'refuseInactive':
      return refused('member_inactive', 'the member may no longer sign in', moved);
    case 'refuseBurned':
      return refused('code_ended', 'the code had ended before', moved);
    case 'endSignIn':
      return reused(command);
  }
}

function tokensFor(code: AuthorizationCode, command: ExchangeCommand): Exchange {
  const audience = chooseAudience(code.resources, command.client, command.target);
  // Nothing was wrong with the code: the client may name another API.
  if (isRefusal(audience))
    return {
      ...refused('resource_not_granted', 'the resource was not granted, or is gone'),
      answer: audience,
    };
  const { answer, writes } = beginWithTokens({ ...code, api: audience.api }, command);
  return { answer, writes: [...writes, ...moveTo(code, 'used', command.signInId)] };
}

function reused({ begun, now }: ExchangeCommand): Exchange {
  const writes = begun === null ? [] : endSignIn(begun, 'code_reused', now);
  const end = writes.length === 0 ? '' : ': the sign-in that it began has ended';
  const reason = `the code was exchanged before${end}`;
  return { answer, writes, because: { event: 'code_reused', rule: 'code_reused', reason } };
}

/** Ends a code that was not exchanged yet: its member signs out everywhere, or may no longer sign in. */
export function cancelAuthorizationCode(code: AuthorizationCode): readonly AuthorizationCodeWrite[] {
  return moveTo(code, step(authorizationCodeMachine, code.state, code, { type: 'cancel' }).state);
}

function moveTo(
  { hash, state: from }: AuthorizationCode,
  to: AuthorizationCodeState,
  signInId: string | null = null,
): readonly AuthorizationCodeWrite[] {
  return from === to ? [] : [{ write: 'moveAuthorizationCode', hash, from, to, signInId }];
}

/** Whether a code may be forgotten by itself; one that was used is remembered with its sign-in (decision 18). */
export function isUnusedCodeForgotten(
  { state, expiresAt }: Pick<AuthorizationCode, 'state' | 'expiresAt'>,
  now: number,
): boolean {
  return state !== 'used' && now >= expiresAt + unusedCodeMemory;
}
