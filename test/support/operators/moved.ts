// Services that move from one engine to the other, and what is in them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { readConfig } from '../../../src/config.ts';
import { summarise, type TableCopy } from '../../../src/storage/move/copy.ts';
import { movedTables } from '../../../src/storage/move/tables.ts';
import { openSource } from '../../../src/storage/sqlite/move.ts';
import { databaseFile } from '../../../src/storage/sqlite/open.ts';
import { temporaryFolder } from '../records/temporary-folder.ts';
import { copyFixtures, fixtureKey } from '../run/fixture-folders.ts';
import { openShared } from '../run/test-store.ts';

export const quietly = { migrate: false, tell: () => {} };

export type Summary = Readonly<Record<string, TableCopy>>;

/** Rows and hash of each table of a file that is closed. */
export async function summaryOf(folder: string): Promise<Summary> {
  const file = openSource(join(folder, databaseFile));
  try {
    const entries: [string, TableCopy][] = [];
    for (const table of movedTables) entries.push([table, await summarise(file, table)]);
    return Object.fromEntries(entries);
  } finally {
    file.close();
  }
}

export const namesIn = (folder: string) => readdirSync(folder).sort();

/** The folder of a stopped service with three tenants. */
export function smallFolder(): string {
  const folder = temporaryFolder();
  copyFixtures('security', folder);
  return folder;
}

export const oneRow = async (databaseUrl: string, query: string) => {
  const store = await openShared(databaseUrl, {}, false);
  try {
    return (await store.transaction((tx) => sql<Record<string, unknown>>`${sql.raw(query)}`.execute(tx)))
      .rows[0];
  } finally {
    await store.close();
  }
};

export function productionConfig(folder: string, databaseUrl: string) {
  const read = readConfig(
    {
      MEMBERDOOR_ENV: 'production',
      MEMBERDOOR_DATA: folder,
      MEMBERDOOR_DATABASE_URL: databaseUrl,
      MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64'),
      MEMBERDOOR_SMTP_URL: 'smtp://127.0.0.1',
      MEMBERDOOR_MAIL_FROM: 'door@example.test',
    },
    folder,
  );
  if (!read.ok) throw new Error(read.problems.join(' '));
  return read.config;
}
