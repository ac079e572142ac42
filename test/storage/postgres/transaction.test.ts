import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { findClient, updateClient } from '../../../src/storage/clients/client.ts';
import { findSignIn, insertSignIn, rotateSignIn } from '../../../src/storage/grants/sign-in.ts';
import { StorageUnavailable, type Tx } from '../../../src/storage/store.ts';
import { countTrips } from '../../support/proxy/round-trips.ts';
import { clientRecord, now, signInRecord } from '../../support/records/records.ts';
import { insertRecords } from '../../support/records/store.ts';
import { openShared, sharedDatabase } from '../../support/run/test-store.ts';
import { useStarted } from '../../support/use-service.ts';

const { id, tenantId } = signInRecord();
const { clientId } = clientRecord();

describe('a transaction of PostgreSQL', () => {
  const database = useStarted(async () => countTrips(await sharedDatabase()));
  const open = async () => {
    const store = await openShared(database.url);
    return { ...store, stop: () => store.close() };
  };
  const store = useStarted(async () => {
    const opened = await open();
    await opened.transaction(async (tx) => {
      await insertRecords(tx);
      await insertSignIn(tx, signInRecord());
    });
    return opened;
  });
  const other = useStarted(open);

  const generation = () =>
    store.transaction(async (tx) => (await findSignIn(tx, tenantId, id))?.generation ?? 0);
  const rotate = async (tx: Tx) => {
    const from = (await findSignIn(tx, tenantId, id))?.generation ?? 0;
    await rotateSignIn(tx, { write: 'rotateSignIn', id, from, to: from + 1, at: now });
    return from + 1;
  };
  /** Lets the other process change what all remember. */
  const rename = async (name: string) => {
    await store.transaction((tx) => findClient(tx, tenantId, clientId));
    await other.transaction((tx) => updateClient(tx, { ...clientRecord(), name }));
  };
  const tripsOf = async (work: () => Promise<unknown>) => {
    const before = database.trips();
    await work();
    return database.trips() - before;
  };

  it('sends what it writes with the commit', async () => {
    const before = await generation();
    expect(await tripsOf(() => store.transaction(rotate))).toBe(2);
    expect(await generation()).toBe(before + 1);
  });

  it('writes nothing before it has begun for certain: outside of it nothing could be taken back', async () => {
    const from = await generation();
    const blind = (tx: Tx) => rotateSignIn(tx, { write: 'rotateSignIn', id, from, to: from + 1, at: now });
    expect(await tripsOf(() => store.transaction(blind))).toBe(2);
    expect(await generation()).toBe(from + 1);
  });

  it('takes back what it had written when its work throws, before that was answered too', async () => {
    const before = await generation();
    const failing = store.transaction(async (tx) => {
      await rotate(tx);
      throw new Error('of the work');
    });
    await expect(failing).rejects.toThrow('of the work');
    expect(await generation()).toBe(before);
  });

  it('fails with what failed first, and changes nothing, though the commit was sent behind it', async () => {
    const before = await generation();
    let runs = 0;
    const failing = store.transaction(async (tx) => {
      runs += 1;
      await rotate(tx);
      await insertSignIn(tx, signInRecord());
      await rotate(tx).catch(() => {});
      throw new Error('of what followed');
    });
    await expect(failing).rejects.toThrow('duplicate key value');
    // What another had added a moment ago the work may find the next time.
    expect(runs).toBe(3);
    expect(await generation()).toBe(before);
  });

  it('fails where a change finds no row, though the commit was sent behind it', async () => {
    const before = await generation();
    const move = { write: 'rotateSignIn', id, from: before + 7, to: before + 8, at: now } as const;
    const failing = store.transaction(async (tx) => {
      await rotate(tx);
      await rotateSignIn(tx, move);
    });
    await expect(failing).rejects.toThrow('rows changed where one was expected');
    expect(await generation()).toBe(before);
  });

  it('F1: of 60 that rotate at once through two processes each is counted', async () => {
    const before = await generation();
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? store : other).transaction(rotate)),
    );
    expect(new Set(all).size).toBe(60);
    expect(await generation()).toBe(before + 60);
  });

  it('Z7: is refused where the connection breaks between a write and its commit, and the next one is served', async () => {
    const before = await generation();
    const cut = store.transaction(async (tx) => {
      await rotate(tx);
      database.cutNext();
    });
    await expect(cut).rejects.toBeInstanceOf(StorageUnavailable);
    expect(await generation()).toBe(before);
  });

  it('Z7: is refused where the connection breaks as it begins, and the next one is served', async () => {
    await generation();
    database.cutNext();
    await expect(generation()).rejects.toBeInstanceOf(StorageUnavailable);
    expect(await generation()).toBeGreaterThan(0);
  });

  it('lets no other statement on its connection when it is over', async () => {
    let late: Tx | undefined;
    await store.transaction(async (tx) => {
      late = tx;
      await findSignIn(tx, tenantId, id);
    });
    await expect(findSignIn(late as Tx, tenantId, id)).rejects.toThrow('the transaction is over');
    await expect(sql`select 1`.execute(late as Tx)).rejects.toThrow('the transaction is over');
  });

  it('decision 51: work that began with what was remembered runs again where that has changed', async () => {
    await rename('new');
    const seen: (string | undefined)[] = [];
    const name = await store.transaction(async (tx) => {
      const client = await findClient(tx, tenantId, clientId);
      seen.push(client?.name);
      await findSignIn(tx, tenantId, id);
      return client?.name;
    });
    expect(name).toBe('new');
    expect(seen).toEqual([clientRecord().name, 'new']);
  });

  it('decision 51: what work found that began with what has changed since is not told, were it an error', async () => {
    await rename('newer');
    const found = store.transaction(async (tx) => {
      const client = await findClient(tx, tenantId, clientId);
      if (client?.name !== 'newer') throw new Error('of an old client');
      return client.name;
    });
    expect(await found).toBe('newer');
  });

  it('decision 51: work that writes at once writes once, where what was remembered has changed', async () => {
    await rename('newest');
    const from = await generation();
    await rename('even newer');
    const blind = async (tx: Tx) => {
      await findClient(tx, tenantId, clientId);
      await rotateSignIn(tx, { write: 'rotateSignIn', id, from, to: from + 1, at: now });
    };
    await store.transaction(blind);
    expect(await generation()).toBe(from + 1);
  });
});
