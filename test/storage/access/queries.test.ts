import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { beginSubscription } from '../../../src/core/access/subscription.ts';
import { findCheckout, listCheckouts } from '../../../src/storage/access/checkout.ts';
import {
  insertConsentChange,
  listConsentChanges,
  listConsents,
  listLastConsentChanges,
  listNewestConsentChanges,
  saveConsent,
} from '../../../src/storage/access/consent.ts';
import { listContentChannels, saveContentChannel } from '../../../src/storage/access/content-channel.ts';
import { listInvoices, markInvoicePaid, nextInvoiceNumber } from '../../../src/storage/access/invoice.ts';
import {
  findPackage,
  insertPackage,
  insertProduct,
  listPackages,
  listProducts,
} from '../../../src/storage/access/package.ts';
import {
  findSubscription,
  insertSubscription,
  listCustomProperties,
  listSubscriptions,
  nextSubscriptionId,
} from '../../../src/storage/access/subscription.ts';
import { findMember } from '../../../src/storage/members/member.ts';
import { forgetRemembered } from '../../../src/storage/prepared.ts';
import type { Tx } from '../../../src/storage/store.ts';
import { forgottenCheckouts } from '../../../src/storage/sweep/forgotten.ts';
import { workOf } from '../../support/process/work.ts';
import { planOf, sentBy } from '../../support/queries/query-plan.ts';
import { consentChangeRecord, consentRecord, packageFacts } from '../../support/records/access-records.ts';
import { day, now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

/** A store whose member has this many subscriptions, each to a package of its own with three products. */
async function storeWithSubscriptions(count: number) {
  const store = await storeWithMember();
  await store.transaction(async (tx) => {
    const tenantId = 'tenant-a';
    const productIds: number[] = [];
    for (const name of ['Film', 'News', 'Sport']) productIds.push(await insertProduct(tx, tenantId, name));
    const texts = { name: 'Film', description: '' };
    await saveContentChannel(tx, { id: 'film', tenantId, productIds, ...texts });
    for (let subscriptionId = 1; subscriptionId <= count; subscriptionId += 1) {
      const packageId = await insertPackage(tx, tenantId, packageFacts(), productIds);
      const window = { activatedAt: now, expiresAt: now + day, customPropertyValues: {} };
      const known = { subscriptionId, tenantId, memberId: 'member-1', packageId };
      await insertSubscription(tx, beginSubscription({ ...known, ...window }, now));
    }
  });
  return store;
}

/** What the profile with active subscriptions reads of the member; the token was checked before. */
const profile = async (tx: Tx) => {
  await findMember(tx, 'tenant-a', 'member-1');
  return listSubscriptions(tx, 'member-1');
};

const contentAccess = async (tx: Tx) => {
  await profile(tx);
  return listContentChannels(tx, 'tenant-a');
};

describe('what the profiles read', () => {
  it('of any number of subscriptions takes the same two statements once their packages are known, with channels four', async () => {
    for (const count of [1, 40]) {
      const store = await storeWithSubscriptions(count);
      const { read, statements, withChannels } = await store.transaction(async (tx) => ({
        read: await profile(tx),
        statements: await sentBy(tx, profile),
        withChannels: await sentBy(tx, contentAccess),
      }));
      expect(read.map(({ products }) => products.length)).toEqual(Array.from({ length: count }, () => 3));
      expect([count, statements.length, withChannels.length]).toEqual([count, 2, 4]);
    }
  });

  it('finds the subscriptions by their member’s index, and each package and product by its key', async () => {
    const store = await storeWithSubscriptions(2);
    const plan = await store.transaction(async (tx) => {
      // What their insertion remembers of packages is asked for again.
      await forgetRemembered(tx);
      return planOf(tx, (listening) => listSubscriptions(listening, 'member-1'));
    });
    expect(plan.filter((step) => !step.startsWith('USE TEMP B-TREE'))).toEqual([
      'SEARCH subscriptions USING INDEX subscriptionsByMember (memberId=?)',
      ...[1, 2].flatMap(() => [
        'SEARCH packages USING INTEGER PRIMARY KEY (rowid=?)',
        'SEARCH packageProducts USING PRIMARY KEY (packageId=?)',
        'SEARCH products USING INTEGER PRIMARY KEY (rowid=?)',
      ]),
    ]);
  });
});

const member = { tenantId: 'tenant-a', id: 'member-1' };

describe('what is read of a member who answered consents again and again', () => {
  it('the last answers take one search for each consent, and the newest are read in their order', async () => {
    const store = await storeWithMember();
    const { last, newest, all } = await store.transaction(async (tx) => ({
      last: await planOf(tx, (listening) => listLastConsentChanges(listening, member)),
      newest: await planOf(tx, (listening) => listNewestConsentChanges(listening, 'member-1', 50)),
      all: await planOf(tx, (listening) => listConsentChanges(listening, 'member-1')),
    }));
    expect(last).toEqual([
      'SEARCH consents USING PRIMARY KEY (tenantId=?)',
      'SEARCH consentChanges USING INTEGER PRIMARY KEY (rowid=?)',
      'CORRELATED SCALAR SUBQUERY 1',
      'SEARCH given USING COVERING INDEX consentChangesByConsent (memberId=? AND consentId=?)',
    ]);
    const inOrder = ['SEARCH consentChanges USING INDEX consentChangesByMember (memberId=?)'];
    expect([newest, all]).toEqual([inOrder, inOrder]);
  });

  it('the last answers take no more work among 50,000 than among few', async () => {
    const store = await storeWithMember();
    const { few, many, found } = await store.transaction(async (tx) => {
      await saveConsent(tx, consentRecord());
      await saveConsent(tx, consentRecord({ id: 'offers' }));
      await insertConsentChange(tx, consentChangeRecord({ consentId: 'offers' }));
      await insertConsentChange(tx, consentChangeRecord());
      const work = () =>
        workOf(async () => {
          for (let n = 0; n < 20; n += 1) await listLastConsentChanges(tx, member);
        });
      await work();
      const few = await work();
      await sql`
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 50000)
        insert into consentChanges
          (tenantId, memberId, consentId, status, name, description, source, clientId, changedAt)
        select tenantId, memberId, consentId, iif(n % 2, 'accepted', 'withdrawn'), name, description, source,
          clientId, changedAt + n
        from consentChanges, numbers where consentId = 'newsletter'`.execute(tx);
      return { few, many: await work(), found: await listLastConsentChanges(tx, member) };
    });
    expect(found).toEqual([
      consentChangeRecord({ status: 'withdrawn', changedAt: consentChangeRecord().changedAt + 50_000 }),
      consentChangeRecord({ consentId: 'offers' }),
    ]);
    // Reading them all would be a hundred times as much.
    expect(many).toBeLessThan(few * 10 + 20);
  });
});

describe('the sweep of checkouts', () => {
  it('finds what is over by its index, of some payments and of all', async () => {
    const store = await storeWithMember();
    const [some, all] = await store.transaction((tx) =>
      Promise.all(
        forgottenCheckouts(['free', 'invoice'], now).map(({ bite }) =>
          planOf(tx, (listening) => bite(listening, '')),
        ),
      ),
    );
    expect(some).toContain(
      'SEARCH checkouts USING INDEX checkoutsByPaymentAndExpiry (payment=? AND state=? AND expiresAt<?)',
    );
    expect(all).toContain('SEARCH checkouts USING INDEX checkoutsByExpiry (state=? AND expiresAt<?)');
  });
});

describe('every read of packages, channels, consents, checkouts and invoices', () => {
  const reads: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
    findCheckout: (tx) => findCheckout(tx, 'tenant-a', 'checkout-1'),
    findPackage: (tx) => findPackage(tx, 'tenant-a', 1),
    findSubscription: (tx) => findSubscription(tx, 'tenant-a', 1),
    listCheckouts: (tx) => listCheckouts(tx, 'member-1'),
    listConsentChanges: (tx) => listConsentChanges(tx, 'member-1'),
    listLastConsentChanges: (tx) => listLastConsentChanges(tx, member),
    listNewestConsentChanges: (tx) => listNewestConsentChanges(tx, 'member-1', 50),
    listConsents: (tx) => listConsents(tx, 'tenant-a'),
    listContentChannels: (tx) => listContentChannels(tx, 'tenant-a'),
    listCustomProperties: (tx) => listCustomProperties(tx, 'tenant-a'),
    listInvoices: (tx) => listInvoices(tx, 'member-1'),
    listPackages: (tx) => listPackages(tx, 'tenant-a'),
    listProducts: (tx) => listProducts(tx, 'tenant-a'),
    listSubscriptions: (tx) => listSubscriptions(tx, 'member-1'),
    markInvoicePaid: (tx) => markInvoicePaid(tx, 'tenant-a', 1, now),
    nextInvoiceNumber: (tx) => nextInvoiceNumber(tx, 'tenant-a'),
    nextSubscriptionId,
    sweepOfPayments: async (tx) => forgottenCheckouts(['free', 'invoice'], now)[0]?.bite(tx, ''),
    sweepOfAll: async (tx) => forgottenCheckouts([], now)[1]?.bite(tx, ''),
  };

  it('searches, and scans no table', async () => {
    const store = await storeWithSubscriptions(2);
    const plans = await store.transaction(async (tx) => {
      const found: Record<string, readonly string[]> = {};
      for (const [name, read] of Object.entries(reads)) found[name] = await planOf(tx, read);
      return found;
    });
    for (const [name, plan] of Object.entries(plans)) {
      expect([name, plan.filter((step) => step.startsWith('SEARCH')).length > 0]).toEqual([name, true]);
      expect([name, plan.filter((step) => step.startsWith('SCAN'))]).toEqual([name, []]);
    }
  });

  it('would be seen to scan, if one did', async () => {
    const store = await storeWithMember();
    const plan = await store.transaction((tx) =>
      planOf(tx, (listening) => sql`select * from packages where name = 'Gold'`.execute(listening)),
    );
    expect(plan).toEqual(['SCAN packages']);
  });
});
