// Connections to PostgreSQL, on which statements are sent without waiting for the answers to those before.
import pg from 'pg';
import { postgresPool } from '../../core/operators/limits.ts';
import { ConnectionLost, isStale } from './errors.ts';

const { builtins, getTypeParser } = pg.types;

/** Numbers of 64 bits are times and counts of ours: none is above 2^53. */
const numbers: ReadonlySet<number> = new Set([builtins.INT8, builtins.NUMERIC]);

/** What reads the columns of an answer. */
const columnTypes = {
  getTypeParser: ((type: number, format?: 'text' | 'binary') =>
    numbers.has(type) ? Number : getTypeParser(type, format)) as typeof getTypeParser,
};

/** A statement with its values. One that has a name is prepared by each connection when it asks it first. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Raised where another process has changed tables: every query is prepared anew from then on, under another name. */
let generation = 0;

/** Is called once: with what went wrong, or with the answer; of a text with several statements, that to the last. */
export type Answered = (error: Error | null, answer: pg.QueryResult) => void;

/**
 * Sends a statement. Statements are answered in the order in which they are sent; they leave together with the next one
 * whose answer is waited for, since each packet costs as much as all that is in it.
 */
export function send(
  client: pg.PoolClient,
  statement: Statement,
  answered: Answered,
  isWaitedFor: boolean,
): void {
  const { stream } = client.connection;
  if (stream.writableCorked === 0) stream.cork();
  const prepared = generation;
  const name = statement.name && `${statement.name} ${prepared}`;
  const query = { ...statement, name } as pg.QueryConfig;
  client.query(query, (error: Error | null, answer: pg.QueryResult | pg.QueryResult[]) => {
    if (isStale(error) && prepared === generation) generation += 1;
    const last = (Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryResult;
    answered(error ? named(error) : null, last);
  });
  if (isWaitedFor) flush(client);
}

/** Lets what was sent leave, with what is sent in the same breath. */
export function flush({ connection: { stream } }: pg.PoolClient): void {
  queueMicrotask(() => {
    if (stream.writableCorked > 0) stream.uncork();
  });
}

/** What the server did not say is the driver's word that the connection is lost. */
const named = (error: Error) => (error instanceof pg.DatabaseError ? error : lost(error));

/** The driver's words name the server at most: neither the address that it was given nor its password. */
function lost(cause: unknown): ConnectionLost {
  const { message, code } = cause as Error & { readonly code?: string };
  return new ConnectionLost(message === '' ? code : message, { cause });
}

/** What the server calls the connections of a service's processes. */
export const processName = 'memberdoor';

/**
 * The connections of one process to a database.
 *
 * @param url `postgres://user:password@host:port/database`
 * @param others what of them is not as it is for transactions
 */
export function openPool(
  url: string,
  others: Readonly<Pick<pg.PoolConfig, 'application_name' | 'max' | 'options'>> = {},
) {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: processName,
    max: postgresPool.connections,
    connectionTimeoutMillis: postgresPool.patience,
    types: columnTypes,
    pipeline: true,
    ...others,
  });
  // A connection that breaks while it is not used is replaced by the next that is asked for.
  pool.on('error', () => {});
  // Each statement tells of one that breaks while it is used; an error without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    options: pool.options,
    connect: () =>
      pool.connect().catch((error: Error) => {
        throw named(error);
      }),
    end: () => pool.end(),
    /** Its connections, and the requests that wait for one. */
    counts: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waited_for: pool.waitingCount,
    }),
  };
}
