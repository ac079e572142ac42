import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { cleanFile } from '../../../src/storage/sqlite/clean.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

const letters = (bytes: number) => randomBytes(bytes).toString('hex');

/**
 * A database that lived: rows of many lengths came, grew, moved from page to page, and some of them went.
 *
 * @returns its path, and what went: none of it is content any more
 */
function livedIn(secureDelete: 'on' | 'off'): { readonly path: string; readonly gone: readonly string[] } {
  const path = join(temporaryFolder(), 'lived.db');
  const sqlite = new SQLite(path);
  sqlite.pragma('journal_mode = wal');
  sqlite.pragma('synchronous = off');
  sqlite.pragma(`secure_delete = ${secureDelete}`);
  sqlite.exec(`
    create table people (id text primary key, name text not null, note text not null) strict;
    create index peopleByName on people (name);
    create table words (word text, id text, primary key (word, id)) without rowid, strict;
  `);
  const insert = sqlite.prepare('insert into people values (?, ?, ?)');
  const insertWord = sqlite.prepare('insert into words values (?, ?)');
  const grow = sqlite.prepare('update people set note = ? where id = ?');
  const people: { id: string; mark: string }[] = [];
  const add = (note: string) => {
    const person = { id: letters(8), mark: `MARK${letters(8)}` };
    insert.run(person.id, person.mark, note);
    insertWord.run(person.mark, person.id);
    people.push(person);
  };
  sqlite.transaction(() => {
    for (let count = 0; count < 2_000; count += 1) add(letters(randomInt(5, 100)));
    for (let count = 0; count < 2_000; count += 1) {
      grow.run(letters(randomInt(5, count % 40 === 0 ? 6_000 : 150)), people[randomInt(people.length)]?.id);
      if (count % 3 === 0) add(letters(30));
    }
  })();
  const gone = people.filter((_person, index) => index % 4 === 0);
  sqlite.transaction(() => {
    for (const { id, mark } of gone) {
      sqlite.prepare('delete from people where id = ?').run(id);
      sqlite.prepare('delete from words where word = ?').run(mark);
    }
  })();
  sqlite.pragma('wal_checkpoint(truncate)');
  sqlite.close();
  return { path, gone: gone.map(({ mark }) => mark) };
}

const contentOf = (path: string) => {
  const sqlite = new SQLite(path, { readonly: true });
  try {
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok');
    return ['people', 'words'].map((table) => sqlite.prepare(`select * from ${table} order by 1, 2`).all());
  } finally {
    sqlite.close();
  }
};

const foundIn = (path: string, marks: readonly string[]) => {
  const bytes = readFileSync(path, 'latin1');
  return marks.filter((mark) => bytes.includes(mark));
};

describe('F14: a database file that is cleaned', () => {
  it.each(['on', 'off'] as const)(
    'holds nothing that was deleted with secure_delete %s, and all the rest',
    (secureDelete) => {
      const { path, gone } = livedIn(secureDelete);
      if (secureDelete === 'off') expect(foundIn(path, gone).length).toBeGreaterThan(100);
      const before = contentOf(path);
      expect(cleanFile(path)).toBeGreaterThan(0);
      expect(foundIn(path, gone)).toEqual([]);
      expect(contentOf(path)).toEqual(before);
      expect(cleanFile(path)).toBe(0);
    },
  );

  it('goes on taking rows, also where its free pages were cleaned', () => {
    const { path } = livedIn('off');
    cleanFile(path);
    const sqlite = new SQLite(path);
    const insert = sqlite.prepare('insert into people values (?, ?, ?)');
    for (let count = 0; count < 1_000; count += 1) insert.run(letters(8), letters(8), letters(1_000));
    sqlite.close();
    expect(contentOf(path)[0]?.length).toBeGreaterThan(2_000);
  });

  it('is left alone where its pages are of another kind', () => {
    const path = join(temporaryFolder(), 'other.db');
    const sqlite = new SQLite(path);
    sqlite.pragma('auto_vacuum = full');
    sqlite.exec('create table people (name text)');
    sqlite.close();
    const before = readFileSync(path);
    expect(cleanFile(path)).toBe(0);
    expect(readFileSync(path)).toEqual(before);
    writeFileSync(path, before);
  });
});
