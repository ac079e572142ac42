import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { reencrypt } from '../../src/operations/service/master-key.ts';
import { prepareSigningKey, replaceRestoredKeys, rotateDueKeys } from '../../src/operations/tenant/keys.ts';
import { createTenants } from '../../src/operations/tenant/open-tenants.ts';
import { prepareTenant, storeTenant } from '../../src/operations/tenant/tenant.ts';
import { openVault } from '../../src/secrets/vault.ts';
import { insertMail } from '../../src/storage/members/mail.ts';
import { listAuditEvents } from '../../src/storage/operators/audit-list.ts';
import { findService, insertService } from '../../src/storage/service.ts';
import type { Store } from '../../src/storage/store.ts';
import { insertSigningKey, listSigningKeys } from '../../src/storage/tenant.ts';
import { StartupError } from '../../src/system/startup-error.ts';
import { day, hour, now, tenantRecord } from '../support/records/records.ts';
import { newStore } from '../support/records/store.ts';

const vault = openVault(Buffer.alloc(32, 1));

/** Made once for all tests: RSA keys take their time. */
const prepared = await prepareTenant(tenantRecord('a'), vault, now);

async function storeWithTenant(): Promise<Store> {
  const store = await newStore();
  await store.transaction((tx) => storeTenant(tx, prepared, now));
  return store;
}

describe('M16, I5: the automatic rotation of keys', () => {
  const keysOf = (store: Store) => store.transaction((tx) => listSigningKeys(tx, 'tenant-a'));

  it('publishes the next key 24 hours ahead, signs with it for the next 90 days, and retires the one before', async () => {
    const store = await storeWithTenant();
    const tenants = createTenants(vault);
    await store.transaction((tx) => tenants.reload(tx));
    const rotate = (at: number) => rotateDueKeys(store, { vault, tenants, now: at });
    const published = () => tenants.byHost('a.test')?.keys.length;

    expect(await rotate(now + 89 * day - 1)).toBe(0);
    const due = now + 89 * day;
    expect(await rotate(due)).toBe(2);
    expect(await rotate(due + hour)).toBe(0);
    expect(published()).toBe(4);
    expect((await keysOf(store)).map(({ activeFrom }) => activeFrom)).toEqual([
      now,
      now,
      due + day,
      due + day,
    ]);
    const over = due + day + 4 * hour;
    expect(await rotate(over - 1)).toBe(0);
    expect(await rotate(over)).toBe(2);
    expect(published()).toBe(2);
    const events = await store.transaction((tx) => listAuditEvents(tx, { event: 'key_rotated' }, 10));
    expect(events).toHaveLength(4);
    for (const event of events) {
      expect(event).toMatchObject({ tenantId: 'tenant-a', actorKind: 'service', result: 'done' });
    }
    expect(new Set(events.map(({ target }) => target))).toEqual(
      new Set((await keysOf(store)).map(({ kid }) => kid)),
    );
  });

  it('done twice at the same moment publishes one key', async () => {
    const store = await storeWithTenant();
    const deps = { vault, tenants: createTenants(vault), now: now + 89 * day };
    const done = await Promise.all([rotateDueKeys(store, deps), rotateDueKeys(store, deps)]);
    expect(done.toSorted()).toEqual([0, 2]);
    expect(await keysOf(store)).toHaveLength(4);
  });
});

describe('another master key', () => {
  const other = openVault(randomBytes(32));
  const message = { tenantId: 'tenant-a', name: 'signUp', recipientHash: null } as const;

  async function storeToReencrypt(): Promise<Store> {
    const store = await storeWithTenant();
    await store.transaction(async (tx) => {
      await insertService(tx, { environment: 'production', keyCheck: vault.keyCheck, initialisedAt: now });
      await insertMail(tx, { ...message, message: vault.encrypt(Buffer.from('a mail'), 'tenant-a') }, now);
      await insertMail(tx, { ...message, message: Buffer.from('unreadable before') }, now);
    });
    return store;
  }

  const stored = (store: Store) =>
    store.transaction(async (tx) => ({
      tenants: await tx.selectFrom('tenants').selectAll().execute(),
      keys: await listSigningKeys(tx, 'tenant-a'),
      mails: await tx.selectFrom('mails').selectAll().orderBy('id').execute(),
      service: await findService(tx),
    }));

  it('reads everything that the old one read, and the old one nothing any more', async () => {
    const store = await storeToReencrypt();
    const before = createTenants(vault);
    await store.transaction((tx) => before.reload(tx));
    expect(await reencrypt(store, vault, other)).toBe(4);

    const after = createTenants(other);
    await store.transaction((tx) => after.reload(tx));
    const tenant = after.byHost('a.test');
    expect(tenant?.tokenKey).toEqual(before.byHost('a.test')?.tokenKey);
    expect(tenant?.keys.map(({ kid }) => kid)).toEqual(before.byHost('a.test')?.keys.map(({ kid }) => kid));
    const { tenants, keys, mails, service } = await stored(store);
    expect(service?.keyCheck).toBe(other.keyCheck);
    expect(other.decrypt(mails[0]?.message ?? Buffer.alloc(0), 'tenant-a').toString()).toBe('a mail');
    expect(mails[1]?.message).toEqual(Buffer.from('unreadable before'));
    const sealed = [...tenants.map(({ tokenKey }) => tokenKey), ...keys.map(({ privateKey }) => privateKey)];
    for (const one of sealed) expect(() => vault.decrypt(one, 'tenant-a')).toThrow();
  });

  it('is refused where the database was made with neither, and everything stays as it was', async () => {
    const store = await storeToReencrypt();
    const before = await stored(store);
    await expect(reencrypt(store, other, openVault(randomBytes(32)))).rejects.toThrow(StartupError);
    expect(await stored(store)).toEqual(before);
  });

  it('is all or nothing: a key that cannot be read leaves everything as it was', async () => {
    const store = await storeToReencrypt();
    await store.transaction((tx) =>
      tx
        .updateTable('signingKeys')
        .set({ privateKey: Buffer.alloc(64) })
        .where('algorithm', '=', 'RS256')
        .execute(),
    );
    const before = await stored(store);
    await expect(reencrypt(store, vault, other)).rejects.toThrow();
    expect(await stored(store)).toEqual(before);
  });
});

describe('the keys after a restore (security, promise 6)', () => {
  it('I57: are of every algorithm that the tenant had', async () => {
    const store = await storeWithTenant();
    const edDsa = await prepareSigningKey('tenant-a', 'EdDSA', vault, now, now);
    await store.transaction(async (tx) => {
      await insertSigningKey(tx, edDsa);
      await insertService(tx, { environment: 'production', keyCheck: vault.keyCheck, initialisedAt: now });
      await tx
        .updateTable('service')
        .set({ tokensFrom: now + day })
        .execute();
    });
    expect(await replaceRestoredKeys(store, { vault, now: now + day })).toBe(3);
    const keys = await store.transaction((tx) => listSigningKeys(tx, 'tenant-a'));
    const live = keys.filter(({ retiredAt }) => retiredAt === null);
    expect(live.map(({ algorithm }) => algorithm).sort()).toEqual(['ES256', 'EdDSA', 'RS256']);
    expect(live.map(({ kid }) => kid)).not.toContain(edDsa.kid);
  });

  it('are all new ones, once: a backup may hold what was retired since because it was stolen', async () => {
    const store = await storeWithTenant();
    const keysOf = () => store.transaction((tx) => listSigningKeys(tx, 'tenant-a'));
    await store.transaction((tx) =>
      insertService(tx, { environment: 'production', keyCheck: vault.keyCheck, initialisedAt: now }),
    );
    expect(await replaceRestoredKeys(store, { vault, now })).toBe(0);
    await store.transaction((tx) =>
      tx
        .updateTable('service')
        .set({ tokensFrom: now + day })
        .execute(),
    );
    const starting = () => replaceRestoredKeys(store, { vault, now: now + day });
    expect((await Promise.all([starting(), starting()])).toSorted()).toEqual([0, 2]);
    const keys = await keysOf();
    expect(keys.map(({ createdAt, retiredAt }) => [createdAt, retiredAt])).toEqual([
      [now, now + day],
      [now, now + day],
      [now + day, null],
      [now + day, null],
    ]);
    expect(await replaceRestoredKeys(store, { vault, now: now + day + hour })).toBe(0);
  });
});
