/**
 * The sign-in: the family of tokens that one code exchange or one approval begins. Its row is the truth
 * about revocation: one update ends every refresh token it ever gave out.
 */
import type { Client } from '../client.ts';
import { machineOf, type StateOf, step } from '../machine.ts';
import type { KeptClaims } from '../oidc/request/claims-parameter.ts';
import type { Resources } from '../oidc/request/resource.ts';
import { type Scope, scopeIncludes } from '../oidc/scope.ts';
import { type Session, sessionLives } from '../session.ts';
import type { Holder, ReuseClass } from './reuse.ts';

type SignInState = StateOf<typeof signInMachine>;

/** Why a sign-in ended; kept for the audit and the member's account page. */
export type SignInEnd =
  | 'client_disabled'
  | 'code_reused'
  | 'device_code_reused'
  | 'expired'
  | 'keys_lost'
  | 'member_inactive'
  | 'refresh_token_reused'
  | 'restored'
  | 'revoked'
  | 'signed_out'
  | 'too_many';

/** A stored sign-in. Times are ms since the epoch. */
export interface SignIn {
  readonly id: string;
  readonly tenantId: string;
  readonly clientId: string;
  readonly memberId: string;
  /** The browser session it was begun in; without offline_access its tokens live no longer (decision 27). */
  readonly sessionId: string;
  readonly state: SignInState;
  readonly scope: Scope;
  readonly resources: Resources;
  /** The generation of the one refresh token that is current; every lower one is superseded. */
  readonly generation: number;
  readonly authenticatedAt: number;
  readonly createdAt: number;
  readonly rotatedAt: number;
  readonly endedAt: number | null;
  readonly endReason: SignInEnd | null;
  /** The name that the member gave this TV or app. */
  readonly label: string | null;
  /** The claims that its request asked for by name, beside those of the scope. */
  readonly claims: KeptClaims | null;
  /** Thumbprint of the key that its refresh tokens are bound to; null where they are not (RFC 9449 §5). */
  readonly dpopJkt: string | null;
  /** Where its current refresh token was given to (`Holder`); null of those from before this was kept, and once erased. */
  readonly holderNetwork: string | null;
  readonly holderProgram: string | null;
  /** What the return of a used refresh token most likely was, where that ended it. */
  readonly reuse: ReuseClass | null;
}

export const signInMachine = machineOf({
  id: 'sign-in',
  context: {},
  event: {} as { type: 'rotate' } | { type: 'end' },
  conditions: {},
  lines: [
    ['active', 'rotate', '–', '–', 'advanceGeneration'],
    ['active', 'end', '–', 'ended', 'recordEnd'],
    ['ended', 'rotate', '–', '–', 'refuse'],
    ['ended', 'end', '–', '–', 'ignore'],
  ],
});

export type SignInWrite =
  | { readonly write: 'insertSignIn'; readonly signIn: SignIn }
  | {
      readonly write: 'rotateSignIn';
      readonly id: string;
      readonly from: number;
      readonly to: number;
      readonly at: number;
      readonly holder?: Holder;
    }
  | { readonly write: 'bindSignIn'; readonly id: string; readonly dpopJkt: string }
  | {
      readonly write: 'endSignIn';
      readonly id: string;
      readonly reason: SignInEnd;
      readonly at: number;
      readonly reuse?: ReuseClass;
    };

/** A sign-in as it begins: the first refresh token is generation 1. */
export function beginSignIn(
  facts: Pick<
    SignIn,
    | 'id'
    | 'tenantId'
    | 'clientId'
    | 'memberId'
    | 'sessionId'
    | 'scope'
    | 'resources'
    | 'authenticatedAt'
    | 'dpopJkt'
  > &
    Partial<Pick<SignIn, 'claims'>> & { readonly holder?: Holder | undefined },
  now: number,
): SignIn {
  const { holder, ...own } = facts;
  return {
    ...own,
    state: 'active',
    generation: 1,
    createdAt: now,
    rotatedAt: now,
    endedAt: null,
    endReason: null,
    label: null,
    claims: facts.claims ?? null,
    ...storedHolder(holder),
    reuse: null,
  };
}

/** A holder as its sign-in has it. */
export const storedHolder = (
  holder: Holder | undefined,
): Pick<SignIn, 'holderNetwork' | 'holderProgram'> => ({
  holderNetwork: holder?.network ?? null,
  holderProgram: holder?.program ?? null,
});

/** Whom the current refresh token of a sign-in was given to; null where that is not known. */
export function holderIn({
  holderNetwork: network,
  holderProgram: program,
}: Pick<SignIn, 'holderNetwork' | 'holderProgram'>): Holder | null {
  return network === null || program === null ? null : { network, program };
}

/**
 * Ends a sign-in; ending one that has ended keeps the first reason and writes nothing.
 *
 * @param reuse where a used refresh token came back: what that most likely was
 */
export function endSignIn(
  signIn: SignIn,
  reason: SignInEnd,
  now: number,
  reuse?: ReuseClass,
): readonly SignInWrite[] {
  const { outcome } = step(signInMachine, signIn.state, {}, { type: 'end' });
  if (outcome !== 'recordEnd') return [];
  return [{ write: 'endSignIn', id: signIn.id, reason, at: now, ...(reuse === undefined ? {} : { reuse }) }];
}

/** Makes the next generation current; an ended sign-in has no next one. @param holder whom it is given to */
export function rotateSignIn(
  { id, state, generation: from }: SignIn,
  now: number,
  holder?: Holder,
): readonly SignInWrite[] {
  const { outcome } = step(signInMachine, state, {}, { type: 'rotate' });
  if (outcome !== 'advanceGeneration') throw new Error('an ended sign-in was asked to rotate');
  const to = { at: now, ...(holder === undefined ? {} : { holder }) };
  return [{ write: 'rotateSignIn', id, from, to: from + 1, ...to }];
}

/**
 * Binds the refresh tokens of a sign-in to the key of a proof, once and for good, where its client is a public one: a
 * confidential client's are bound to its authentication already (RFC 9449 §5).
 */
export function bindSignIn(
  { id, dpopJkt }: Pick<SignIn, 'id' | 'dpopJkt'>,
  client: Pick<Client, 'type'>,
  jkt: string | null,
): readonly SignInWrite[] {
  const bound = dpopJkt === null ? keyOfRefreshTokens(client, jkt) : null;
  return bound === null ? [] : [{ write: 'bindSignIn', id, dpopJkt: bound }];
}

/** The key that the refresh tokens of a client are bound to, given that of its proof; null for none. */
export const keyOfRefreshTokens = ({ type }: Pick<Client, 'type'>, jkt: string | null): string | null =>
  type === 'public' ? jkt : null;

/** Whether the sign-in outlives its browser session and has a refresh token (contract; decision 27). */
export function isOffline(signIn: Pick<SignIn, 'scope'>): boolean {
  return scopeIncludes(signIn.scope, 'offline_access');
}

/** Until when its refresh token can be used, unless that happens before (decision 25). */
export function livesUntil(
  { createdAt, rotatedAt }: Pick<SignIn, 'createdAt' | 'rotatedAt'>,
  { refreshTokenIdle, refreshTokenAbsolute }: Pick<Client, 'refreshTokenIdle' | 'refreshTokenAbsolute'>,
): number {
  return Math.min(rotatedAt + refreshTokenIdle, createdAt + refreshTokenAbsolute);
}

/** When a sign-in ended, or will give no access any more unless its refresh token is used before (ms). */
export function overAt(
  signIn: Pick<SignIn, 'scope' | 'createdAt' | 'rotatedAt' | 'endedAt'>,
  client: Pick<Client, 'accessTokenSeconds' | 'refreshTokenIdle' | 'refreshTokenAbsolute'>,
): number {
  if (signIn.endedAt !== null) return signIn.endedAt;
  return isOffline(signIn)
    ? livesUntil(signIn, client)
    : signIn.createdAt + client.accessTokenSeconds * 1_000;
}

/**
 * Whether a sign-in still gives its app access: one with offline_access until its refresh token is too old,
 * another until its one access token is, and no longer than its browser session (decisions 25 to 27).
 *
 * @param session the browser session it was begun in, or null
 */
export function signInLives(signIn: SignIn, client: Client, session: Session | null, now: number): boolean {
  if (signIn.state === 'ended') return false;
  if (isOffline(signIn)) return now < overAt(signIn, client);
  return now < overAt(signIn, client) && sessionLives(session, now);
}
