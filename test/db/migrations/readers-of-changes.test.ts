import SQLite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, it } from 'vitest';
import { migrations } from '../../../db/migrations/index.ts';

it('a change of before says which permission reads it: it was in the reason of its event', async () => {
  const sqlite = new SQLite(':memory:');
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  expect((await migrator.migrateTo('0026-guesses-under-way')).error).toBeUndefined();
  const changes = [
    { field: 'phone', from: '"+4790011223"', to: '""' },
    { field: 'fullName', from: null, to: '"Ada"' },
  ];
  const insert = sqlite.prepare(
    `insert into auditEvents (at, event, actorKind, result, reason, changes) values (1, 'admin_acted', 'operator', 'done', ?, ?)`,
  );
  const readers = {
    'members.change': 'members:read',
    'tenantFiles.apply: member changed phone': 'members:read',
    'subscriptions.setProperties': 'subscriptions:read',
    'serviceTenantFiles.apply: subscription changed properties': 'subscriptions:read',
    'invoices.markPaid': 'subscriptions:read',
    'clients.change': undefined,
    'tenantFiles.apply: client changed name': undefined,
  };
  for (const reason of Object.keys(readers)) insert.run(reason, JSON.stringify(changes));
  insert.run('members.create', null);

  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  const rows = sqlite.prepare('select reason, changes from auditEvents order by id').all() as {
    reason: keyof typeof readers;
    changes: string;
  }[];
  for (const { reason, changes: stored } of rows.slice(0, -1)) {
    const readWith = readers[reason];
    expect(JSON.parse(stored), reason).toEqual(
      readWith === undefined ? changes : changes.map((change) => ({ ...change, readWith })),
    );
  }
  expect(rows.at(-1)).toEqual({ reason: 'members.create', changes: null });
  await db.destroy();
});
