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
import { postgresRetries } from '../../core/operators/store-limits.ts';
import { StartupError } from '../../system/startup-error.ts';
import { isDuplicate, isOutage, isUnfinished } from './errors.ts';

/** What may be done to a database when it is opened. */
export interface Allowed {
  /** Whether an empty one becomes a new service. */
  readonly initialise: boolean;
  /** Whether one of an older version is brought to this one. */
  readonly migrate: boolean;
}

/**
 * Brings a database to the newest schema; of several processes that start at once, one does.
 *
 * @throws StartupError where what it would take may not be done, or cannot
 */
export async function migrate(pool: PostgresPool, may: Allowed): Promise<void> {
  const kysely = new Kysely<unknown>({ dialect: new RowLockDialect({ pool }) });
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => ({ ...migrationsOfPostgres }) },
  });
  const missing = (await migrator.getMigrations()).filter(({ executedAt }) => executedAt === undefined);
  const isNew = missing.length === Object.keys(migrationsOfPostgres).length;
  if (isNew && !may.initialise) {
    throw new StartupError('The database is empty. A new service is begun with "memberdoor init".');
  }
  if (!isNew && missing.length > 0 && !may.migrate) {
    throw new StartupError(
      `The database is of an older version, and this command would bring it to this one (${missing.map(({ name }) => name).join(', ')}). Nothing was done: --migrate does it. Copy the database first, with pg_dump.`,
    );
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
