// Erases the personal data of a deleted member.
import { keptWork } from '../../core/hashes/hash-work.ts';
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import { hashAccountPages, hashEmail } from '../../core/members/member-limits.ts';
import { hashSecondFactor } from '../../core/members/second-factor.ts';
import { eraseSeats } from '../access/seat.ts';
import { tell } from '../events/event.ts';
import { eraseAuditAddresses, eraseAuditChanges } from '../operators/audit-event.ts';
import { mayTakeLong } from '../prepared.ts';
import { deleteRows, findRow, rowsWith, updateRow, updateRows } from '../rows.ts';
import type { Tx } from '../store.ts';
import { clearSignInFailures, findSignInFailures } from './guesses/sign-in-failure.ts';

/**
 * Erases what tells who a deleted member was. The row stays, with its id and its numbers, so that no
 * other member ever gets them. What else stays:
 *
 * - subscriptions and checkouts, for the books, without what names a person or says what was read;
 * - invoices as they were sent, addressee and all: the law asks for them for years (GDPR art. 17 (3) (b));
 * - answers to consents: the tenant must be able to show that it was allowed to do what it did, and when that
 *   ended (GDPR art. 7 (1), art. 17 (3) (e)). They name the consent and the app, and no person;
 * - what clients were told of sign-outs, and a business of what happened, which name ids alone and are swept after a
 *   month: she is gone to all who heard of her;
 * - the audit, without the addresses that the member came from and without what a change said of the member: what
 *   happened, and to which id. Where events name no actor, those from an address that was hers are taken for hers.
 */
export async function eraseMember(tx: Tx, { id, tenantId, email }: Member, now: number): Promise<void> {
  const erased = {
    email: '',
    // Unique within the tenant, and no address: the person who had this one may sign up anew.
    normalisedEmail: `deleted ${id}`,
    emailVerified: 0,
    passwordHash: '',
    ...keptWork(''),
    externalId: null,
    passwordSince: null,
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
    // Later than any before, whatever the clock says: what was cleaned of the file is known by the last erasure.
    erasedAt: Math.max(now, ((await lastErasure(tx)) ?? 0) + 1),
  };
  await mayTakeLong(tx);
  await updateRow(tx, 'members', { id, tenantId, erasedAt: null }, erased);
  // Where the member came from is looked for in what the next lines erase.
  await eraseAuditAddresses(tx, tenantId, id);
  await eraseAuditChanges(tx, tenantId, id);
  await eraseTraces(tx, id);
  await eraseOrders(tx, id);
  await eraseSeats(tx, { id, tenantId }, normaliseEmail(email), now);
  await eraseMails(tx, tenantId, id, email);
  await tell(tx, { write: 'eraseMember', of: { tenantId, memberId: id } });
}

/** When the last member was erased (ms); null if none was. Each erasure is later than the one before. */
export async function lastErasure(tx: Tx): Promise<number | null> {
  const { erasedAt } = await tx
    .selectFrom('members')
    .select((eb) => eb.fn.max('erasedAt').as('erasedAt'))
    .where('erasedAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return erasedAt;
}

/** How much of an erased member stays, since the law asks for it. */
export async function countKept(tx: Tx, memberId: string) {
  const count = async (table: 'subscriptions' | 'checkouts' | 'invoices' | 'consentChanges') => {
    const rows = tx.selectFrom(table).where('memberId', '=', memberId);
    return (await rows.select(({ fn }) => fn.countAll<number>().as('rows')).executeTakeFirstOrThrow()).rows;
  };
  return {
    subscriptions: await count('subscriptions'),
    checkouts: await count('checkouts'),
    invoices: await count('invoices'),
    consentChanges: await count('consentChanges'),
  };
}

/** Devices, browsers and addresses that the member was seen with, accounts elsewhere, and what was allowed to apps. */
async function eraseTraces(tx: Tx, memberId: string): Promise<void> {
  await updateRows(tx, 'sessions', { memberId }, { userAgent: '', ipAddress: '' });
  await updateRows(tx, 'deviceCodes', { memberId }, { deviceName: null, deviceModel: null, ipAddress: '' });
  const unnamed = { label: null, holderNetwork: null, holderProgram: null };
  await updateRows(tx, 'signIns', { memberId }, unnamed);
  for (const table of [
    'knownBrowsers',
    'passkeys',
    'secondFactors',
    'wrongUserCodes',
    'slowedEntries',
    'scopeConsents',
    'memberWords',
    'linkedAccounts',
    'callsOnce',
  ] as const) {
    await deleteRows(tx, table, { memberId });
  }
}

/** What the operator wrote of subscriptions, and where the member came from to order. */
async function eraseOrders(tx: Tx, memberId: string): Promise<void> {
  await updateRows(tx, 'subscriptions', { memberId }, { customPropertyValues: '{}' });
  const cameFrom = { reference: null, onCheckoutCompletedUrl: null, callBackUrl: null };
  await updateRows(tx, 'checkouts', { memberId }, cameFrom);
}

/** Mails to the member, links in them, and what was counted of each address: their rows hold names and addresses. */
async function eraseMails(tx: Tx, tenantId: string, memberId: string, email: string): Promise<void> {
  const own = normaliseEmail(email);
  const proven = await rowsWith(tx, 'emailProofs', { tenantId, memberId }).execute();
  const former = await rowsWith(tx, 'formerAddresses', { memberId }).execute();
  const others = new Set([...proven, ...former].map((row) => row.email));
  others.delete(own);
  const proofs = tx.deleteFrom('emailProofs').where('tenantId', '=', tenantId);
  await proofs.where((eb) => eb.or([eb('memberId', '=', memberId), eb('email', '=', own)])).execute();
  await deleteRows(tx, 'mails', { memberId });
  await forgetAddress(tx, tenantId, own, Number.MAX_SAFE_INTEGER);
  for (const address of others) {
    // What came since another member has the address is that member's.
    const holder = await findRow(tx, 'members', { tenantId, normalisedEmail: address });
    const before = holder?.emailSince ?? Number.MAX_SAFE_INTEGER;
    await proofs
      .where('email', '=', address)
      .where('memberId', 'is', null)
      .where('createdAt', '<', before)
      .execute();
    await forgetAddress(tx, tenantId, address, before);
  }
  await clearSignInFailures(tx, tenantId, hashAccountPages(memberId));
  await clearSignInFailures(tx, tenantId, hashSecondFactor(memberId));
  await deleteRows(tx, 'formerAddresses', { memberId });
}

/** Forgets what waits for an address and what was counted of it before a time (ms). */
async function forgetAddress(tx: Tx, tenantId: string, address: string, before: number): Promise<void> {
  const hash = hashEmail(address);
  const mails = tx.deleteFrom('mails').where('tenantId', '=', tenantId).where('recipientHash', '=', hash);
  await mails.where('createdAt', '<', before).execute();
  const failed = await findSignInFailures(tx, tenantId, hash);
  if (failed !== null && failed.lastFailedAt < before) await clearSignInFailures(tx, tenantId, hash);
}
