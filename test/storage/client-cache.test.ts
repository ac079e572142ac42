import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/core/client.ts';
import {
  findClient,
  insertClient,
  updateClient,
  updateDeviceFlow,
} from '../../src/storage/clients/client.ts';
import type { Store, Tx } from '../../src/storage/store.ts';
import { clientRecord, now } from '../support/records/records.ts';
import { storeWithMember } from '../support/records/store.ts';

const { tenantId, clientId } = clientRecord();
const find = (tx: Tx, id = clientId) => findClient(tx, tenantId, id);
const found = async (store: Store, id = clientId): Promise<Client> => {
  const client = await store.transaction((tx) => find(tx, id));
  if (client === null) throw new Error('no such client');
  return client;
};

describe('a client that was read before', () => {
  it('is not read again', async () => {
    const store = await storeWithMember();
    expect(await found(store)).toBe(await found(store));
  });

  it('is read as it was changed, disabled or registered, at once', async () => {
    const store = await storeWithMember();
    const client = await found(store);
    await store.transaction((tx) => updateClient(tx, { ...client, accessTokenSeconds: 77 }));
    expect((await found(store)).accessTokenSeconds).toBe(77);
    await store.transaction((tx) => updateDeviceFlow(tx, tenantId, clientId, !client.deviceFlow));
    expect((await found(store)).deviceFlow).toBe(!client.deviceFlow);
    await store.transaction((tx) => insertClient(tx, { ...client, clientId: 'other' }, now));
    expect((await found(store, 'other')).clientId).toBe('other');
    await store.transaction((tx) => updateClient(tx, { ...client, disabledAt: now }));
    expect(await store.transaction((tx) => find(tx))).toBeNull();
  });

  it('is not remembered as a transaction saw it that was rolled back', async () => {
    const store = await storeWithMember();
    const client = await found(store);
    const failing = store.transaction(async (tx) => {
      await updateClient(tx, { ...client, accessTokenSeconds: 77 });
      expect((await find(tx))?.accessTokenSeconds).toBe(77);
      throw new Error('rolled back');
    });
    const beside = store.transaction((tx) => find(tx));
    await expect(failing).rejects.toThrow('rolled back');
    expect((await beside)?.accessTokenSeconds).toBe(client.accessTokenSeconds);
    expect(await found(store)).toEqual(client);
  });
});
