import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { prepareService } from '../../src/operations/service/service.ts';
import { createPasswords } from '../../src/secrets/password.ts';
import { openVault } from '../../src/secrets/vault.ts';
import { findService } from '../../src/storage/service.ts';
import { listTenants } from '../../src/storage/tenant.ts';
import { systemRandom } from '../../src/system/random.ts';
import { StartupError } from '../../src/system/startup-error.ts';
import { now } from '../support/records/records.ts';
import { newStore } from '../support/records/store.ts';

const vault = openVault(randomBytes(32));
const deps = { vault, passwords: createPasswords(), random: systemRandom, now };

describe('a new database', () => {
  it('of production is marked, and stays empty', async () => {
    const store = await newStore();
    await prepareService(store, 'production', deps, 3_000);
    expect(await store.transaction(findService)).toEqual({
      id: 1,
      environment: 'production',
      cleanedUntil: 0,
      keyCheck: vault.keyCheck,
      initialisedAt: now,
      setupHash: null,
      setupUsedAt: null,
      tokensFrom: 0,
    });
    expect(await store.transaction(listTenants)).toEqual([]);
  });
});

describe('a database that was prepared before', () => {
  it('opens again under the same environment and master key, and is left as it was', async () => {
    const store = await newStore();
    await prepareService(store, 'production', deps, 3_000);
    const service = await store.transaction(findService);
    await prepareService(store, 'production', { ...deps, now: now + 1 }, 4_000);
    expect(await store.transaction(findService)).toEqual(service);
  });

  it('of another master key is refused', async () => {
    const store = await newStore();
    await prepareService(store, 'production', deps, 3_000);
    const other = { ...deps, vault: openVault(randomBytes(32)) };
    const again = prepareService(store, 'production', other, 3_000);
    await expect(again).rejects.toThrow(StartupError);
    await expect(again).rejects.toThrow(
      'The master key is not the one this database was made with: put back',
    );
  });

  it('of production is refused for development', async () => {
    const store = await newStore();
    await prepareService(store, 'production', deps, 3_000);
    const again = prepareService(store, 'development', deps, 3_000);
    await expect(again).rejects.toThrow(StartupError);
    await expect(again).rejects.toThrow('was made for production and cannot be used for development');
  });
});

describe('a database of development', () => {
  it('holds the development tenants, follows its port (decision 4), and is refused for production', async () => {
    const store = await newStore();
    await prepareService(store, 'development', deps, 3_000);
    const tenants = (await store.transaction(listTenants)).map(({ tenant }) => tenant);
    expect(tenants.map(({ name, development }) => [name, development])).toEqual([
      ['Acme', true],
      ['Globex', true],
      ['Initech', true],
    ]);
    expect(tenants[0]).toMatchObject({ issuer: 'http://localhost:3000', host: 'localhost:3000' });

    await prepareService(store, 'development', deps, 4_000);
    const [acme] = await store.transaction(listTenants);
    expect(acme?.tenant).toMatchObject({ issuer: 'http://localhost:4000', host: 'localhost:4000' });

    const again = prepareService(store, 'production', deps, 3_000);
    await expect(again).rejects.toThrow('was made for development and cannot be used for production');
  });
});
