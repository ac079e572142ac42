import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrations, migrationsOfPostgres } from '../../../db/migrations/index.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import type { Database } from '../../../src/storage/schema.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import type { Store, Tx } from '../../../src/storage/store.ts';
import { emptyDatabase } from '../../support/run/test-store.ts';

/** What one engine calls the types of the other. */
const typeNames: Readonly<Record<string, string>> = {
  int4: 'integer',
  int8: 'integer',
  bigint: 'integer',
  bytea: 'blob',
  varchar: 'varchar(255)',
};

/** The bytes that overwrite what SQLite's log held: PostgreSQL has no such file of ours. */
const onlySqlite = 'filler';

const tablesOf = async (tx: Kysely<Database>) =>
  Object.fromEntries(
    (await tx.introspection.getTables())
      .filter(({ name }) => name !== onlySqlite)
      .map(({ name, columns }) => [
        name,
        columns
          .map((column) => {
            const type = column.dataType.toLowerCase();
            // SQLite says of a key of text that it may be null, and of none that it is numbered by itself.
            return `${column.name} ${typeNames[type] ?? type}`;
          })
          .sort(),
      ]),
  );

const indexesOf = async (tx: Tx, query: string) =>
  (await sql<{ name: string }>`${sql.raw(query)}`.execute(tx)).rows.map(({ name }) => name).sort();

describe('the schemas of both engines', () => {
  let stores: readonly [sqlite: Store, postgres: Store];
  beforeAll(async () => {
    stores = [
      await openStore(mkdtempSync(join(tmpdir(), 'memberdoor-')), true),
      await openPostgres(`${process.env.TEST_POSTGRES}/${emptyDatabase}`, {
        initialise: false,
        migrate: true,
      }),
    ];
  });
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  it('have the same tables with the same columns', async () => {
    const [sqlite, postgres] = stores;
    expect(await postgres.transaction(tablesOf)).toEqual(await sqlite.transaction(tablesOf));
  });

  it('compare text by its bytes, so that an index finds by whichever column', async () => {
    const others = sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'
        and table_name not like 'kysely%'`;
    expect(await stores[1].transaction(async (tx) => (await others.execute(tx)).rows)).toEqual([]);
  });

  it('have the same indexes', async () => {
    const [sqlite, postgres] = stores;
    const ofPostgres = await postgres.transaction((tx) =>
      indexesOf(
        tx,
        `select indexname as name from pg_indexes where schemaname = 'public' and indexname !~ '_(pkey|key)$'`,
      ),
    );
    expect(ofPostgres).toEqual(
      await sqlite.transaction((tx) =>
        indexesOf(tx, `select name from sqlite_master where type = 'index' and name not like 'sqlite_%'`),
      ),
    );
  });

  it('come of the same migrations from the one on that PostgreSQL begins with', () => {
    const [begin = ''] = Object.keys(migrationsOfPostgres);
    const since = Object.keys(migrations).filter((name) => name.slice(0, 4) > begin.slice(0, 4));
    expect(Object.keys(migrationsOfPostgres).slice(1)).toEqual(since);
    for (const name of since) expect(migrationsOfPostgres[name]).toBe(migrations[name]);
  });
});
