import { type Member, normaliseEmail } from '../../core/members/member.ts';
import { eraseAuditAddresses } from '../operators/audit-event.ts';
import { changedOne } from '../rows.ts';
import type { Tx } from '../store.ts';
import { deleteMemberWords } from './member-words.ts';

/**
 * Erases what tells who a deleted member was. The row stays, with its id and its numbers, so that nobody
 * else ever gets them. What else stays:
 *
 * - subscriptions and checkouts, for the books, without what names a person or says what was read;
 * - invoices as they were sent, addressee and all: the law asks for them for years (GDPR art. 17 (3) (b));
 * - answers to consents: the tenant must be able to show that it was allowed to do what it did, and when that
 *   ended (GDPR art. 7 (1), art. 17 (3) (e)). They name the consent and the app, and no person;
 * - the audit, without the addresses that the member came from: what happened, and to which id.
 */
export async function eraseMember(tx: Tx, { id, tenantId, email }: Member, now: number): Promise<void> {
  const result = await tx
    .updateTable('members')
    .set({
      email: '',
      // Unique within the tenant, and no address: whoever had this one may sign up anew.
      normalisedEmail: `deleted ${id}`,
      emailVerified: 0,
      passwordHash: '',
      fullName: '',
      nickName: '',
      phone: '',
      phoneVerified: 0,
      avatar: null,
      locale: null,
      addressLine1: null,
      addressCity: null,
      addressPostCode: null,
      addressPostOffice: null,
      addressCountry: null,
      addressName: null,
      addressEmail: null,
      updatedAt: now,
      deletionDueAt: now,
      erasedAt: now,
    })
    .where('id', '=', id)
    .where('tenantId', '=', tenantId)
    .where('erasedAt', 'is', null)
    .executeTakeFirst();
  changedOne(result, 'erasure of a member');
  await eraseTraces(tx, id);
  await eraseOrders(tx, id);
  await eraseMails(tx, tenantId, id, email);
  await eraseAuditAddresses(tx, tenantId, id);
}

/** Devices, browsers and addresses that the member was seen with, and what was allowed to apps. */
async function eraseTraces(tx: Tx, memberId: string): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ userAgent: '', ipAddress: '' })
    .where('memberId', '=', memberId)
    .execute();
  await tx
    .updateTable('deviceCodes')
    .set({ deviceName: null, deviceModel: null, ipAddress: '' })
    .where('memberId', '=', memberId)
    .execute();
  await tx.updateTable('signIns').set({ label: null }).where('memberId', '=', memberId).execute();
  await tx.deleteFrom('knownBrowsers').where('memberId', '=', memberId).execute();
  await tx.deleteFrom('wrongUserCodes').where('memberId', '=', memberId).execute();
  await tx.deleteFrom('scopeConsents').where('memberId', '=', memberId).execute();
  await deleteMemberWords(tx, memberId);
}

/** What the operator wrote of subscriptions, and where the member came from to order. */
async function eraseOrders(tx: Tx, memberId: string): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ customPropertyValues: '{}' })
    .where('memberId', '=', memberId)
    .execute();
  await tx
    .updateTable('checkouts')
    .set({ reference: null, onCheckoutCompletedUrl: null, callBackUrl: null })
    .where('memberId', '=', memberId)
    .execute();
}

/** Links that were mailed to the member: their rows hold names and addresses. */
async function eraseMails(tx: Tx, tenantId: string, memberId: string, email: string): Promise<void> {
  await tx
    .deleteFrom('emailProofs')
    .where('tenantId', '=', tenantId)
    .where((eb) => eb.or([eb('memberId', '=', memberId), eb('email', '=', normaliseEmail(email))]))
    .execute();
}
