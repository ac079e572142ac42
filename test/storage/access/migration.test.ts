import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';
import { isoTime } from '../../../src/core/access/iso-time.ts';
import { profileOf } from '../../../src/core/access/profile.ts';
import { standingOf } from '../../../src/core/access/subscription.ts';
import { sightOf } from '../../../src/core/oidc/scope.ts';
import { listPackages } from '../../../src/storage/access/package.ts';
import { listSubscriptions, nextSubscriptionId } from '../../../src/storage/access/subscription.ts';
import { listTenants } from '../../../src/storage/tenant.ts';
import { day, memberRecord } from '../../support/records/records.ts';
import { newStore } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

/** A migration asks the clock of the machine whose time has come. */
const now = Date.now();

/** A folder with a database as the version before packages, channels and checkouts left it. */
async function olderDatabase(fill: (old: SQLite.Database) => void): Promise<string> {
  const folder = temporaryFolder();
  const old = new SQLite(join(folder, 'memberdoor.db'));
  old.pragma(`application_id = ${0x4d444f52}`);
  const kysely = new Kysely<unknown>({ dialect: new SqliteDialect({ database: old }) });
  const provider = { getMigrations: async () => ({ ...migrations }) };
  const { error } = await new Migrator({ db: kysely, provider }).migrateTo('0003-members');
  if (error !== undefined) throw error;
  fill(old);
  await kysely.destroy();
  return folder;
}

const insertAll = (old: SQLite.Database, table: string, rows: readonly Record<string, unknown>[]) => {
  for (const row of rows) {
    const names = Object.keys(row);
    const values = names.map((name) => `@${name}`);
    old.prepare(`insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`).run(row);
  }
};

const member = {
  id: 'member-1',
  tenantId: 'tenant-a',
  userId: 101,
  memberNumber: 9_001,
  email: 'ada@example.test',
  normalisedEmail: 'ada@example.test',
  emailVerified: 1,
  passwordHash: 'hash',
  fullName: 'Ada Berg',
  nickName: '',
  phone: '',
  phoneVerified: 0,
  userType: 'member',
  status: 'active',
  createdAt: now,
  updatedAt: now,
};

const tenant = {
  id: 'tenant-a',
  name: 'A',
  issuer: 'https://a.test',
  host: 'a.test',
  brandColor: '#000000',
  development: 0,
  tokenKey: Buffer.from('key'),
  createdAt: 1,
};

/** Three subscriptions: one runs, one is over, one begins tomorrow. */
function fill(old: SQLite.Database): void {
  insertAll(old, 'tenants', [tenant]);
  insertAll(old, 'members', [member]);
  insertAll(old, 'packages', [{ id: 7, tenantId: 'tenant-a', name: 'Gold' }]);
  insertAll(old, 'products', [{ id: 71, tenantId: 'tenant-a', name: 'Film' }]);
  insertAll(old, 'packageProducts', [{ packageId: 7, productId: 71 }]);
  const facts = { tenantId: 'tenant-a', memberId: 'member-1', packageId: 7, createdAt: now - 30 * day };
  const windows = [
    { id: 41, activatedAt: now - 20 * day, expiresAt: now + 10 * day, customPropertyValues: '{"seats":2}' },
    { id: 42, activatedAt: now - 30 * day, expiresAt: now - day, customPropertyValues: '{}' },
    { id: 43, activatedAt: now + day, expiresAt: now + 31 * day, customPropertyValues: '{}' },
  ];
  insertAll(
    old,
    'subscriptions',
    windows.map((window) => ({ ...facts, ...window })),
  );
}

describe('a database from before packages had prices and subscriptions a state', () => {
  it('opens with what every subscription was, and the clock says what it is', async () => {
    const store = await newStore(await olderDatabase(fill));
    const subscriptions = await store.transaction((tx) => listSubscriptions(tx, 'member-1'));
    expect(subscriptions.map((one) => [one.subscriptionId, standingOf(one, now)])).toEqual([
      [41, 'active'],
      [42, 'expired'],
      [43, 'pending'],
    ]);
    expect(subscriptions[0]).toEqual({
      subscriptionId: 41,
      tenantId: 'tenant-a',
      memberId: 'member-1',
      packageId: 7,
      packageName: 'Gold',
      products: [{ id: 71, name: 'Film' }],
      price: { amount: 0, currency: 'EUR' },
      period: { unit: 'month', count: 1 },
      renews: false,
      state: 'active',
      createdAt: now - 30 * day,
      activatedAt: now - 20 * day,
      expiresAt: now + 10 * day,
      cancelledAt: null,
      endedAt: null,
      customPropertyValues: { seats: 2 },
    });
    expect(await store.transaction(nextSubscriptionId)).toBe(44);
  });

  it('lists in the profile what it listed: today the one, from tomorrow on both, later none', async () => {
    const store = await newStore(await olderDatabase(fill));
    const subscriptions = await store.transaction((tx) => listSubscriptions(tx, 'member-1'));
    const everything = sightOf(true, '');
    const listedAt = (at: number) =>
      profileOf(memberRecord(), subscriptions, everything, at).subscriptions.map(
        ({ subscriptionId }) => subscriptionId,
      );
    expect(listedAt(now)).toEqual([41]);
    expect(listedAt(now + day)).toEqual([41, 43]);
    expect(listedAt(now + 31 * day)).toEqual([]);
    expect(profileOf(memberRecord(), subscriptions, everything, now).subscriptions).toEqual([
      {
        subscriptionId: 41,
        packageId: 7,
        packageName: 'Gold',
        status: 'active',
        createdAt: isoTime(now - 30 * day),
        activatedAt: isoTime(now - 20 * day),
        expiresAt: isoTime(now + 10 * day),
        subscriptionProducts: [{ id: 71, name: 'Film', hasAccess: true }],
        customPropertyValues: { seats: 2 },
      },
    ]);
  });

  it('offers none of its packages, and leads a checkout back nowhere, until an operator says so', async () => {
    const store = await newStore(await olderDatabase(fill));
    expect(await store.transaction((tx) => listPackages(tx, 'tenant-a'))).toEqual([
      {
        id: 7,
        tenantId: 'tenant-a',
        name: 'Gold',
        description: '',
        products: [{ id: 71, name: 'Film' }],
        price: { amount: 0, currency: 'EUR' },
        taxName: '',
        taxPercent: null,
        period: { unit: 'month', count: 1 },
        renews: false,
        payment: 'free',
        needsAddress: false,
        seats: null,
        offered: false,
        networks: [],
      },
    ]);
    const tenants = await store.transaction(listTenants);
    expect(tenants.map((one) => one.tenant.returnOrigins)).toEqual([[]]);
    expect(tenants.map((one) => one.tenant.invoicing.dueDays)).toEqual([14]);
  });

  it('has no row that refers to nothing', async () => {
    const folder = await olderDatabase(fill);
    const store = await newStore(folder);
    await store.transaction(nextSubscriptionId);
    const reader = new SQLite(join(folder, 'memberdoor.db'), { readonly: true });
    expect([reader.pragma('foreign_key_check'), reader.pragma('integrity_check', { simple: true })]).toEqual([
      [],
      'ok',
    ]);
    reader.close();
  });
});
