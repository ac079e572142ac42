// Brings a PostgreSQL database to the newest schema.
import { setTimeout as wait } from 'node:timers/promises';
import {
  Kysely,
  type MigrationLockOptions,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  sql,
} from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrationsOfPostgres } from '../../../db/migrations/index.ts';
import { postgresRetries } from '../../core/operators/limits.ts';
import { StartupError } from '../../system/startup-error.ts';
import { isDuplicate, isOutage, isUnfinished } from './errors.ts';

/**
 * Brings a database to the newest schema; of several processes that start at once, one does.
 *
 * @throws StartupError where the database is empty and may not be taken for a new service, or cannot be migrated
 */
export async function migrate(pool: PostgresPool, mayInitialise: boolean): Promise<void> {
  const kysely = new Kysely<unknown>({ dialect: new RowLockDialect({ pool }) });
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => ({ ...migrationsOfPostgres }) },
  });
  const isNew = (await migrator.getMigrations()).every(({ executedAt }) => executedAt === undefined);
  if (isNew && !mayInitialise) {
    throw new StartupError('The database is empty. A new service is begun with "memberdoor init".');
  }
  for (let tried = 1; ; tried += 1) {
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    if (isOutage(error)) throw error;
    // Kysely's own two tables are made before one can be locked: another process was a moment ahead.
    if (!(isUnfinished(error) || isDuplicate(error)) || tried > postgresRetries.most) {
      throw new StartupError(`The database cannot be brought to this version: ${(error as Error).message}.`);
    }
    await wait(postgresRetries.step * tried);
  }
}

/** Locks a row while it migrates, as every database can that speaks PostgreSQL's language; Kysely's own lock few have. */
class RowLockDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new RowLockAdapter();
  }
}

class RowLockAdapter extends PostgresAdapter {
  override async acquireMigrationLock(
    db: Kysely<unknown>,
    { lockTable }: MigrationLockOptions,
  ): Promise<void> {
    await sql`select 1 from ${sql.table(lockTable)} for update`.execute(db);
  }
}
