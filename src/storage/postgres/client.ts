// Connections to PostgreSQL, on which statements are sent without waiting for the answers to those before.
import pg from 'pg';
import { postgresPool, postgresTimes } from '../../core/operators/store-limits.ts';
import { type Schedule, systemSchedule } from '../../system/clock.ts';
import { ConnectionLost, isStale, Unreachable } from './errors.ts';
import { type Watch, watchSilence } from './silence.ts';

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

/** The watches of the connections that requests wait for. */
const watches = new WeakMap<pg.ClientBase, Watch>();

/** Says whether the statements that are sent on a connection from now on may take long. */
export function allow(client: pg.PoolClient, mayTakeLong: boolean): void {
  watches.get(client)?.allow(mayTakeLong);
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
  const values = statement.values?.map(held);
  const query = { ...statement, name, values } as pg.QueryConfig;
  const watch = watches.get(client);
  watch?.sent();
  client.query(query, (error: Error | null, answer: pg.QueryResult | pg.QueryResult[]) => {
    watch?.answered();
    if (isStale(error) && prepared === generation) generation += 1;
    const last = (Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryResult;
    answered(error ? named(error) : null, last);
  });
  if (isWaitedFor) flush(client);
}

/**
 * PostgreSQL holds no NUL in a text, and fails where it is asked for one: what a stranger sends would take with it
 * all that shares the snapshot. It becomes U+FFFD, as whatever else is no Unicode does on its way, and is not found.
 */
function held(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  return Array.isArray(value) ? value.map(held) : value;
}

/** Lets what was sent leave, with what is sent in the same breath. */
export function flush(client: pg.PoolClient): void {
  const { stream } = client.connection;
  queueMicrotask(() => {
    if (stream.writableCorked > 0) stream.uncork();
    watches.get(client)?.left();
  });
}

/** An error that the server did not send is the driver's word that the connection is lost. */
const named = (error: Error) => (error instanceof pg.DatabaseError ? error : lost(error));

/** The driver's words name the server at most: neither the address that it was given nor its password. */
function lost(cause: unknown, Kind = ConnectionLost): ConnectionLost {
  const { message, code } = cause as Error & { readonly code?: string };
  return new Kind(message === '' ? code : message, { cause });
}

/** What the server calls the connections of a service's processes. */
export const processName = 'memberdoor';

/** How long what asks a database waits for it. */
export interface Patience {
  readonly times?: Readonly<Record<keyof typeof postgresTimes, number>>;
  /** When that is over. */
  readonly schedule?: Schedule;
  /** What measures a turn (ms); it begins anywhere. */
  readonly now?: () => number;
}

/** Settings of connections that differ from those for transactions. */
type Others = Readonly<Pick<pg.PoolConfig, 'application_name' | 'max' | 'options'>>;

/**
 * The connections of one process to a database, whose statements may take as long as they take.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function openPool(url: string, others: Others = {}, { times = postgresTimes }: Patience = {}) {
  return poolOf(url, times, others);
}

/** Connections for requests: each statement is answered in time or fails (see `postgresTimes`). */
export function openHurriedPool(
  url: string,
  others: Others,
  { times = postgresTimes, schedule = systemSchedule }: Patience,
) {
  const limits = {
    statement_timeout: times.statement,
    idle_in_transaction_session_timeout: times.idleInTransaction,
  };
  return poolOf(url, times, { ...limits, ...others }, (client) => {
    const giveUp = (why: Error) => client.connection.stream.destroy(why);
    watches.set(client, watchSilence(giveUp, { usual: times.answer, long: times.longAnswer }, schedule));
  });
}

function poolOf(
  url: string,
  times: NonNullable<Patience['times']>,
  others: pg.PoolConfig,
  connected: (client: pg.PoolClient) => void = () => {},
) {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: processName,
    max: postgresPool.connections,
    connectionTimeoutMillis: times.connection,
    keepAlive: true,
    keepAliveInitialDelayMillis: times.keepAlive,
    types: columnTypes,
    pipeline: true,
    ...others,
  });
  // A connection that breaks while it is not used is replaced by the next that is asked for.
  pool.on('error', () => {});
  // Each statement tells of one that breaks while it is used; an error without a listener would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => {});
    connected(client);
  });
  return {
    options: pool.options,
    connect: () =>
      pool.connect().catch((error: Error) => {
        throw error instanceof pg.DatabaseError ? error : lost(error, Unreachable);
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
