/** Reads everything that is held of a member, for the member's own file and for an operator whom the law asks. */
import type { Member } from '../../core/members/member.ts';
import { memberData } from '../../core/members/member-data.ts';
import { listCheckouts } from '../../storage/access/checkout.ts';
import { listConsentChanges } from '../../storage/access/consent.ts';
import { listInvoices } from '../../storage/access/invoice.ts';
import { listSubscriptions } from '../../storage/access/subscription.ts';
import { listClients } from '../../storage/client.ts';
import { listMemberSignIns } from '../../storage/members/member-sign-in.ts';
import { listScopeConsents } from '../../storage/scope-consent.ts';
import { listActiveSessions } from '../../storage/session.ts';
import type { Tx } from '../../storage/store.ts';

/** Everything that is held of a member (GDPR art. 15 and 20). @param exportedAt ms */
export async function wholeMemberData(tx: Tx, member: Member, exportedAt: number): Promise<object> {
  const { id, tenantId } = member;
  return memberData({
    member,
    subscriptions: await listSubscriptions(tx, id),
    checkouts: await listCheckouts(tx, id),
    invoices: await listInvoices(tx, id),
    consentChanges: await listConsentChanges(tx, id),
    signIns: await listMemberSignIns(tx, id),
    sessions: await listActiveSessions(tx, id),
    consents: await listScopeConsents(tx, id),
    clients: await listClients(tx, tenantId),
    exportedAt,
  });
}
