// Numbers of the store and of its databases; times are ms.
import { minute, second } from '../limits.ts';

/**
 * SQLite's own memory, in KiB, and after how many pages of its log it writes them into the file, which holds up
 * all requests. Measured by refreshes among a million sign-ins: 64 MB of memory took no less processor time than 16,
 * as the system keeps the file in memory too; mapping the file only took more of it. Writing after 4,000 pages
 * instead of 1,000 saved 6 to 12 % of a transaction's processor time, and held it up three to four times as long,
 * which is over 50 ms (performance, "What to reach").
 */
export const databaseCacheKib = 16_000;
export const checkpointPages = 1_000;

/** A checkpoint that could not copy all of the log is tried again after this long. */
export const checkpointRetry = { failed: 50, busy: second } as const;

/**
 * How a start reads a file whole (security, Z21): in pieces that stay in the processor's own cache, and with as few
 * pages of SQLite's. Measured with 1.1 GB: 16 MB of them took 30 % more processor time; a file that lay on the disk
 * alone was checked in 15 s, and in 3 s when it was read ahead.
 */
export const checkCachePages = 200;
export const readAheadBytes = 256 * 1_024;

/**
 * A database is cleaned in pieces of so many pages, and while it is open for so many ms after a checkpoint: every
 * writer waits for that, as for the checkpoint itself.
 */
export const cleanedPages = 256;
export const cleaningTime = 20;

/** A file is read in pieces of this size for its checksum. */
export const checksumBytes = 1_024 * 1_024;

/** So many pages are written at once to overwrite the log: about a millisecond. */
export const fillerPages = 50;

/**
 * Connections to PostgreSQL that one process holds at most, for transactions, those of them that only read, and for
 * statements beside them.
 */
export const postgresPool = { connections: 20, lookUps: 3, autocommit: 4 } as const;

/**
 * So many transactions of PostgreSQL are under way before work waits, and so many pieces that waited share one at most
 * (performance 13). The fewer they are and the more each holds, the less a piece costs the database, and the more rarely
 * they meet: at no distance eight refreshed 1,160 times a second, two 1,500, one 1,180; members signed in 90, 190
 * and 250 times. While one waits for a database that is away, others keep the process busy: for each ms there may be
 * two more. One that takes longer than `makesRoom` ms holds up no other.
 */
export const postgresGroups = { least: 2, most: 8, forEachMs: 2, pieces: 16, makesRoom: 100 } as const;

/**
 * Where more than this share of the transactions has to run again, since others were in their way, half as many may be
 * under way. Each counts so much of the share, and those before it the rest.
 */
export const postgresMeetings = { most: 0.15, ofEach: 1 / 16 } as const;

/** How long (ms) pieces that share a transaction wait for a row that another one has, before each is tried alone. */
export const groupLockTimeout = 1_000;

/**
 * How long a process waits for PostgreSQL (ms): for the turn of a transaction; for a connection, be it free or new; for the answer to a statement,
 * and to one that may take long; and for a word on a connection before it asks whether that is still there.
 *
 * The server ends a statement before the process gives its answer up, so that a slow one is told from a network that
 * lost its way. It ends a transaction that waits for the process's next statement sooner still: a process that was cut
 * off holds no row that others want for longer than they wait for it, and a commit that arrives after its request was
 * answered by 503 finds nothing to commit.
 */
export const postgresTimes = {
  turn: 5_000,
  connection: 5_000,
  answer: 5_000,
  statement: 4_000,
  idleInTransaction: 2_000,
  longAnswer: 10 * minute,
  keepAlive: 5_000,
} as const;

/** How often a process without requests looks at what others changed about tenants (ms): decision 51 allows as much. */
export const followInterval = 1_000;

/** After how long a guess that was not judged is one of a process that died (ms): no request lasts as long. */
export const unjudgedAfter = 5 * 60_000;

/** How often a transaction runs again that others were in the way of, and the least pause (ms), doubled so often. */
export const postgresRetries = { most: 12, ofDuplicates: 2, step: 2, doublings: 6 } as const;

/**
 * What one of several processes does is its own for so long (ms), and again each time that it says so: where it dies,
 * another takes over after this. Two clocks may differ by less than what is left when it says so.
 */
export const lease = { time: minute, renewal: 20 * second } as const;

/** How often each of several processes looks whether a chore is due: it may be that the one that did it is gone. */
export const choreLook = 5 * minute;

/** So many rows are copied at once where a service moves to another engine: no statement of them has too many values. */
export const movedRows = 500;

/** How often it is told how far that is: after so many rows of a table. */
export const movedRowsTold = 100_000;

/** PostgreSQL needs a moment to let go of the connections of a process that has ended: how often it is asked, and when (ms). */
export const endedConnections = { looks: 10, pause: 100 } as const;
