import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { groupQueue } from '../../../src/core/limits.ts';
import { postgresGroups, postgresTimes } from '../../../src/core/operators/store-limits.ts';
import { findClient, updateClient } from '../../../src/storage/clients/client.ts';
import { findSignIn, insertSignIn, rotateSignIn } from '../../../src/storage/grants/sign-in.ts';
import { mayTakeLong } from '../../../src/storage/prepared.ts';
import { insertUnverifiedClient } from '../../../src/storage/registration/unverified-client.ts';
import { CommitUnanswered, StorageUnavailable, type Store, type Tx } from '../../../src/storage/store.ts';
import { clientRecord, now, signInRecord } from '../../support/records/records.ts';
import { gated } from '../../support/run/gated.ts';
import { openShared, sharedDatabase } from '../../support/run/test-store.ts';

const { generation: first, id, tenantId } = signInRecord();
const { clientId } = clientRecord();

const generation = (store: Store) =>
  store.transaction(async (tx) => (await findSignIn(tx, tenantId, id))?.generation ?? 0);
const rotate = async (tx: Tx) => {
  const from = (await findSignIn(tx, tenantId, id))?.generation ?? 0;
  await rotateSignIn(tx, { write: 'rotateSignIn', id, from, to: from + 1, at: now });
  return from + 1;
};
/** A number that no other transaction has. */
const transactionOf = async (tx: Tx) =>
  (await sql<{ number: number }>`select txid_current() as number`.execute(tx)).rows[0]?.number;

/** Holds as many transactions under way as there may be, or fewer. @returns lets them end */
async function occupy(store: Store, most: number = postgresGroups.most): Promise<() => Promise<void>> {
  const goesOn = Promise.withResolvers<void>();
  const underWay: Promise<unknown>[] = [];
  for (let number = 0; number < most; number += 1) {
    const begun = Promise.withResolvers<void>();
    underWay.push(
      store.transaction(async (tx) => {
        await findSignIn(tx, tenantId, id);
        begun.resolve();
        await goesOn.promise;
      }),
    );
    await begun.promise;
  }
  return async () => {
    goesOn.resolve();
    await Promise.allSettled(underWay);
  };
}

/** Lets pieces of work come while none can begin: they share a transaction. */
async function together<T>(store: Store, pieces: readonly ((tx: Tx) => Promise<T>)[]) {
  const release = await occupy(store);
  const done = Promise.allSettled(pieces.map((piece) => store.transaction(piece)));
  await release();
  return done;
}

/** Work that counts how often it runs. */
function counted<T>(work: (tx: Tx) => Promise<T>) {
  const piece = async (tx: Tx) => {
    piece.runs += 1;
    return work(tx);
  };
  piece.runs = 0;
  return piece;
}

const several = <T>(work: (tx: Tx) => Promise<T>) => Array.from({ length: 5 }, () => counted(work));
const fulfilled = (value: unknown) => ({ status: 'fulfilled', value });
const failing = counted(async (tx: Tx) => {
  await rotate(tx);
  throw new RangeError('of the work');
});

describe('work that waits for its turn, on PostgreSQL', () => {
  it('shares a transaction, in which each piece sees what those before it changed', async () => {
    const { store } = await gated();
    const pieces = several(async (tx) => [await rotate(tx), await transactionOf(tx)]);
    const done = await together(store, pieces);
    const [, number] = (done[0] as PromiseFulfilledResult<unknown[]>).value;
    expect(done).toEqual(pieces.map((_, before) => fulfilled([first + before + 1, number])));
    expect(pieces.map(({ runs }) => runs)).toEqual([1, 1, 1, 1, 1]);
  });

  it('shares it while a second is under way, though more could be; one that takes long holds up nothing', async () => {
    const { store } = await gated();
    const release = await occupy(store, 2);
    const numbers = await Promise.all(several(transactionOf).map((piece) => store.transaction(piece)));
    expect(new Set(numbers).size).toBe(1);
    await release();
  });

  it('shares it with no more than 16, and none waits for ever', async () => {
    const { store } = await gated();
    const numbers = new Map<unknown, number>();
    await together(
      store,
      Array.from({ length: 60 }, () => async (tx: Tx) => {
        const number = await transactionOf(tx);
        numbers.set(number, (numbers.get(number) ?? 0) + 1);
      }),
    );
    expect([...numbers.values()].reduce((sum, count) => sum + count)).toBe(60);
    expect(Math.max(...numbers.values())).toBe(postgresGroups.pieces);
  });

  it('shares one more where another process was in the way', async () => {
    const { store, direct } = await gated();
    const meeting = counted(async (tx: Tx) => {
      await findSignIn(tx, tenantId, id);
      if (meeting.runs === 1) await direct.transaction(rotate);
      return [await rotate(tx), await transactionOf(tx)];
    });
    const pieces = [meeting, ...several(async (tx) => [await rotate(tx), await transactionOf(tx)])];
    const done = await together(store, pieces);
    const [, number] = (done[0] as PromiseFulfilledResult<unknown[]>).value;
    expect(done).toEqual(pieces.map((_, before) => fulfilled([first + before + 2, number])));
    expect(meeting.runs).toBe(2);
    expect((await store.figures()).retries).toBe(6);
  });

  it('is taken back alone where a piece throws that has changed something; the others are done once', async () => {
    const { store, direct } = await gated();
    const pieces = several(rotate);
    const done = await together(store, [...pieces, failing]);
    expect(done.slice(0, 5).map(({ status }) => status)).toEqual(pieces.map(() => 'fulfilled'));
    expect(done[5]).toEqual({ status: 'rejected', reason: new RangeError('of the work') });
    expect(await generation(direct)).toBe(first + 5);
    expect((await store.figures()).retries).toBeGreaterThanOrEqual(6);
  });

  it('is taken back alone where a statement of a piece fails', async () => {
    const { store, direct } = await gated();
    const doubling = async (tx: Tx) => {
      await rotate(tx);
      await insertSignIn(tx, signInRecord());
      return 0;
    };
    const done = await together(store, [...several(rotate), doubling]);
    expect(done[5]).toMatchObject({ status: 'rejected', reason: { code: '23505' } });
    expect(await generation(direct)).toBe(first + 5);
  });

  it('runs once where a piece throws that has changed nothing', async () => {
    const { store, direct } = await gated();
    const pieces = several(rotate);
    const reading = counted(async (tx: Tx) => {
      throw new RangeError(`at ${(await findSignIn(tx, tenantId, id))?.generation}`);
    });
    const done = await together<number>(store, [...pieces, reading, ...several(rotate)]);
    expect(done[5]).toEqual({ status: 'rejected', reason: new RangeError(`at ${first + 5}`) });
    expect([...pieces, reading].map(({ runs }) => runs)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(await generation(direct)).toBe(first + 10);
  });

  it('decision 51: sees what another process has changed of what is remembered', async () => {
    const { store, direct } = await gated();
    const nameIn = async (tx: Tx) => (await findClient(tx, tenantId, clientId))?.name;
    await store.transaction(nameIn);
    const release = await occupy(store);
    await direct.transaction((tx) => updateClient(tx, { ...clientRecord(), name: 'new' }));
    const done = Promise.allSettled(several(nameIn).map((piece) => store.transaction(piece)));
    await release();
    expect(await done).toEqual(Array.from({ length: 5 }, () => fulfilled('new')));
  });

  it('does not remember a client that registered itself and was taken back', async () => {
    const { store } = await gated();
    const client = clientRecord({ clientId: 'https://app.test/client', origin: 'document' });
    const find = (tx: Tx) => findClient(tx, tenantId, client.clientId);
    const registering = counted(async (tx: Tx) => {
      if (registering.runs > 1) throw new RangeError('no longer');
      const beside = { createdAt: now, lastUsedAt: now, registrationTokenHash: null, freshUntil: now };
      await insertUnverifiedClient(tx, { client, ...beside });
    });
    const seen: unknown[] = [];
    const finding = async (tx: Tx) => void seen.push((await find(tx))?.clientId);
    await together<void>(store, [registering, finding, failing as unknown as typeof finding]);
    expect(seen).toEqual([client.clientId, undefined]);
    expect(await store.transaction(find)).toBeNull();
  });

  it.each([
    ['changes what is remembered', (tx: Tx) => updateClient(tx, { ...clientRecord(), name: 'newer' })],
    ['may take long', mayTakeLong],
  ])('shares none where a piece %s: each is done for itself', async (_, special) => {
    const { store, direct } = await gated();
    const own = async (tx: Tx) => {
      await special(tx);
      await rotate(tx);
      return transactionOf(tx);
    };
    const numbered = async (tx: Tx) => {
      await rotate(tx);
      return transactionOf(tx);
    };
    const done = await together(store, [numbered, own, numbered]);
    const numbers = done.map((result) => (result as PromiseFulfilledResult<number>).value);
    expect(new Set(numbers).size).toBe(3);
    expect(await generation(direct)).toBe(first + 3);
  });

  it('lets no statement of a piece on its connection when that is over', async () => {
    const { store } = await gated();
    let late: Tx | undefined;
    const leaving = async (tx: Tx) => {
      late = tx;
    };
    const finding = async () => {
      await expect(findSignIn(late as Tx, tenantId, id)).rejects.toThrow('the transaction is over');
      await expect(sql`select 1`.execute(late as Tx)).rejects.toThrow('the transaction is over');
    };
    expect(await together<void>(store, [leaving, finding])).toEqual([
      fulfilled(undefined),
      fulfilled(undefined),
    ]);
  });

  it('is tried alone where another has a row that one piece wants, and only that one waits for it', async () => {
    const { store, direct } = await gated();
    const other = { ...signInRecord(), id: signInRecord().id.replace(/^./, 'e') };
    await direct.transaction((tx) => insertSignIn(tx, other));
    const label = (which: string) => (tx: Tx) =>
      tx.updateTable('signIns').set({ label: 'changed' }).where('id', '=', which).execute();
    const held = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    const holding = direct.apart(async (tx) => {
      await label(id)(tx);
      held.resolve();
      await goesOn.promise;
    });
    await held.promise;
    const release = await occupy(store);
    const wanting = store.transaction(label(id));
    const free = store.transaction(label(other.id));
    await release();
    await free;
    goesOn.resolve();
    await Promise.all([holding, wanting]);
  });
});

it('tells of each commit how many pieces share it, and of none where it tells its own figures', async () => {
  const shared: number[] = [];
  const store = await openShared(await sharedDatabase(), { commit: (_, pieces) => shared.push(pieces) });
  onTestFinished(() => store.close());
  const release = await occupy(store);
  const done = Promise.all(several(transactionOf).map((piece) => store.transaction(piece)));
  await release();
  await done;
  await store.figures();
  expect(shared.toSorted()).toEqual([...Array.from({ length: postgresGroups.most }, () => 1), 5]);
});

describe('a process that has more to do than its database can', () => {
  it('refuses what has waited for its turn for more than 5 s, and serves the rest', async () => {
    let time = 0;
    const { store } = await gated({ turn: postgresTimes.turn }, undefined, () => time);
    const release = await occupy(store);
    const early = Promise.allSettled([1, 2, 3].map(() => store.transaction(rotate)));
    time = 5_000;
    const later = store.transaction(rotate);
    time = 5_001;
    await release();
    for (const { status, reason } of (await early) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toBeInstanceOf(StorageUnavailable);
    }
    expect(await later).toBe(first + 1);
  });
});

describe('work that shares a transaction, without a database', () => {
  it('Z3: a commit that is not answered is neither told as done nor done again, for any piece', async () => {
    let isCutting = false;
    const { store, direct } = await gated({}, (said) => isCutting && said.includes('COMMIT'));
    const pieces = several(rotate);
    const cutting = async (tx: Tx) => {
      isCutting = true;
      return rotate(tx);
    };
    for (const { status, reason } of (await together(store, [
      ...pieces,
      cutting,
    ])) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(reason).toBeInstanceOf(CommitUnanswered);
    }
    expect(pieces.map(({ runs }) => runs)).toEqual([1, 1, 1, 1, 1]);
    expect(await generation(direct)).toBe(first + 6);
  });

  it('Z7: is refused with what waits behind it, and the next piece is served when the database is back', async () => {
    const { hold, open, store, comes } = await gated();
    const release = await occupy(store);
    const waiting = Array.from({ length: groupQueue }, () => store.transaction(rotate));
    const results = Promise.allSettled(waiting);
    await expect(store.transaction(rotate)).rejects.toThrow('too many transactions are waiting');
    hold();
    const released = release();
    await comes();
    const refused = (await results).filter(
      (result) => result.status === 'rejected' && result.reason instanceof StorageUnavailable,
    );
    expect(refused).toHaveLength(groupQueue);
    await released;
    open();
    expect(await generation(store)).toBe(first);
  });
});
