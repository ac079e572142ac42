/**
 * The refresh token: usable once. Using it makes the next one; using an old one means that two parties hold
 * the same token, one of whom stole it, and since the service cannot tell which, the whole sign-in ends: the thief's
 * token and the member's stop working together, and the member signs in again (contract, "Refresh token";
 * RFC 9700 §4.14.2).
 *
 * A token is `signInId.generation.mac`. The sign-in's row holds the generation that is current, so an old
 * token is recognised however long ago it was replaced, without a row for each. The mac is HMAC-SHA-256 under
 * the tenant's token key, which is nowhere in the database in clear: what does not carry it was never issued,
 * and changes nothing.
 */
import type { Client } from '../client.ts';
import { type Decision, isRefusal, type Refusal, refusal } from '../decision.ts';
import { equalInConstantTime, hmac, type MacKey } from '../hash.ts';
import { machineOf, type StateOf, step } from '../machine.ts';
import { type Member, maySignIn } from '../members/member.ts';
import { chooseAudience, scopeAt, type Target } from '../oidc/request/resource.ts';
import { narrowScope, scopeCovers } from '../oidc/scope.ts';
import type { Rule } from '../refusals/rule.ts';
import { classOfReuse, type Holder, wordsOfReuse } from './reuse.ts';
import {
  bindSignIn,
  endSignIn,
  holderIn,
  livesUntil,
  rotateSignIn,
  type SignIn,
  type SignInEnd,
  type SignInWrite,
} from './sign-in.ts';
import type { RefreshToken, TokenGrant } from './tokens.ts';

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

export const refreshTokenMachine = machineOf({
  id: 'refresh token',
  context: {} as Life,
  event: {} as ({ type: 'refresh' } & Facts) | { type: 'revoke' },
  conditions: {
    'the member may no longer sign in': ({ event }) => event.type === 'refresh' && !event.memberIsActive,
    'its lifetime is over': ({ context, event }) =>
      event.type === 'refresh' && event.now >= context.livesUntil,
    'the scope asked for is wider': ({ event }) => event.type === 'refresh' && event.scopeIsWider,
    "within the client's replay window, the scope asked for is wider": ({ context, event }) =>
      event.type === 'refresh' && event.scopeIsWider && isReplayable(context, event),
    "within the client's replay window": ({ context, event }) =>
      event.type === 'refresh' && isReplayable(context, event),
  },
  lines: [
    ['current', 'refresh', 'the member may no longer sign in', 'revoked', 'endInactive'],
    ['current', 'refresh', 'its lifetime is over', 'expired', 'endExpired'],
    ['current', 'refresh', 'the scope asked for is wider', '–', 'refuseScope'],
    ['current', 'refresh', '–', 'superseded', 'issueTokens'],
    ['current', 'revoke', '–', 'revoked', 'endRevoked'],
    [
      'superseded',
      'refresh',
      "within the client's replay window, the scope asked for is wider",
      '–',
      'refuseScope',
    ],
    ['superseded', 'refresh', "within the client's replay window", '–', 'replayTokens'],
    ['superseded', 'refresh', '–', 'revoked', 'endReused'],
    ['superseded', 'revoke', '–', 'revoked', 'endRevoked'],
    [['revoked', 'expired'], 'refresh', '–', '–', 'refuse'],
    [['revoked', 'expired'], 'revoke', '–', '–', 'ignore'],
  ],
});

/** A refresh request, after its client was authenticated. */
export interface RefreshCommand {
  readonly client: Client;
  /** null for what is no refresh token of the tenant. */
  readonly token: RefreshToken | null;
  /** The member of the sign-in as stored now, or null if there is none any more. */
  readonly member: Member | null;
  /** The scope asked for, or undefined for the same as before. */
  readonly scope: string | undefined;
  /** Thumbprint of the key that the request proved to hold; null where it proved none. */
  readonly jkt: string | null;
  /** What the request says of its audience; left out where neither it nor the sign-in names one. */
  readonly target?: Target;
  /** Where the request comes from; left out where that is not known. */
  readonly holder?: Holder;
  /** Whether it is known that the answer with the current token never left; left out where it did, or that is not known. */
  readonly isAnswerLost?: boolean;
  readonly now: number;
}

type Refresh = Decision<TokenGrant | Refusal, SignInWrite>;

const unusable = refusal('invalid_grant', 'the refresh token is unknown, expired, revoked or already used');
const otherKey = 'the refresh token is bound to another key than that of the DPoP proof';
const wider = refusal('invalid_scope', 'a refresh may narrow the scope, not widen it');

/**
 * Decides a refresh request (RFC 6749 §6; decisions 17, 24, 25, 28).
 *
 * What scope an answer was narrowed to is not stored: a replay is for the scope that it asks for itself, and
 * one that asks for none is for all of the sign-in's. A client that narrowed repeats its request as it was.
 *
 * A token that is bound to a key is as good as unknown without a proof of that key, and nothing ends: a thief of the token
 * without the key cannot use it, and should not be able to sign the member out with it either (RFC 9449 §5).
 *
 * @param signIn the sign-in that the token names, or null
 * @returns the tokens to sign, or `invalid_grant`, or `invalid_scope` or `invalid_target` which change nothing
 */
export function refresh(signIn: SignIn | null, command: RefreshCommand): Refresh {
  const { client, token, member, jkt, now, holder } = command;
  if (token === null) return refused(null, 'refresh_token_foreign', 'this is no refresh token of the tenant');
  if (signIn === null) return refused(null, 'sign_in_unknown', 'the sign-in of the refresh token is unknown');
  if (!belongsTo(signIn, client))
    return refused(signIn, 'grant_of_another_client', 'the refresh token was issued to another client');
  if (signIn.dpopJkt !== null && signIn.dpopJkt !== jkt)
    return refused(signIn, 'grant_of_another_key', otherKey);
  // Blank is as good as absent (decision 11).
  const asked = command.scope?.trim() ?? '';
  const audience = chooseAudience(signIn.resources, client, command.target);
  const scope = asked === '' ? signIn.scope : narrowScope(signIn.scope, asked);
  const isNothing = !isRefusal(audience) && scopeAt(scope, audience.api) === '';
  const { outcome } = step(refreshTokenMachine, stateOf(token, signIn), lifeOf(token, signIn, client), {
    type: 'refresh',
    memberIsActive: maySignIn(member, now),
    // More is asked for than was granted: of the scope, or of the APIs.
    scopeIsWider: !scopeCovers(signIn.scope, asked) || isRefusal(audience) || isNothing,
    now,
  });
  const ended = (end: SignInEnd, rule: Rule, reason: string): Refresh =>
    refused(signIn, rule, reason, endSignIn(signIn, end, now));
  switch (outcome) {
    case 'issueTokens':
    case 'replayTokens': {
      if (member === null) throw new Error('a member who is gone may not sign in');
      if (isRefusal(audience)) throw new Error('a resource was granted that was refused');
      const { sessionId, authenticatedAt, claims } = signIn;
      const refreshToken = { signInId: signIn.id, generation: token.generation + 1 };
      const about = { client, member, scope, api: audience.api, sessionId, authenticatedAt, claims, jkt };
      return {
        answer: { kind: 'tokens', ...about, nonce: null, issuedAt: now, refreshToken },
        writes: [
          ...(outcome === 'issueTokens' ? rotateSignIn(signIn, now, holder) : []),
          ...bindSignIn(signIn, client, jkt),
        ],
      };
    }
    case 'refuse':
      return refused(signIn, 'sign_in_ended', `the sign-in had ended: ${signIn.endReason}`);
    case 'refuseScope':
      if (!isRefusal(audience))
        return { ...refused(signIn, 'scope_wider', 'the scope asked for is wider'), answer: wider };
      return {
        ...refused(signIn, 'resource_not_granted', 'the resource was not granted, or is gone'),
        answer: audience,
      };
    case 'endInactive':
      return ended('member_inactive', 'member_inactive', 'the member may no longer sign in');
    case 'endExpired':
      return ended('expired', 'sign_in_expired', 'the sign-in is too old, and has ended');
    case 'endReused':
      return endedByReuse(token, signIn, command);
  }
}

/** What came back ends the sign-in, whatever it most likely was: that is for those who look into it. */
function endedByReuse(
  token: RefreshToken,
  signIn: SignIn,
  { holder, isAnswerLost = false, now }: RefreshCommand,
): Refresh {
  const behind = signIn.generation - token.generation;
  const since = Math.max(0, now - signIn.rotatedAt);
  const reuse = classOfReuse({ behind, since, from: holder ?? null, lastTo: holderIn(signIn), isAnswerLost });
  const reason = `${ageOfReused(behind, since)}; ${wordsOfReuse(reuse)}`;
  const ended = refused(
    signIn,
    'refresh_token_reused',
    reason,
    endSignIn(signIn, 'refresh_token_reused', now, reuse.kind),
  );
  return ended.because === undefined ? ended : { ...ended, because: { ...ended.because, reuse: reuse.kind } };
}

function refused(signIn: SignIn | null, rule: Rule, reason: string, writes: Refresh['writes'] = []): Refresh {
  const because = { event: 'refresh_refused', target: signIn?.id ?? null, rule, reason } as const;
  return { answer: unusable, writes, because };
}

/** How old a refresh token is that came back: what tells a thief from a client that lost an answer. */
function ageOfReused(behind: number, ms: number): string {
  const seconds = Math.round(ms / 1_000);
  // Of older ones no more is known than that the last rotation came after theirs.
  const since = behind === 1 ? `superseded ${seconds} s ago` : `superseded more than ${seconds} s ago`;
  return `a refresh token ${behind} ${behind === 1 ? 'generation' : 'generations'} old, ${since}`;
}

/**
 * Decides a revocation request: the current token and a superseded one end the sign-in; anything else
 * changes nothing (RFC 7009 §2.1; decision 35).
 */
export function revoke(
  signIn: SignIn | null,
  { client, token, now }: Pick<RefreshCommand, 'client' | 'token' | 'now'>,
): readonly SignInWrite[] {
  if (token === null || signIn === null || !belongsTo(signIn, client)) return [];
  const life = lifeOf(token, signIn, client);
  const { outcome } = step(refreshTokenMachine, stateOf(token, signIn), life, { type: 'revoke' });
  return outcome === 'endRevoked' ? endSignIn(signIn, 'revoked', now) : [];
}

/** Whether a refresh token would give tokens now: the current one of a sign-in that lives. Asking changes nothing. */
export function isLiveRefreshToken(
  signIn: SignIn,
  {
    client,
    token,
    member,
    now,
  }: Pick<RefreshCommand, 'client' | 'member' | 'now'> & { readonly token: RefreshToken },
): boolean {
  const isCurrent = stateOf(token, signIn) === 'current';
  return isCurrent && belongsTo(signIn, client) && maySignIn(member, now) && now < livesUntil(signIn, client);
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
function stateOf(token: RefreshToken, signIn: SignIn): StateOf<typeof refreshTokenMachine> {
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
