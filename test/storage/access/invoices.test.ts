import { describe, expect, it } from 'vitest';
import type { Invoice } from '../../../src/core/access/invoice.ts';
import { beginSubscription } from '../../../src/core/access/subscription.ts';
import {
  insertInvoice,
  listInvoices,
  markInvoicePaid,
  nextInvoiceNumber,
} from '../../../src/storage/access/invoice.ts';
import { insertPackage } from '../../../src/storage/access/package.ts';
import { insertSubscription } from '../../../src/storage/access/subscription.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import type { Tx } from '../../../src/storage/store.ts';
import { packageFacts } from '../../support/records/access-records.ts';
import { day, memberRecord, now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

describe('invoices', () => {
  const invoice: Invoice = {
    id: 'invoice-1',
    tenantId: 'tenant-a',
    number: 1,
    memberId: 'member-1',
    subscriptionId: 41,
    packageName: 'Gold, as it was called',
    seats: null,
    price: { amount: 19_900, currency: 'NOK' },
    taxName: 'VAT',
    taxPercent: 8.1,
    payTo: { payee: 'Gold AS', account: 'NO93 8601 1117 947', bic: 'DNBANOKK', note: 'Two\nlines' },
    addressee: { ...memberRecord().address, name: 'A. "Ada" Berg', email: null },
    issuedAt: now - day,
    dueAt: now + 13 * day,
    paidAt: null,
  };
  const paid: Invoice = {
    ...invoice,
    id: 'invoice-2',
    number: 2,
    taxName: '',
    taxPercent: null,
    payTo: null,
    paidAt: now - 1,
  };
  const foreign: Invoice = { ...invoice, id: 'invoice-3', tenantId: 'tenant-b', memberId: 'member-2' };

  async function storeWithInvoices() {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      await insertMember(tx, memberRecord({ id: 'member-2', tenantId: 'tenant-b' }), 'hash');
      const tenantId = 'tenant-a';
      const packageId = await insertPackage(tx, tenantId, packageFacts(), []);
      const subscription = { subscriptionId: 41, tenantId, memberId: 'member-1', packageId };
      const window = { activatedAt: now, expiresAt: now + day, customPropertyValues: {} };
      await insertSubscription(tx, beginSubscription({ ...subscription, ...window }, now));
      for (const one of [paid, invoice, foreign]) await insertInvoice(tx, one);
    });
    return store;
  }

  const invoicesOf = async (tx: Tx) => [
    await listInvoices(tx, 'member-1'),
    await listInvoices(tx, 'member-2'),
  ];

  it('are read as they were written, by number, for their member alone', async () => {
    const store = await storeWithInvoices();
    expect(await store.transaction(invoicesOf)).toEqual([[invoice, paid], [foreign]]);
  });

  it('are numbered on within their tenant, without a gap', async () => {
    const store = await storeWithInvoices();
    const next = await store.transaction(async (tx) => [
      await nextInvoiceNumber(tx, 'tenant-a'),
      await nextInvoiceNumber(tx, 'tenant-b'),
      await nextInvoiceNumber(tx, 'tenant-c'),
    ]);
    expect(next).toEqual([3, 2, 1]);
  });

  it('have a number that is theirs alone within the tenant', async () => {
    const store = await storeWithInvoices();
    const twin = store.transaction((tx) => insertInvoice(tx, { ...invoice, id: 'invoice-4' }));
    await expect(twin).rejects.toThrow(/unique/i);
  });

  it('are paid once, for their own tenant alone', async () => {
    const store = await storeWithInvoices();
    const marked = await store.transaction(async (tx) => [
      await markInvoicePaid(tx, 'tenant-a', 1, now),
      await markInvoicePaid(tx, 'tenant-a', 1, now + 1),
      await markInvoicePaid(tx, 'tenant-a', 2, now),
      await markInvoicePaid(tx, 'tenant-b', 2, now),
    ]);
    expect(marked).toEqual([true, false, false, false]);
    expect(await store.transaction(invoicesOf)).toEqual([[{ ...invoice, paidAt: now }, paid], [foreign]]);
  });
});
