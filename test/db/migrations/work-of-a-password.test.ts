import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';
import { keptWork } from '../../../src/core/hashes/hash-work.ts';
import type { Database } from '../../../src/storage/schema.ts';

it('the members of an earlier version are given the work of their passwords', async () => {
  const sqlite = new SQLite(':memory:');
  // Whose members they are is not what this is about.
  sqlite.pragma('foreign_keys = off');
  const db = new Kysely<Database>({ dialect: new SqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const names = Object.keys(migrations);
  const before = names[names.findIndex((name) => name.endsWith('work-of-a-password')) - 1];
  expect((await migrator.migrateTo(String(before))).error).toBeUndefined();
  const hashes = [
    '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '$argon2id$v=19$m=8,t=1,p=1$bT05LHQ9OQ$bT05LHQ9ObT05LHQ9ObT05LHQ9O',
    '$argon2id$v=19$m=65536,t=12,p=4$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
    '',
  ];
  hashes.forEach((hash, index) => {
    sqlite
      .prepare(`
        insert into members (id, tenantId, userId, memberNumber, email, normalisedEmail, emailVerified,
          passwordHash, fullName, nickName, phone, phoneVerified, userType, status, createdAt, updatedAt)
        values (?, 't', ?, ?, ?, ?, 1, ?, '', '', '', 0, 'member', 'active', 0, 0)
      `)
      .run(`m${index}`, index, index, `m${index}`, `m${index}`, hash);
  });
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  const rows = await db
    .selectFrom('members')
    .select(['passwordHash', 'passwordWork'])
    .orderBy('id')
    .execute();
  expect(rows.map(({ passwordWork }) => passwordWork)).toEqual([38_912, 8, 786_432, 0]);
  expect(rows.map(({ passwordHash }) => keptWork(passwordHash).passwordWork)).toEqual([
    38_912, 8, 786_432, 0,
  ]);
  await db.destroy();
});
