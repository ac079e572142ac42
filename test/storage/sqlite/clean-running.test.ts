import { randomBytes, randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { eraseMember } from '../../../src/storage/members/erase.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import { cleaningDue, insertService } from '../../../src/storage/service.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import { overwriteAfterErasure } from '../../../src/storage/sqlite/overwrite.ts';
import type { Store, Tx } from '../../../src/storage/store.ts';
import { memberRecord, now } from '../../support/records/records.ts';
import { insertRecords } from '../../support/records/store.ts';

const letters = (bytes: number) => randomBytes(bytes).toString('hex');
const unhurried = { pause: () => Promise.resolve(), isOver: () => false };

interface Person {
  readonly id: string;
  readonly mark: string;
}

const insert = async (tx: Tx, note: string): Promise<Person> => {
  const person = { id: letters(8), mark: `mark${letters(8)}` };
  await sql`insert into people values (${person.id}, ${person.mark}, ${note})`.execute(tx);
  await sql`insert into words values (${person.mark}, ${person.id})`.execute(tx);
  return person;
};

/** Rows of many lengths that come and grow, so that pages are split, and then a quarter that goes. */
async function live(store: Store): Promise<readonly Person[]> {
  await store.transaction(async (tx) => {
    await sql`create table people (id text primary key, name text not null, note text not null) strict`.execute(
      tx,
    );
    await sql`create index peopleByName on people (name)`.execute(tx);
    await sql`create table words (word text, id text, primary key (word, id)) without rowid, strict`.execute(
      tx,
    );
  });
  const people = await store.transaction(async (tx) => {
    const added: Person[] = [];
    for (let count = 0; count < 3_000; count += 1) {
      added.push(await insert(tx, letters(randomInt(5, 100))));
      const { id } = added[randomInt(added.length)] as Person;
      await sql`update people set note = ${letters(randomInt(5, 150))} where id = ${id}`.execute(tx);
    }
    return added;
  });
  const gone = people.filter((_person, index) => index % 2 === 0);
  await store.transaction(async (tx) => {
    for (const { id, mark } of gone) {
      await sql`delete from people where id = ${id}`.execute(tx);
      await sql`delete from words where word = ${mark}`.execute(tx);
    }
    await eraseMember(tx, memberRecord(), now);
  });
  return gone;
}

const rest = (store: Store) =>
  store.transaction(async (tx) => {
    const people = await sql`select * from people order by id`.execute(tx);
    const words = await sql`select * from words order by word`.execute(tx);
    return [people.rows, words.rows];
  });

describe('F14: the file of a running service that has erased', () => {
  let folder: string;
  let store: Store;
  let gone: readonly Person[];

  const found = () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.db') || name.endsWith('-wal'));
    const marks = files.flatMap(
      (name) => readFileSync(join(folder, name), 'latin1').match(/mark[0-9a-f]{16}/g) ?? [],
    );
    const there = new Set(marks);
    return gone.filter(({ mark }) => there.has(mark));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'memberdoor-'));
    store = await openStore(folder, true);
    await store.transaction(insertRecords);
    await store.transaction((tx) =>
      insertService(tx, { environment: 'production', keyCheck: '', initialisedAt: now }),
    );
    gone = await live(store);
    return async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    };
  });

  it('has no byte of it in gaps of pages or in the log when the chore is done, and all the rest', async () => {
    const before = await rest(store);
    expect(found()).not.toEqual([]);
    await overwriteAfterErasure(store, join(folder, 'memberdoor.db'))(unhurried);
    expect(found()).toEqual([]);
    expect(await rest(store)).toEqual(before);
    expect(await store.transaction(cleaningDue)).toBeNull();
  });

  it('gets none of it back by what it remembers of its pages', async () => {
    await store.transaction((tx) => sql`update people set note = upper(note)`.execute(tx));
    await store.transaction((tx) => sql`update words set id = upper(id)`.execute(tx));
    expect(found()).toEqual([]);
  });

  it('is sound, with what was written since', async () => {
    const sqlite = new SQLite(join(folder, 'memberdoor.db'), { readonly: true });
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(sqlite.prepare('select count(*) from people').pluck().get()).toBe(1_500);
    sqlite.close();
  });

  it('has none of it in a log that was longer once, since another program read the database', async () => {
    const path = join(folder, 'memberdoor.db');
    const reader = new SQLite(path, { readonly: true });
    reader.exec('begin');
    reader.prepare('select count(*) from people').get();
    for (let times = 0; times < 60; times += 1) {
      await store.transaction((tx) => insert(tx, letters(50_000)));
    }
    const { id, mark } = await store.transaction((tx) => insert(tx, ''));
    const isIn = () => readFileSync(`${path}-wal`, 'latin1').includes(mark);
    // As long as the reader is there, the log is not begun again.
    expect(isIn()).toBe(true);
    reader.close();
    await store.transaction(async (tx) => {
      await sql`delete from people where note <> upper(note) or id = ${id}`.execute(tx);
      await sql`delete from words where word = ${mark}`.execute(tx);
      await tx.updateTable('service').set({ cleanedUntil: 0 }).execute();
    });
    const chore = overwriteAfterErasure(store, path);
    // The log comes into the database a second after the reader was in the way last.
    const isDone = () =>
      chore(unhurried).then(
        () => true,
        () => false,
      );
    while (!(await isDone()));
    expect(isIn()).toBe(false);
  });

  it('is cleaned again where a member was erased meanwhile, or by a clock that was set back', async () => {
    let number = 10_000;
    const erase = (at: number) =>
      store.transaction(async (tx) => {
        number += 1;
        const own = { id: `member-${number}`, userId: number, memberNumber: number };
        const member = memberRecord({ ...own, email: `${number}@clean.test` });
        await insertMember(tx, member, 'hash');
        await eraseMember(tx, member, at);
      });
    await erase(now + 1_000);
    let isBegun = false;
    const pause = async () => {
      if (!isBegun) await erase(now + 1_000);
      isBegun = true;
    };
    const chore = overwriteAfterErasure(store, join(folder, 'memberdoor.db'));
    await chore({ ...unhurried, pause });
    expect(await store.transaction(cleaningDue)).not.toBeNull();
    await chore(unhurried);
    expect(await store.transaction(cleaningDue)).toBeNull();
    await erase(now);
    expect(await store.transaction(cleaningDue)).not.toBeNull();
  });

  it('is not cleaned while another program keeps the log from coming into it, and says so', async () => {
    await store.transaction((tx) => tx.updateTable('service').set({ cleanedUntil: 0 }).execute());
    const reader = new SQLite(join(folder, 'memberdoor.db'), { readonly: true });
    reader.exec('begin');
    reader.prepare('select count(*) from people').get();
    const chore = overwriteAfterErasure(store, join(folder, 'memberdoor.db'));
    await expect(chore(unhurried)).rejects.toThrow('the log does not come into the database');
    reader.close();
    expect(await store.transaction(cleaningDue)).not.toBeNull();
  });
});
