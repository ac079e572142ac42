import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { prepareSigningKey } from '../../src/operations/tenant/keys.ts';
import { createTenants } from '../../src/operations/tenant/open-tenants.ts';
import { prepareTenant, storeTenant } from '../../src/operations/tenant/tenant.ts';
import { signingKeyFor } from '../../src/secrets/signing.ts';
import { openVault } from '../../src/secrets/vault.ts';
import { insertSigningKey, retireSigningKey } from '../../src/storage/tenant.ts';
import { day, now, tenantRecord } from '../support/records/records.ts';
import { newStore } from '../support/records/store.ts';

const vault = openVault(randomBytes(32));

/** Made once for all tests: RSA keys take their time. */
const prepared = await prepareTenant(tenantRecord('a'), vault, now);

/** A store with tenant a alone, and what reads it anew. */
async function storeWithTenant() {
  const store = await newStore();
  await store.transaction((tx) => storeTenant(tx, prepared, now));
  const tenants = createTenants(vault);
  const reload = async () => {
    await store.transaction((tx) => tenants.reload(tx));
    const tenant = tenants.byHost('a.test');
    if (tenant === null) throw new Error('no tenant');
    return tenant;
  };
  return { store, reload };
}

describe('a new tenant', () => {
  it('has a key for access tokens and one for id_tokens, which sign from the start (decision 26)', async () => {
    const { reload } = await storeWithTenant();
    const { keys, tokenKey } = await reload();
    expect(keys.map(({ algorithm }) => algorithm).sort()).toEqual(['ES256', 'RS256']);
    for (const { algorithm } of keys) expect(signingKeyFor(keys, algorithm, now).algorithm).toBe(algorithm);
    expect(tokenKey.symmetricKeySize).toBe(32);
  });

  it('has its private keys and its token key encrypted, for itself alone', () => {
    for (const sealed of [prepared.tokenKey, ...prepared.keys.map(({ privateKey }) => privateKey)]) {
      expect(() => vault.decrypt(sealed, 'tenant-a')).not.toThrow();
      expect(() => vault.decrypt(sealed, 'tenant-b')).toThrow();
    }
  });

  it('publishes nothing private', async () => {
    const { reload } = await storeWithTenant();
    for (const { publicJwk } of (await reload()).keys) {
      expect(
        Object.keys(publicJwk).filter((member) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(member)),
      ).toEqual([]);
    }
  });
});

describe.each(['ES256', 'RS256'] as const)('M16: the next signing key of %s', async (algorithm) => {
  const next = await prepareSigningKey('tenant-a', algorithm, vault, now);

  it('is published for a day before it signs: not 1 ms less', async () => {
    const { store, reload } = await storeWithTenant();
    const first = signingKeyFor((await reload()).keys, algorithm, now);
    await store.transaction(async (tx) => insertSigningKey(tx, next));
    const { keys } = await reload();
    expect(keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining([first.kid, next.kid]));
    expect(signingKeyFor(keys, algorithm, now + day - 1).kid).toBe(first.kid);
    expect(signingKeyFor(keys, algorithm, now + day).kid).toBe(next.kid);
  });

  it('Z18: where the clock was set back to before any key, the first of them signs', async () => {
    const { store, reload } = await storeWithTenant();
    const first = signingKeyFor((await reload()).keys, algorithm, now);
    await store.transaction(async (tx) => insertSigningKey(tx, next));
    expect(signingKeyFor((await reload()).keys, algorithm, now - 365 * day).kid).toBe(first.kid);
  });

  it('leaves the one before it published until that is retired', async () => {
    const { store, reload } = await storeWithTenant();
    const first = signingKeyFor((await reload()).keys, algorithm, now);
    await store.transaction(async (tx) => {
      await insertSigningKey(tx, next);
      await retireSigningKey(tx, first.kid, now + 2 * day);
    });
    const kids = (await reload()).keys.map(({ kid }) => kid);
    expect(kids).toContain(next.kid);
    expect(kids).not.toContain(first.kid);
  });
});
