// The proofs by which a member shows once more who it is, and what pages of the account show of them.
import type { FastifyReply } from 'fastify';
import type { Passkey } from '../../../core/members/passkey.ts';
import { listWaysIn } from '../../../operations/sign-in/ways-in.ts';
import { listPasskeys } from '../../../storage/members/passkey.ts';
import type { Tx } from '../../../storage/store.ts';
import { pathOf } from '../../address.ts';
import { pageQuery } from '../../form.ts';
import { sendToSignInAnew } from '../../oidc/flow.ts';
import { standingOfSignIn, toConfirm } from '../../pages/confirmed-form.ts';
import { askForPasskey, passkeyOf } from '../../pages/passkey.ts';
import type { MemberVisit } from '../member-guard.ts';

/** The proofs that a member can give. */
export interface Proofs {
  readonly hasPassword: boolean;
  readonly passkeys: readonly Passkey[];
  /** Whether a sign-in proves it, and did a moment ago (`standingOfSignIn`). */
  readonly bySignIn: 'none' | 'stale' | 'fresh';
  /** Whether that can be one with a code by mail. */
  readonly hasCode: boolean;
}

/** Before it was looked up. */
export const noProofs: Proofs = { hasPassword: true, passkeys: [], bySignIn: 'none', hasCode: false };

/** Whether there is nothing on the page to prove it with: the member signs in anew, or asked to. */
export const signsInFirst = ({ request }: MemberVisit, { bySignIn, passkeys }: Proofs): boolean =>
  bySignIn === 'stale' && (passkeys.length === 0 || pageQuery(request, ['anew']).anew !== undefined);

/** Leads through the sign-in, and back to the page. */
export const signInAnew = ({ request, reply, member: { email }, deps }: MemberVisit): FastifyReply =>
  sendToSignInAnew(reply, { returnTo: pathOf(request), language: null, email }, deps);

export async function proofsOf(tx: Tx, visit: MemberVisit): Promise<Proofs> {
  const { request, member } = visit;
  const ways = await listWaysIn(tx, request.tenant, member);
  const hasPasskeys = ways.some(({ way }) => way === 'passkey');
  return {
    hasPassword: ways.some(({ way }) => way === 'password'),
    passkeys: hasPasskeys ? await listPasskeys(tx, member.id) : [],
    bySignIn: standingOfSignIn(ways, visit),
    hasCode: ways.some(({ way }) => way === 'email_code'),
  };
}

/** What `members/parts/current-password.eta` and `confirm.eta` show of them. */
export function proofsShown(visit: MemberVisit, { hasPassword, passkeys, bySignIn, hasCode }: Proofs) {
  const { request, reply, member, deps } = visit;
  const asked = passkeys.length === 0 ? null : askForPasskey(reply, toConfirm(visit), deps, { of: passkeys });
  const text = hasCode ? 'signIn.code' : 'signIn.submit';
  const anew = bySignIn === 'stale' ? { href: `${pathOf(request)}?anew`, text } : null;
  return { email: member.email, hasPassword, passkey: passkeyOf(asked), isFresh: bySignIn === 'fresh', anew };
}
