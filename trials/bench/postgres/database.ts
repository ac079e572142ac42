// The PostgreSQL server of a run, on which both sides have databases of their own.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../../../test/support/run/postgres-server.ts';
import { freePort } from '../../../test/support/service.ts';
import type { Cores } from '../machine/process.ts';
import { processorTime, processorTimeOfEnded } from '../machine/process.ts';
import type { DatabaseCost } from '../measure.ts';

/** Both sides' databases: each commit is on the disk before it is answered, as it is without a setting. */
export interface BenchDatabase {
  /** Makes an empty database. @returns its address */
  create(name: string): Promise<string>;
  drop(name: string): Promise<void>;
  /** What the server did so far, for all its databases. */
  cost(): Promise<DatabaseCost>;
  stop(): Promise<void>;
}

/** @param cores those of the generator: the servers under load keep theirs for themselves */
export async function startBenchDatabase(cores: Cores): Promise<BenchDatabase> {
  const server = await startPostgres(await freePort(), {
    isDurable: true,
    settings: ['shared_buffers=512MB', 'max_wal_size=4GB'],
    launcher: cores === null ? [] : ['taskset', '-c', cores],
  });
  const client = new pg.Client({ connectionString: `${server.url}/postgres` });
  client.on('error', () => {});
  await client.connect();
  return {
    create: async (name) => {
      await client.query(`create database ${client.escapeIdentifier(name)}`);
      return `${server.url}/${encodeURIComponent(name)}`;
    },
    drop: async (name) => {
      await client.query(`drop database if exists ${client.escapeIdentifier(name)} with (force)`);
    },
    cost: async () => {
      const { rows } = await client.query("select pg_current_wal_lsn() - '0/0' as bytes");
      return { processor: processorTimeOfAll(server.pid), wal: Number(rows[0]?.bytes) };
    },
    stop: async () => {
      await client.end();
      await server.stop();
    },
  };
}

/** ms, of a process, its children, and those of them that have ended. */
function processorTimeOfAll(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce(
    (sum, child) => sum + processorTimeIfAlive(Number(child)),
    processorTime(pid) + processorTimeOfEnded(pid),
  );
}

function processorTimeIfAlive(pid: number): number {
  try {
    return processorTime(pid);
  } catch {
    return 0;
  }
}
