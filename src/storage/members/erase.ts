import { type Member, normaliseEmail } from '../../core/members/member.ts';
import { hashAccountPages, hashEmail } from '../../core/members/sign-in-limit.ts';
import { eraseAuditAddresses, eraseAuditChanges } from '../operators/audit-event.ts';
import { changedOne } from '../rows.ts';
import type { Tx } from '../store.ts';
import { listProvenAddresses } from './email-proof.ts';
import { deleteMailsTo } from './mail.ts';
import { deleteMemberWords } from './member-words.ts';
import { clearSignInFailures } from './sign-in-failure.ts';

/**
 * Erases what tells who a deleted member was. The row stays, with its id and its numbers, so that nobody
 * else ever gets them. What else stays:
 *
 * - subscriptions and checkouts, for the books, without what names a person or says what was read;
 * - invoices as they were sent, addressee and all: the law asks for them for years (GDPR art. 17 (3) (b));
 * - answers to consents: the tenant must be able to show that it was allowed to do what it did, and when that
 *   ended (GDPR art. 7 (1), art. 17 (3) (e)). They name the consent and the app, and no person;
 * - the audit, without the addresses that the member came from and without what a change said of the member: what
 *   happened, and to which id. Where events name nobody, an address that was hers is taken for hers.
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
      passwordWork: 0,
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
  // Where the member came from is looked for in what the next lines erase.
  await eraseAuditAddresses(tx, tenantId, id);
  await eraseAuditChanges(tx, tenantId, id);
  await eraseTraces(tx, id);
  await eraseOrders(tx, id);
  await eraseMails(tx, tenantId, id, email);
}

/** How much of an erased member stays, since the law asks for it. */
export interface Kept {
  readonly subscriptions: number;
  readonly checkouts: number;
  readonly invoices: number;
  readonly consentChanges: number;
}

export async function countKept(tx: Tx, memberId: string): Promise<Kept> {
  const count = async (table: keyof Kept) => {
    const { rows } = await tx
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where('memberId', '=', memberId)
      .executeTakeFirstOrThrow();
    return rows;
  };
  return {
    subscriptions: await count('subscriptions'),
    checkouts: await count('checkouts'),
    invoices: await count('invoices'),
    consentChanges: await count('consentChanges'),
  };
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

/** Mails to the member, links in them, and what was counted of each address: their rows hold names and addresses. */
async function eraseMails(tx: Tx, tenantId: string, memberId: string, email: string): Promise<void> {
  const addresses = [normaliseEmail(email), ...(await listProvenAddresses(tx, tenantId, memberId))];
  const hashes = addresses.map(hashEmail);
  await deleteMailsTo(tx, tenantId, hashes);
  for (const hash of [...hashes, hashAccountPages(memberId)]) await clearSignInFailures(tx, tenantId, hash);
  await tx
    .deleteFrom('emailProofs')
    .where('tenantId', '=', tenantId)
    .where((eb) => eb.or([eb('memberId', '=', memberId), eb('email', 'in', addresses)]))
    .execute();
}
