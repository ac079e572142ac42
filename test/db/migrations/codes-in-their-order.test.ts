import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';
import type { AuthorizationCode } from '../../../src/core/grants/authorization-code.ts';
import type { Database } from '../../../src/storage/schema.ts';
import { codeRecord } from '../../support/records/records.ts';

it('0011: authorization codes of an earlier version are kept, in the order in which they were issued', async () => {
  const sqlite = new SQLite(':memory:');
  // Who the codes are of is not what this is about.
  sqlite.pragma('foreign_keys = off');
  const db = new Kysely<Database>({ dialect: new SqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  expect((await migrator.migrateTo('0010-fewer-index-entries')).error).toBeUndefined();
  const codes = [
    codeRecord({ hash: 'z', issuedAt: 1 }),
    codeRecord({ hash: 'a', issuedAt: 2, state: 'used', signInId: 'sign-in' }),
    codeRecord({ hash: 'm', issuedAt: 3, nonce: null }),
  ];
  await db
    .insertInto('authorizationCodes')
    .values(
      codes
        .toReversed()
        .map(({ claims: _, dpopJkt: __, resources: ___, ...code }) => code as AuthorizationCode),
    )
    .execute();
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  expect(
    await db
      .selectFrom('authorizationCodes')
      .selectAll()
      .orderBy('rowid' as never)
      .execute(),
  ).toEqual(codes.map((code) => ({ ...code, claims: null })));
  expect(() => sqlite.exec(`update authorizationCodes set state = 'lost'`)).toThrow(/CHECK/);
  expect(() => sqlite.exec(`update authorizationCodes set hash = 'a' where hash = 'z'`)).toThrow(/UNIQUE/);
  await db.destroy();
});
