import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { insertSignIn } from '../../../../src/storage/grants/sign-in.ts';
import { openStore } from '../../../../src/storage/sqlite/open.ts';
import { StorageUnavailable, type Store, type Tx } from '../../../../src/storage/store.ts';
import { insertTenant } from '../../../../src/storage/tenant.ts';
import { now, signInRecord, tenantRecord } from '../../../support/records/records.ts';
import { storeWithMember } from '../../../support/records/store.ts';
import { temporaryFolder } from '../../../support/records/temporary-folder.ts';

/** A store, and another connection to its file: what a second program, or a look from outside, sees. */
async function storeAndOutside(): Promise<{ store: Store; outside: SQLite.Database }> {
  const folder = temporaryFolder();
  const store = await storeWithMember(folder);
  const outside = new SQLite(join(folder, 'memberdoor.db'), { timeout: 0 });
  onTestFinished(() => {
    outside.close();
  });
  return { store, outside };
}

/** The word of these tests: the name of tenant a, to which each piece of work adds a letter. */
async function write(tx: Tx, letter: string): Promise<void> {
  await tx
    .updateTable('tenants')
    .set({ name: sql`name || ${letter}` })
    .where('id', '=', 'tenant-a')
    .execute();
}

const readWord = async (tx: Tx) =>
  (await tx.selectFrom('tenants').select('name').where('id', '=', 'tenant-a').executeTakeFirstOrThrow()).name;

const wordOf = (store: Store) => store.transaction(readWord);
const seenBy = (outside: SQLite.Database) =>
  outside.prepare("select name from tenants where id = 'tenant-a'").pluck().get();

const statusesOf = async (work: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map(({ status }) => status);

describe('pieces of work that wait together', () => {
  it('run in their order, each seeing what those before it wrote', async () => {
    const store = await storeWithMember();
    const words = await Promise.all(
      [...'bcdefg'].map((letter) =>
        store.transaction(async (tx) => {
          await write(tx, letter);
          return readWord(tx);
        }),
      ),
    );
    expect(words.at(-1)).toBe('Tenant Abcdefg');
    expect(words[0]).toBe('Tenant Ab');
  });

  it('share one commit: from outside all of them are seen at once', async () => {
    const { store, outside } = await storeAndOutside();
    const seen: unknown[] = [];
    const work = [...'bcd'].map((letter) =>
      store.transaction(async (tx) => {
        await write(tx, letter);
        seen.push(seenBy(outside));
      }),
    );
    await work[0];
    expect(seen).toEqual(['Tenant A', 'Tenant A', 'Tenant A']);
    expect(seenBy(outside)).toBe('Tenant Abcd');
    await Promise.all(work);
  });

  it('are answered after the commit, not before', async () => {
    const { store, outside } = await storeAndOutside();
    await store.transaction((tx) => write(tx, 'b'));
    expect(seenBy(outside)).toBe('Tenant Ab');
  });

  it('more of them than fit one commit all run', async () => {
    const store = await storeWithMember();
    await Promise.all(Array.from({ length: 150 }, () => store.transaction((tx) => write(tx, '.'))));
    expect(await wordOf(store)).toBe(`Tenant A${'.'.repeat(150)}`);
  });

  it('a piece may ask for another transaction once it is done', async () => {
    const store = await storeWithMember();
    await store.transaction((tx) => write(tx, 'b')).then(() => store.transaction((tx) => write(tx, 'c')));
    expect(await wordOf(store)).toBe('Tenant Abc');
  });
});

describe('a piece that throws', () => {
  it('is rolled back alone, and its caller gets its error', async () => {
    const store = await storeWithMember();
    const bug = new Error('a bug');
    const work = [
      store.transaction((tx) => write(tx, 'b')),
      store.transaction(async (tx) => {
        await write(tx, 'x');
        throw bug;
      }),
      store.transaction((tx) => write(tx, 'c')),
    ];
    expect(await statusesOf(work)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(work[1]).rejects.toBe(bug);
    expect(await wordOf(store)).toBe('Tenant Abc');
  });

  it('by a constraint of the database too', async () => {
    const store = await storeWithMember();
    const work = [
      store.transaction((tx) => write(tx, 'b')),
      store.transaction(async (tx) => {
        await write(tx, 'x');
        await insertTenant(tx, tenantRecord('b'), Buffer.from('key'), now);
      }),
      store.transaction((tx) => write(tx, 'c')),
    ];
    expect(await statusesOf(work)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await wordOf(store)).toBe('Tenant Abc');
  });
});

describe('a commit that fails', () => {
  it('Z10: while another program holds the file, every caller is told and nothing changes; then it goes on', async () => {
    const { store, outside } = await storeAndOutside();
    outside.exec('begin immediate');
    const work = [...'bcd'].map((letter) => store.transaction((tx) => write(tx, letter)));
    for (const each of work) await expect(each).rejects.toThrow(StorageUnavailable);
    outside.exec('rollback');
    expect(seenBy(outside)).toBe('Tenant A');
    await store.transaction((tx) => write(tx, 'e'));
    expect(await wordOf(store)).toBe('Tenant Ae');
  });

  it('Z10: while another program holds the file reading goes on, and so does everything else', async () => {
    const { store, outside } = await storeAndOutside();
    outside.exec('begin immediate');
    const writing = store.transaction((tx) => write(tx, 'b'));
    const reading = wordOf(store);
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 5);
    await expect(writing).rejects.toBeInstanceOf(StorageUnavailable);
    expect(await reading).toBe('Tenant A');
    clearInterval(counting);
    expect(turns).toBeGreaterThan(10);
    outside.exec('rollback');
    await store.transaction((tx) => write(tx, 'c'));
    expect(await wordOf(store)).toBe('Tenant Ac');
  });

  it('at its very end takes back what every piece wrote', async () => {
    const store = await storeWithMember();
    const work = [
      store.transaction((tx) => write(tx, 'b')),
      store.transaction(async (tx) => {
        // A reference that is checked at the commit alone makes the commit itself fail.
        await sql`pragma defer_foreign_keys = on`.execute(tx);
        await insertSignIn(tx, signInRecord({ memberId: 'nobody' }));
      }),
      store.transaction((tx) => write(tx, 'c')),
    ];
    for (const each of work) await expect(each).rejects.toThrow(StorageUnavailable);
    expect(await wordOf(store)).toBe('Tenant A');
  });

  it('Z7: at its very end lets those that only read be answered, from what was there before', async () => {
    const store = await storeWithMember();
    const work = [
      store.transaction((tx) => write(tx, 'b')),
      wordOf(store),
      store.transaction(async (tx) => {
        await sql`pragma defer_foreign_keys = on`.execute(tx);
        await insertSignIn(tx, signInRecord({ memberId: 'nobody' }));
      }),
    ];
    expect(await statusesOf(work)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(await work[1]).toBe('Tenant A');
    await store.transaction((tx) => write(tx, 'c'));
    expect(await wordOf(store)).toBe('Tenant Ac');
  });
});

describe('a file that cannot even be read', () => {
  it('is no success for any piece: each is told', async () => {
    const store = await openStore(temporaryFolder(), true);
    await store.close();
    const work = [store.transaction((tx) => write(tx, 'b')), wordOf(store)];
    for (const each of work) await expect(each).rejects.toThrow(StorageUnavailable);
  });
});

describe('a disk that is full', () => {
  const limit = (store: Store, pages: number) =>
    store.transaction((tx) => sql`pragma max_page_count = ${sql.raw(String(pages))}`.execute(tx));
  const fill = (tx: Tx) => write(tx, 'x'.repeat(100_000));

  it('Z7: refuses those that write, and answers those that read beside them from what was there', async () => {
    const { store, outside } = await storeAndOutside();
    await limit(store, 1);
    const work = [wordOf(store), store.transaction(fill), wordOf(store), store.transaction(fill)];
    const results = await Promise.allSettled(work);
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.name)),
    ).toEqual(['Tenant A', 'StorageUnavailable', 'Tenant A', 'StorageUnavailable']);
    expect(seenBy(outside)).toBe('Tenant A');
    await limit(store, 1_000_000);
    await store.transaction((tx) => write(tx, 'b'));
    expect(await wordOf(store)).toBe('Tenant Ab');
  });
});

describe('a transaction that SQLite takes back in the middle, as it does when a page cannot be read', () => {
  const unreadable = new SQLite.SqliteError('disk I/O error', 'SQLITE_IOERR_READ');
  const takeBack = async (tx: Tx) => {
    await sql`rollback`.execute(tx);
    throw unreadable;
  };

  it.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['and says so', takeBack],
    ['after a write', (tx) => write(tx, 'x').then(() => takeBack(tx))],
    ['and whose error is swallowed', (tx) => takeBack(tx).catch(() => {})],
  ])('promise 3: %s: who is told 503 has changed nothing, and who reads is answered', async (_how, lose) => {
    const { store, outside } = await storeAndOutside();
    const results = await Promise.allSettled([
      store.transaction((tx) => write(tx, 'b')),
      store.transaction(lose),
      store.transaction((tx) => write(tx, 'c')),
      store.transaction(readWord),
    ]);
    const unavailable = { reason: expect.any(StorageUnavailable) };
    expect(results).toMatchObject([unavailable, unavailable, unavailable, { value: 'Tenant A' }]);
    const [first] = results;
    const cause = first?.status === 'rejected' ? first.reason.cause : null;
    expect(cause.message).toMatch(/disk I\/O error|took the transaction back/);
    expect(seenBy(outside)).toBe('Tenant A');
    await store.transaction((tx) => write(tx, 'd'));
    expect(seenBy(outside)).toBe('Tenant Ad');
  });
});

describe('the queue', () => {
  it('takes 10,000 pieces; the next is refused at once, and those in it still run', async () => {
    const store = await storeWithMember();
    const waiting = Array.from({ length: 10_000 }, (_, index) => store.transaction(async () => index));
    await expect(store.transaction((tx) => write(tx, 'x'))).rejects.toThrow(StorageUnavailable);
    expect((await Promise.all(waiting)).at(-1)).toBe(9_999);
    await store.transaction((tx) => write(tx, 'b'));
    expect(await wordOf(store)).toBe('Tenant Ab');
  });
});
