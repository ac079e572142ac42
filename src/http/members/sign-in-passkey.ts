// Signs a member in by a passkey, without an address and without a password.
import type { FastifyRequest } from 'fastify';
import { checkPasskey, takePasskey } from '../../operations/passkey/assertion.ts';
import type { ChallengeFor } from '../../operations/passkey/challenge.ts';
import type { TooManyGuesses } from '../../operations/sign-in/credentials.ts';
import { noteRefusal, storeOf, transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { type Flow, stepOf } from '../oidc/flow.ts';
import { presentedIn, useHere } from '../pages/passkey.ts';
import { type SignedIn, signInTo } from './flow-page.ts';

/** What the sign-in page asks passkeys to sign. */
export const toSignIn: ChallengeFor = { purpose: 'sign-in', sessionId: null };

/** What came of a passkey: a sign-in, or what the page says of it (a key of its text). */
type ByPasskey =
  | { readonly kind: 'right'; readonly signedIn: SignedIn }
  | { readonly kind: 'wrong'; readonly text: 'signIn.error.passkey' | 'passkey.stale' }
  | TooManyGuesses;

/**
 * Signs in with what a passkey signed, if it did. One that there is not, one of an account that may not sign in and a
 * signature that is wrong get the same answer (pages 10, A1).
 */
export async function signInByPasskey(
  request: FastifyRequest,
  flow: Flow,
  text: string,
  deps: Deps,
): Promise<ByPasskey> {
  const { tenant } = request;
  const presented = presentedIn(request, text, toSignIn, null);
  const checked = await checkPasskey(tenant, presented, { ...deps, store: storeOf(request, deps) });
  if (checked.kind === 'too-many') return checked;
  if (checked.kind === 'stale') return { kind: 'wrong', text: 'passkey.stale' };
  if (checked.kind === 'wrong') return refused(request, flow, checked.memberId, checked.reason);
  const step = await stepOf(request, flow);
  const signedIn = await transactionOf(request, deps, async (tx) => {
    const taken = await takePasskey(tx, tenant, checked, useHere(request, deps));
    if (typeof taken === 'string') return taken;
    return (await signInTo(tx, request, { flow, step }, taken, deps)) ?? 'the account may not be used';
  });
  if (typeof signedIn === 'string') return refused(request, flow, checked.passkey.memberId, signedIn);
  return { kind: 'right', signedIn };
}

/** Members are told one thing, operators what it was. */
function refused(request: FastifyRequest, flow: Flow, memberId: string | null, reason: string): ByPasskey {
  const clientId = flow.parameters?.client_id ?? null;
  noteRefusal(request, { event: 'sign_in_refused', clientId, target: memberId, way: 'passkey', reason });
  return { kind: 'wrong', text: 'signIn.error.passkey' };
}
