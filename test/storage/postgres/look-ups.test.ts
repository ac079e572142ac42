import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { findClient } from '../../../src/storage/clients/client.ts';
import { connectionOf, forgetRemembered } from '../../../src/storage/prepared.ts';
import { findService, insertService, saveSetupHash } from '../../../src/storage/service.ts';
import { StorageUnavailable, type Tx } from '../../../src/storage/store.ts';
import { countTrips } from '../../support/proxy/round-trips.ts';
import { openShared, sharedDatabase } from '../../support/run/test-store.ts';
import { useStarted } from '../../support/use-service.ts';

describe('work that only reads, on PostgreSQL', () => {
  const stores = useStarted(async () => {
    const trips = await countTrips(await sharedDatabase());
    const [one, other] = await Promise.all([openShared(trips.url), openShared(trips.url)]);
    const service = { environment: 'development', initialisedAt: 0, keyCheck: '' } as const;
    await one.transaction((tx) => insertService(tx, service));
    const stop = async () => {
      await Promise.all([one.close(), other.close()]);
      await trips.stop();
    };
    return { trips, one, other, stop };
  });
  const hashIn = async (tx: Tx) => (await findService(tx))?.setupHash;
  const save = (hash: string) => stores.other.transaction((tx) => saveSetupHash(tx, hash));

  it('pieces that come together share a snapshot: one round trip, and one that nothing waits for', async () => {
    await stores.one.transaction(hashIn);
    const before = stores.trips.trips();
    const versions = await Promise.all(
      Array.from({ length: 200 }, () =>
        stores.one.lookUp(async (tx) => {
          await hashIn(tx);
          return connectionOf(tx).version;
        }),
      ),
    );
    expect(stores.trips.trips() - before).toBeLessThanOrEqual(2);
    expect(new Set(versions).size).toBe(1);
  });

  it('what another process has committed before is seen, also what is remembered', async () => {
    for (const hash of ['first', 'second']) {
      await stores.one.lookUp(hashIn);
      await stores.other.transaction(async (tx) => {
        await saveSetupHash(tx, hash);
        await forgetRemembered(tx);
      });
      const version = await stores.other.transaction(async (tx) => connectionOf(tx).version);
      const seen = await stores.one.lookUp(async (tx) => [await hashIn(tx), connectionOf(tx).version]);
      expect(seen).toEqual([hash, version]);
    }
  });

  it('what a piece expected to see is certain before it fails', async () => {
    const { version } = await stores.one.transaction(async (tx) => connectionOf(tx));
    await stores.other.transaction(forgetRemembered);
    const seen: number[] = [];
    await expect(
      stores.one.lookUp(async (tx) => {
        seen.push(connectionOf(tx).version);
        throw new RangeError('for what it saw');
      }),
    ).rejects.toThrow(RangeError);
    expect(seen).toEqual([version, version + 1]);
  });

  it('a piece that changes something after all runs once more, in a transaction of its own', async () => {
    let runs = 0;
    const change = stores.one.lookUp(async (tx) => {
      runs += 1;
      await hashIn(tx);
      await saveSetupHash(tx, 'changed');
      return 'done';
    });
    const beside = Promise.all(Array.from({ length: 20 }, () => stores.one.lookUp(async () => 'read')));
    expect(await change).toBe('done');
    expect(new Set(await beside)).toEqual(new Set(['read']));
    expect(runs).toBe(2);
    expect(await stores.other.transaction(hashIn)).toBe('changed');
  });

  it('a piece that fails by itself is not run again, and takes no other with it', async () => {
    let runs = 0;
    const failing = stores.one.lookUp(async (tx) => {
      runs += 1;
      await hashIn(tx);
      throw new RangeError('of the work');
    });
    const beside = stores.one.lookUp(hashIn);
    await expect(failing).rejects.toThrow(RangeError);
    await expect(beside).resolves.toBe(await stores.other.transaction(hashIn));
    expect(runs).toBe(1);
  });

  it('a piece that asks for a NUL, which no text holds, finds nothing and takes no other with it', async () => {
    await stores.one.lookUp(hashIn);
    let runs = 0;
    const beside = stores.one.lookUp(async (tx) => {
      runs += 1;
      return hashIn(tx);
    });
    const asked = stores.one.lookUp((tx) => findClient(tx, 'a\0b', 'a\0b'));
    await expect(asked).resolves.toBeNull();
    await beside;
    expect(runs).toBe(1);
  });

  it('a snapshot that a statement fails in, or that is of another version, leaves its connection', async () => {
    const connection = async (tx: Tx) =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows;
    const before = await stores.one.lookUp(connection);
    await expect(stores.one.lookUp((tx) => sql`select 1 / 0`.execute(tx))).rejects.toThrow('division');
    expect(await stores.one.lookUp(connection)).toEqual(before);
    await stores.other.transaction(forgetRemembered);
    await stores.one.lookUp(hashIn);
    expect(await stores.one.lookUp(connection)).toEqual(before);
  });

  it('pieces whose connection breaks are answered by another', async () => {
    await save('unbroken');
    await stores.one.lookUp(hashIn);
    stores.trips.cutNext();
    const seen = await Promise.all(Array.from({ length: 20 }, () => stores.one.lookUp(hashIn)));
    expect(new Set(seen)).toEqual(new Set(['unbroken']));
  });

  it('without a database each is told so', async () => {
    const trips = await countTrips(await sharedDatabase());
    const store = await openShared(trips.url);
    await trips.stop();
    await expect(Promise.allSettled([1, 2].map(() => store.lookUp(hashIn)))).resolves.toEqual(
      [1, 2].map(() => ({ status: 'rejected', reason: expect.any(StorageUnavailable) })),
    );
    await store.close();
  });
});
