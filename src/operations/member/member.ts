// Makes, disables, enables and deletes members, and reads what is held of them.
import { blankMember, type Member } from '../../core/members/member.ts';
import { memberData } from '../../core/members/member-data.ts';
import { listCheckouts } from '../../storage/access/checkout.ts';
import { listConsentChanges } from '../../storage/access/consent.ts';
import { listInvoices } from '../../storage/access/invoice.ts';
import { listSeatsGiven, listSeatsOfMember } from '../../storage/access/seat.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { listClients } from '../../storage/clients/client.ts';
import { listEventsOfMember } from '../../storage/events/event.ts';
import { listMemberSignIns } from '../../storage/grants/member-sign-ins.ts';
import { listScopeConsents } from '../../storage/grants/scope-consent.ts';
import { listActiveSessions } from '../../storage/grants/session.ts';
import { eraseMember } from '../../storage/members/erase.ts';
import {
  findMember,
  listDueMembers,
  nextMemberNumbers,
  updateMemberStatus,
} from '../../storage/members/member.ts';
import { listPasskeys } from '../../storage/members/passkey.ts';
import { findSecondFactor } from '../../storage/members/second-factor.ts';
import { listLinkedAccounts } from '../../storage/providers/linked-account.ts';
import { listUnverifiedClients } from '../../storage/registration/unverified-client.ts';
import type { Tx } from '../../storage/store.ts';
import { indexed, type Sweep } from '../../storage/sweep/sweep.ts';
import type { Random } from '../../system/random.ts';
import { auditDeed } from '../audit/audit.ts';
import { signOutApps, signOutSessions } from '../session/session.ts';

/** A new member of these facts with the next free numbers; it is not stored yet. */
export async function newMember(
  tx: Tx,
  tenantId: string,
  facts: Partial<Member>,
  random: Pick<Random, 'id'>,
  now: number,
): Promise<Member> {
  const numbers = await nextMemberNumbers(tx, tenantId);
  return { ...blankMember(tenantId, now), id: random.id(now), ...numbers, ...facts };
}

/**
 * Disables a member: every session and sign-in ends at once (decision 28; A14, T19).
 *
 * @param isTrial whether it is taken back: then nothing ends
 * @returns whether there is such a member on this tenant
 */
export async function disableMember(
  tx: Tx,
  tenantId: string,
  id: string,
  now: number,
  isTrial = false,
): Promise<boolean> {
  const member = await findMember(tx, tenantId, id);
  if (member === null) return false;
  if (member.status === 'disabled') return true;
  await updateMemberStatus(tx, member, { status: 'disabled', updatedAt: now });
  if (!isTrial) await endAccess(tx, id, now);
  return true;
}

/** Lets a disabled member sign in again. @returns whether there is such a member on this tenant */
export async function enableMember(tx: Tx, tenantId: string, id: string, now: number): Promise<boolean> {
  const member = await findMember(tx, tenantId, id);
  if (member?.status === 'disabled') {
    await updateMemberStatus(tx, member, { status: 'active', updatedAt: now });
  }
  return member !== null;
}

/**
 * Deletes a member for good: every session and sign-in ends, and the personal data are erased. The id
 * names no member from then on (decision 28; A14, T19).
 *
 * @returns whether there was such a member on this tenant
 */
export async function deleteMember(tx: Tx, tenantId: string, id: string, now: number): Promise<boolean> {
  const member = await findMember(tx, tenantId, id);
  if (member === null) return false;
  await endAccess(tx, id, now);
  // Before the rest: the address that it comes from may be the member's own.
  await auditDeed(tx, { event: 'member_deleted', tenantId, target: id });
  await eraseMember(tx, member, now);
  return true;
}

/**
 * Every member whose cooling-off time is over. They are gone without it, by the clock; this erases their data.
 *
 * @param now ms
 * @param before what is done before one is erased
 */
export function dueMembers(
  now: number,
  before: (tx: Tx, member: Member) => Promise<void> = async () => {},
): Sweep {
  return indexed('members', async (tx) => {
    const [due] = await listDueMembers(tx, now, 1);
    if (due === undefined) return 0;
    await before(tx, due);
    await deleteMember(tx, due.tenantId, due.id, now);
    return 1;
  });
}

/** Ends everything that a member's sign-ins have begun or could still begin. */
async function endAccess(tx: Tx, memberId: string, now: number): Promise<void> {
  await signOutSessions(tx, memberId);
  await signOutApps(tx, memberId, 'member_inactive', now);
}

/** Everything that is held of a member (GDPR art. 15 and 20). @param exportedAt ms */
export async function wholeMemberData(tx: Tx, member: Member, exportedAt: number): Promise<object> {
  const { id, tenantId } = member;
  const subscriptions = await listSubscriptions(tx, id);
  const own = subscriptions.map(({ subscriptionId }) => subscriptionId);
  return memberData({
    member,
    subscriptions,
    seats: { had: await listSeatsOfMember(tx, id), given: await listSeatsGiven(tx, own) },
    checkouts: await listCheckouts(tx, id),
    invoices: await listInvoices(tx, id),
    consentChanges: await listConsentChanges(tx, id),
    signIns: await listMemberSignIns(tx, id),
    sessions: await listActiveSessions(tx, id),
    passkeys: await listPasskeys(tx, id),
    secondFactor: await findSecondFactor(tx, id),
    linkedAccounts: await listLinkedAccounts(tx, id),
    consents: await listScopeConsents(tx, id),
    events: await listEventsOfMember(tx, id),
    clients: [
      ...(await listClients(tx, tenantId)),
      ...(await listUnverifiedClients(tx, tenantId)).map(({ client }) => client),
    ],
    exportedAt,
  });
}
