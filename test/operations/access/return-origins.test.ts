import { expect, it } from 'vitest';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import type { Store } from '../../../src/storage/store.ts';
import { listTenants } from '../../../src/storage/tenant.ts';
import { problemsOf } from '../../support/expected/refusals.ts';
import { tenantRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const set = (store: Store, tenantId: string, origins: readonly string[]) =>
  store.transaction((tx) => changeTenant(tx, tenantId, { returnOrigins: origins }));

async function originsIn(store: Store) {
  const tenants = await store.transaction(listTenants);
  return tenants.map(({ tenant }) => tenant.returnOrigins);
}

const before = tenantRecord('b').returnOrigins;

it('decision 40: the return origins of a tenant are set, each once, and no other tenant’s change', async () => {
  const store = await storeWithMember();
  const origins = ['https://new.test', 'http://localhost:9876', 'https://new.test'];
  await set(store, 'tenant-a', origins);
  expect(await originsIn(store)).toEqual([['https://new.test', 'http://localhost:9876'], before]);
});

it('K2: return origins are refused with every one that is none, and nothing is changed', async () => {
  const store = await storeWithMember();
  const wrong = ['https://app.test/', 'http://app.test', 'https://*.app.test', 'null', 'a"b'];
  expect(
    await problemsOf(store, (tx) =>
      changeTenant(tx, 'tenant-a', { returnOrigins: ['https://new.test', ...wrong] }),
    ),
  ).toEqual(wrong.map((origin) => `"${origin}" is not an origin such as https://www.example.com`));
});

it('decision 40: none leads back nowhere, and an unknown tenant has none to set', async () => {
  const store = await storeWithMember();
  expect((await set(store, 'tenant-a', []))?.returnOrigins).toEqual([]);
  expect(await set(store, 'nobody', ['https://new.test'])).toBeNull();
  expect(await originsIn(store)).toEqual([[], before]);
});
