import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';
import { phoneWords } from '../../../src/core/members/member.ts';

it('members from before are found by their numbers, and it is not known when they chose their passwords', async () => {
  const sqlite = new SQLite(':memory:');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  expect((await migrator.migrateTo('0048-apis-of-unverified-clients')).error).toBeUndefined();
  sqlite.exec(`
    insert into tenants (id, name, issuer, host, brandColor, development, tokenKey, createdAt)
      values ('t', 'Old', 'https://old.test', 'old.test', '#000000', 0, x'01', 1);
    insert into members (id, tenantId, userId, memberNumber, email, normalisedEmail, emailVerified, passwordHash,
        fullName, nickName, phone, phoneVerified, userType, status, createdAt, updatedAt, erasedAt)
      values ('m', 't', 1, 1, 'a@x.test', 'a@x.test', 1, 'h', '', '', '+4791234567', 0, 'member', 'active', 1, 1, null),
        ('short', 't', 2, 2, 'b@x.test', 'b@x.test', 1, 'h', '', '', '+2905123', 0, 'member', 'active', 1, 1, null),
        ('none', 't', 3, 3, 'c@x.test', 'c@x.test', 1, 'h', '', '', '', 0, 'member', 'active', 1, 1, null);
  `);
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  const words = sqlite.prepare('select word from memberWords where memberId = ? order by word').pluck();
  expect(words.all('m')).toEqual(phoneWords('+4791234567').toSorted());
  expect(words.all('short')).toEqual(phoneWords('+2905123').toSorted());
  expect(words.all('none')).toEqual([]);
  expect(sqlite.prepare('select distinct passwordSince from members').pluck().all()).toEqual([0]);
  await db.destroy();
});
