// Signs in by a passkey, without an address and without a password: at the pages of members, and at the portal.
import type { FastifyRequest } from 'fastify';
import { checkPasskey, takePasskey } from '../../operations/passkey/assertion.ts';
import type { ChallengeFor } from '../../operations/passkey/challenge.ts';
import type { TooManyGuesses } from '../../operations/sign-in/credentials.ts';
import type { Proven } from '../../operations/sign-in/enter.ts';
import type { Tx } from '../../storage/store.ts';
import { storeOf, transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { presentedIn, useHere } from './passkey.ts';

/** What a page of the way in asks passkeys to sign. */
export const toSignIn: ChallengeFor = { purpose: 'sign-in', sessionId: null };

/** Where a passkey lets its member in. */
export interface PasskeyEntrance<SignedIn extends object> {
  /** Signs the member in, in the transaction that uses the signature up; null who may not come in here. */
  enter(tx: Tx, proven: Proven): Promise<SignedIn | null>;
  /** Writes down for operators what members are not told. */
  refused(memberId: string | null, reason: string): void;
}

/** What came of a passkey: a sign-in, or that it signs no member in; a `stale` one came from a page that was open for too long. */
export type ByPasskey<SignedIn extends object> =
  | { readonly kind: 'right'; readonly signedIn: SignedIn }
  | { readonly kind: 'wrong' | 'stale' }
  | TooManyGuesses;

/**
 * Signs in with what a passkey signed, if it did. One that there is not, one of an account that may not sign in and a
 * signature that is wrong get the same answer (pages 10, A1).
 */
export async function signInByPasskey<SignedIn extends object>(
  request: FastifyRequest,
  text: string,
  { enter, refused }: PasskeyEntrance<SignedIn>,
  deps: Deps,
): Promise<ByPasskey<SignedIn>> {
  const { tenant } = request;
  const presented = presentedIn(request, text, toSignIn, null);
  const checked = await checkPasskey(tenant, presented, { ...deps, store: storeOf(request, deps) });
  if (checked.kind === 'too-many' || checked.kind === 'stale') return checked;
  if (checked.kind === 'wrong') {
    refused(checked.memberId, checked.reason);
    return { kind: 'wrong' };
  }
  const signedIn = await transactionOf(request, deps, async (tx) => {
    const taken = await takePasskey(tx, tenant, checked, useHere(request, deps));
    if (typeof taken === 'string') return taken;
    return (await enter(tx, taken)) ?? 'the account may not be used here';
  });
  if (typeof signedIn !== 'string') return { kind: 'right', signedIn };
  refused(checked.passkey.memberId, signedIn);
  return { kind: 'wrong' };
}
