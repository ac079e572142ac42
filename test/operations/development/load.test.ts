import { expect, it } from 'vitest';
import { hashOf } from '../../../src/operations/development/load.ts';
import { developmentPassword, developmentPasswordHash } from '../../../src/operations/development/members.ts';
import { prepareService } from '../../../src/operations/service/service.ts';
import { plainTenant } from '../../../src/operations/tenant/tenant.ts';
import { createPasswords } from '../../../src/secrets/password.ts';
import { newMasterKey, openVault } from '../../../src/secrets/vault.ts';
import { openMemoryStore } from '../../../src/storage/sqlite/open.ts';
import { insertTenant, listTenants } from '../../../src/storage/tenant.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { quickPasswords } from '../../support/run/fixture-folders.ts';

it('the known hash of the password of development is one of it, as they are made today', async () => {
  const passwords = createPasswords();
  expect(await hashOf(developmentPassword, passwords)).toBe(developmentPasswordHash);
  expect(passwords.isWeak(developmentPasswordHash)).toBe(false);
  expect(await passwords.verify(developmentPassword, developmentPasswordHash)).toBe(true);
  // Where others are made, so is this one.
  expect(await hashOf(developmentPassword, quickPasswords())).not.toBe(developmentPasswordHash);
});

it('every development tenant lives at the port of the start, and others where they are', async () => {
  const store = await openMemoryStore();
  const [vault, passwords, random, now] = [
    openVault(newMasterKey()),
    quickPasswords(),
    systemRandom,
    Date.UTC(2026, 0),
  ] as const;
  const deps = { vault, passwords, random, now };
  await prepareService(store, 'development', deps, 3_000, 'first');
  const own = {
    ...plainTenant,
    id: 'own',
    name: 'Own',
    issuer: 'http://own.localhost:3000',
    host: 'own.localhost:3000',
  };
  const other = {
    ...plainTenant,
    id: 'other',
    name: 'Other',
    issuer: 'https://login.example',
    host: 'login.example',
  };
  await store.transaction(async (tx) => {
    await insertTenant(tx, { ...own, development: true }, Buffer.alloc(32), now);
    await insertTenant(tx, other, Buffer.alloc(32), now);
  });
  await prepareService(store, 'development', deps, 4_000);
  const issuers = (await store.transaction(listTenants)).map(({ tenant }) => tenant.issuer);
  expect(issuers.toSorted()).toEqual([
    'http://localhost:4000',
    'http://own.localhost:4000',
    'https://login.example',
  ]);
  await store.close();
});
