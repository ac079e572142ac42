/** The numbers of running the service and of what operators see: each once, with its source, as in `core/limits.ts`. Times are ms. */
import { day, hour, minute, second } from '../limits.ts';
import { noticeLifetime } from '../members/limits.ts';

/** Lines of the log are written in pieces of this size, and none waits longer than this. */
export const logPieceBytes = 4_096;
export const logFlushInterval = 250;

/** What waits for a log that cannot be written now, about 4,000 lines (security, F15). */
export const logWaitingBytes = 1_024 ** 2;

/** How long `/readyz` waits for a write, and for how long its answer stands. */
export const readinessTime = 250;
export const readinessLife = second;

/** How long a stopping service waits for requests under way (security, Z15). */
export const drainTime = 8 * second;

/** How long a stopping service that is busy goes on accepting connections, to say that it stops. */
export const drainGrace = 100;

/** How often a stopping service lets go of connections that have become idle. */
export const idleSweepInterval = 50;

/** How long `memberdoor healthcheck` waits for an answer. */
export const healthcheckTime = 3 * second;

/** How long one call of `memberdoor doctor` may take. */
export const doctorCallTime = 5 * second;

/** A doctor's nonce is good for this long: more than all of its calls take, and than two clocks should differ. */
export const doctorNonceLifetime = hour;

/** What is left of a certificate when it should have been renewed: two weeks, or a fifth of a short one. */
export const certificateRest = { time: 14 * day, share: 0.2 } as const;

/** Clocks that differ by less agree: the Date header has whole seconds. */
export const clockTolerance = 5 * second;

/** By how much the clocks of processes that share a database may differ: what they tell each other of polls allows for it. */
export const clocksDiffer = 2 * second;

/** How often (ms) a process tells the others when codes were polled, and how many rows one statement writes (decision 51). */
export const pollTimesWritten = { interval: second / 2, rows: 1_000 } as const;

/** HSTS lasts a year or more (W2). */
export const strictTransportSeconds = 31_536_000;

/** How often a service looks whether its database is still the file that it has open (security, F11: a second). */
export const placeInterval = 250;

/** Less free disk than this is too little, and so is less than the database takes; a log of more is stuck. */
export const leastFreeDisk = 256 * 1_024 * 1_024;
export const largestWriteAheadLog = 64 * 1_024 * 1_024;

/** Events of the audit are kept for so many days unless the operator says otherwise. */
export const auditRetentionDays = { least: 1, default: 365, most: 3_650 } as const;

/** Refreshes are most of them: a million TVs that refresh each hour make 6 GB a day. What ended a sign-in stays. */
export const auditRefreshRetentionDays = { ...auditRetentionDays, default: 7 } as const;

/** Refusals of one kind that are written down from one address a minute: strangers must not fill the disk. */
export const auditedRefusals = 60;

/**
 * And of one tenant: a /48 of IPv6, which is easy to get, holds 65,536 addresses as they are counted. Ten of
 * them at their most are more than an operator reads, and a day of nothing else is under a million rows.
 */
export const auditedTenantRefusals = 10 * auditedRefusals;

/**
 * A tenant file: its length, in bytes and in what a parser makes of it; how deep it nests; how many problems
 * are told, and how many members are written. Reading one takes a thread half a second at most on a machine of
 * 2026; it is given as long and as much memory as this, so that a text which is worse than any known costs no more.
 */
export const tenantFile = {
  bytes: 256 * 1_024,
  lexemes: 30_000,
  depth: 10,
  problems: 100,
  members: 500,
  readTime: 10 * second,
  memoryMb: 256,
} as const;

/**
 * Where a field is not known and none is like it, so many known ones are listed at most: those of a postal address,
 * and not all of a client.
 */
export const namesListed = 12;

/** Tenant files that one token, or one administrator, may send in a minute: each takes a thread of its own. */
export const filesPerMinute = 30;

/** Secrets that operators bring have at least so many characters; ours carry 256 bits. */
export const leastSecretLength = 20;

/** Password hashes that operators bring cost no sign-in more than this. */
export const foreignHash = { memoryKib: 65_536, passes: 4, parallelism: 4 } as const;

/** Of an outage, which every request meets, one line of each kind is logged in this time (security, Z7). */
export const outageLogInterval = minute;

/** Calls that one token, or one administrator, may be denied in a minute; each leaves a line in the audit. */
export const deniedCallsPerMinute = 60;

/** A session is forgotten this long after its last use: it was over before, and no notice speaks of it any more. */
export const sessionMemory = noticeLifetime;

/**
 * A used code, of a browser or a TV, is remembered as long as its sign-in lives, so that a second use ends that
 * (decisions 18, 23), and then until no notice speaks of it any more. The sign-in itself is remembered until no
 * event of the audit names it: with it goes what tells whose those were, when their member is erased.
 */
export const usedCodeMemory = noticeLifetime;

/** An authorization code that was not used is good for nothing when it has expired; clocks may be wrong (Z18). */
export const unusedCodeMemory = day;

/** Proofs of addresses are forgotten this long after their time was over: mails are counted for an hour. */
export const emailProofMemory = day;

/**
 * The address that a member gave up is known this long, so that what waits for it or counts by it can be erased with
 * the member: more than any of that stays.
 */
export const formerAddressMemory = 30 * day;

/** Mails that were sent or given up stay in the queue's table for this long, without what they said. */
export const mailMemory = 30 * day;

/** Mails that a development start wrote to its folder are deleted after this long. */
export const outboxMemory = 30 * day;

/**
 * What is over is deleted in bites, each a transaction of its own: at most so many rows, and no more begun after
 * so many ms. Requests come in between, and none waits for 50 ms (performance, "What to reach").
 */
export const sweepBite = { rows: 200, ms: 5, pause: 25 } as const;

/** So many rows are deleted by one statement of a bite. */
export const sweepStep = 20;

/** What is found by an index is swept each hour; for the rest, every row is looked at once a day. */
export const sweepInterval = { indexed: hour, walked: day } as const;

/** When a service that has started does its chores first: by then those who waited for it have been served. */
export const firstChores = 2 * minute;

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
 * How long a process waits for PostgreSQL (ms): for a connection, be it free or new; for the answer to a statement,
 * and to one that may take long; and for a word on a connection before it asks whether that is still there.
 *
 * The server ends a statement before the process gives its answer up, so that a slow one is told from a network that
 * lost its way. It ends a transaction that waits for the process's next statement sooner still: a process that was cut
 * off holds no row that others want for longer than they wait for it, and a commit that arrives after its request was
 * answered by 503 finds nothing to commit.
 */
export const postgresTimes = {
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

/**
 * Calls to addresses of others (decision 48): the time for all of one, the bytes of an answer's body and of its headers,
 * and how many are under way, in all and to one host.
 */
export const outbound = {
  time: 5 * second,
  bodyBytes: 1_024 ** 2,
  headerBytes: 16 * 1_024,
  calls: 64,
  callsOfHost: 8,
} as const;

/** A search over everything shows so many of each kind. */
export const searchedMost = 10;

/** What was done is said on the page that follows at once, and not on one that is opened later. */
export const doneCookieLifetime = minute;

/** How long the link of an invitation works. */
export const invitationLifetime = 3 * day;

/** How many entries a list of the portal shows at once: its pages stay under 60 KB. */
export const portalListLength = 20;

/** How far things are counted for people: a number beyond tells them no more, and takes milliseconds to find. */
export const countedUpTo = 10_000;

/** How long such counts are remembered (ms), and of how many tenants. */
export const countsRemembered = minute;
export const countsTenants = 1_000;

/**
 * How many entries a page of a list looks at where no index has what is asked for: some milliseconds. It goes on behind
 * them on the next page.
 */
export const listLook = 10_000;

/** An export is read in parts of this many entries, each in a few milliseconds: one part is in memory. */
export const exportPart = 1_000;
