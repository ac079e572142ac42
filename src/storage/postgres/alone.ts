// Makes sure that no process of the service uses a database, for what none of them may run beside.
import { setTimeout as wait } from 'node:timers/promises';
import { endedConnections } from '../../core/operators/store-limits.ts';
import { StartupError } from '../../system/startup-error.ts';
import { openPool, processName } from './client.ts';

/** Asks a server one thing; each row is the list of its values. */
export type Ask = (statement: {
  readonly text: string;
  readonly values: string[];
}) => Promise<{ readonly rows: readonly (readonly unknown[])[] }>;

/**
 * A process of the service shows by its connections; none that others of the server have.
 *
 * @throws StartupError if there is one
 */
export async function refuseUsed(ask: Ask): Promise<void> {
  const connections = async () => {
    const { rows } = await ask({
      text: 'select count(*) from pg_stat_activity where datname = current_database() and application_name = $1',
      values: [processName],
    });
    return Number(rows[0]?.[0]);
  };
  for (let looks = 1; (await connections()) > 0; looks += 1) {
    if (looks > endedConnections.looks) {
      throw new StartupError('A memberdoor is using the database. Stop every process of the service first.');
    }
    await wait(endedConnections.pause);
  }
}

/**
 * The same by a connection of its own, before the database is opened.
 *
 * @param url `postgres://user:password@host:port/database`
 * @throws StartupError if a process uses it, or it cannot be reached
 */
export async function refuseUsedAt(url: string): Promise<void> {
  const pool = openPool(url, { application_name: `${processName} alone` });
  try {
    const client = await pool.connect();
    try {
      await refuseUsed(({ text, values }) => client.query<unknown[]>({ text, values, rowMode: 'array' }));
    } finally {
      client.release();
    }
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database cannot be reached: ${(error as Error).message}.`);
  } finally {
    await pool.end();
  }
}
