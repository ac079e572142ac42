import { packageTextLength } from '../../../src/core/access/limits.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { addPackage, addProduct } from '../../../src/operations/access/package.ts';
import { addSubscription, changeSubscription } from '../../../src/operations/access/subscription.ts';
import { insertInvoice } from '../../../src/storage/access/invoice.ts';
import type { Site } from '../browser/site.ts';
import { consentRecord, invoiceRecord, packageRecord } from './access-records.ts';
import { day } from './records.ts';

/**
 * Gives a member of Acme a subscription in each state, all to a package with the longest name there can be, and
 * an invoice to pay; and the tenant asks for a consent in as many words.
 */
export async function giveLongRecords({ service, issuer }: Site, email: string): Promise<void> {
  const { store, clock } = service;
  const now = clock.now();
  const longName = 'Wort'.repeat(packageTextLength.name / 4);
  await store.transaction(async (tx) => {
    const { id: memberId, tenantId } = await tx
      .selectFrom('members')
      .innerJoin('tenants', 'tenants.id', 'members.tenantId')
      .select(['members.id', 'tenantId'])
      .where('members.email', '=', email)
      .where('issuer', '=', issuer)
      .executeTakeFirstOrThrow();
    await defineConsent(
      tx,
      consentRecord({ tenantId, id: 'long', name: longName, description: longName, atSignUp: false }),
    );
    const productIds = [await addProduct(tx, tenantId, longName), await addProduct(tx, tenantId, 'Serien')];
    const { id: _, tenantId: __, products: ___, ...facts } = packageRecord({ name: longName });
    const packageId = await addPackage(tx, tenantId, facts, productIds);
    const give = (activatedAt: number | null, expiresAt: number | null) =>
      addSubscription(tx, tenantId, {
        memberId,
        packageId,
        createdAt: now,
        activatedAt,
        expiresAt,
        customPropertyValues: {},
      });
    const subscriptionId = await give(now - day, now + 30 * day);
    await changeSubscription(tx, tenantId, await give(now - day, now + 20 * day), 'cancel', now);
    await give(now + day, now + 60 * day);
    await give(null, null);
    await give(now - 9 * day, now - day);
    const price = { amount: 123_456_789, currency: 'NOK' };
    const owed = { tenantId, memberId, subscriptionId, number: 10_001, price, paidAt: null };
    await insertInvoice(tx, invoiceRecord(owed));
  });
}
