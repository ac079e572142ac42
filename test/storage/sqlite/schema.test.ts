import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { databaseFile, openStore } from '../../../src/storage/sqlite/open.ts';
import { schemaIn, schemaOfMigrations } from '../../../tools/schema.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

it('a new database begins with what all migrations come to', async () => {
  const migrated = await schemaOfMigrations();
  const written = readFileSync(new URL('../../../db/schema.sql', import.meta.url), 'utf8');
  expect(written, 'npm run docs writes it anew').toBe(migrated);

  const folder = temporaryFolder();
  await (await openStore(folder, true)).close();
  const sqlite = new SQLite(join(folder, databaseFile), { readonly: true });
  expect(schemaIn(sqlite)).toBe(migrated);
  sqlite.close();
});
