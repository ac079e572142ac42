import { onTestFinished } from 'vitest';
import { insertClient } from '../../../src/storage/clients/client.ts';
import { insertSession } from '../../../src/storage/grants/session.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import type { Store, Tx } from '../../../src/storage/store.ts';
import { insertTenant } from '../../../src/storage/tenant.ts';
import { copyFixtures } from '../run/fixture-folders.ts';
import { openTestStore } from '../run/test-store.ts';
import { clientRecord, memberRecord, now, sessionRecord, tenantRecord } from './records.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A new store on a file of its own, closed when the test is over. */
export async function newStore(folder = temporaryFolder()): Promise<Store> {
  copyFixtures('nothing', folder);
  const store = await openTestStore(folder, true);
  onTestFinished(() => store.close());
  return store;
}

/** A new store that holds what `insertRecords` puts into it. */
export async function storeWithMember(folder = temporaryFolder()): Promise<Store> {
  const store = await newStore(folder);
  await store.transaction(insertRecords);
  return store;
}

/** What other rows refer to: the tenants a and b, and of tenant a the client, the member and the session. */
export async function insertRecords(tx: Tx): Promise<void> {
  await insertTenant(tx, tenantRecord('a'), Buffer.from('key of a'), now);
  await insertTenant(tx, tenantRecord('b'), Buffer.from('key of b'), now);
  await insertClient(tx, clientRecord(), now);
  await insertMember(tx, memberRecord(), 'hash of member-1');
  await insertSession(tx, sessionRecord());
}
