import { expect, it } from 'vitest';
import {
  deletePasskey,
  findPasskey,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeys,
  updatePasskey,
} from '../../../src/storage/members/passkey.ts';
import { now, passkeyRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const one = passkeyRecord();
const other = passkeyRecord({
  id: 'passkey-2',
  credentialId: 'credential-2',
  isSynced: false,
  lastUsedAt: null,
});

it('passkeys are read as they were written, the newest first, and no other tenant finds them', async () => {
  const store = await storeWithMember();
  await store.transaction(async (tx) => {
    for (const passkey of [one, other]) await insertPasskey(tx, passkey);
  });
  const found = await store.transaction(async (tx) => ({
    all: await listPasskeys(tx, 'member-1'),
    byId: await findPasskey(tx, 'member-1', 'passkey-1'),
    byCredential: await findPasskeyByCredential(tx, 'tenant-a', 'credential-2'),
    abroad: await findPasskeyByCredential(tx, 'tenant-b', 'credential-2'),
    ofAnother: await findPasskey(tx, 'member-2', 'passkey-1'),
  }));
  expect(found).toEqual({ all: [other, one], byId: one, byCredential: other, abroad: null, ofAnother: null });
});

it('of a passkey its name changes, and what its use leaves; and it can be deleted', async () => {
  const store = await storeWithMember();
  const used = { ...one, name: 'Work', counter: 9, isBackedUp: false, lastUsedAt: now, userAgent: 'Chrome' };
  const left = await store.transaction(async (tx) => {
    await insertPasskey(tx, one);
    await insertPasskey(tx, other);
    await updatePasskey(tx, used);
    await deletePasskey(tx, other);
    return listPasskeys(tx, 'member-1');
  });
  expect(left).toEqual([used]);
});

it('an authenticator’s key is of one member of a tenant', async () => {
  const store = await storeWithMember();
  await store.transaction((tx) => insertPasskey(tx, one));
  const again = store.transaction((tx) => insertPasskey(tx, { ...one, id: 'passkey-3' }));
  await expect(again).rejects.toThrow();
});
