// What a member proves once more with who it is, and what pages of the account show of that.
import type { FastifyReply } from 'fastify';
import type { Passkey } from '../../../core/members/passkey.ts';
import { listWaysIn } from '../../../operations/sign-in/ways-in.ts';
import { listPasskeys } from '../../../storage/members/passkey.ts';
import type { Tx } from '../../../storage/store.ts';
import { pathOf } from '../../address.ts';
import { pageQuery } from '../../form.ts';
import { sendToSignInAnew } from '../../oidc/flow.ts';
import { standingByCode, toConfirm } from '../../pages/confirmed-form.ts';
import { askForPasskey, passkeyOf } from '../../pages/passkey.ts';
import type { MemberVisit } from '../member-guard.ts';

/** What a member can prove with who it is. */
export interface Proofs {
  readonly hasPassword: boolean;
  readonly passkeys: readonly Passkey[];
  /** Whether a code by mail proves it, and did a moment ago (`standingByCode`). */
  readonly byCode: 'none' | 'stale' | 'fresh';
}

/** Whether there is nothing on the page to prove it with: the member signs in anew, or asked to. */
export const signsInFirst = ({ request }: MemberVisit, { byCode, passkeys }: Proofs): boolean =>
  byCode === 'stale' && (passkeys.length === 0 || pageQuery(request, ['anew']).anew !== undefined);

/** Leads through the sign-in, with a code by mail, and back to the page. */
export const signInAnew = ({ request, reply, member: { email }, deps }: MemberVisit): FastifyReply =>
  sendToSignInAnew(reply, { returnTo: pathOf(request), language: null, email }, deps);

export async function proofsOf(tx: Tx, visit: MemberVisit): Promise<Proofs> {
  const { request, member } = visit;
  const ways = await listWaysIn(tx, request.tenant, member);
  const hasPasskeys = ways.some(({ way }) => way === 'passkey');
  return {
    hasPassword: ways.some(({ way }) => way === 'password'),
    passkeys: hasPasskeys ? await listPasskeys(tx, member.id) : [],
    byCode: standingByCode(ways, visit),
  };
}

/** What `members/parts/current-password.eta` and `confirm.eta` show of them. */
export function proofsShown(visit: MemberVisit, { hasPassword, passkeys, byCode }: Proofs) {
  const { request, reply, member, deps } = visit;
  const asked = passkeys.length === 0 ? null : askForPasskey(reply, toConfirm(visit), deps, { of: passkeys });
  const anew = byCode === 'stale' ? `${pathOf(request)}?anew` : null;
  return { email: member.email, hasPassword, passkey: passkeyOf(asked), isFresh: byCode === 'fresh', anew };
}
