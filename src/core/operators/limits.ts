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

/**
 * The audit as it is streamed: how often, how many events at once, how long it rests where that failed, how long a receiver
 * may take, and after how long no lower id is committed any more where processes share a database.
 */
export const auditStreamed = {
  every: second,
  bite: 500,
  rest: 10 * second,
  time: 5 * second,
  settled: 10 * second,
} as const;

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

/** So many problems of one call are told, the first: a body of unknown names would have an answer of many megabytes. */
export const problemsTold = 100;

/** Tenant files that one token, or one administrator, may send in a minute: each takes a thread of its own. */
export const filesPerMinute = 30;

/** Secrets that operators bring have at least so many characters; ours carry 256 bits. */
export const leastSecretLength = 20;

/** In this time one line of each kind is logged of an outage, since every request meets it (security, Z7). */
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

/** How long a client's page counts used refresh tokens that came back. */
export const reusesCounted = 30 * day;

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
 * Calls to addresses of others (decision 48): the time for all of one, the bytes of an answer's body and of its headers,
 * how many are under way, in all and to one host, and how many connections rest after a call, in all and of one host, and
 * for how long.
 */
export const outbound = {
  time: 5 * second,
  bodyBytes: 1_024 ** 2,
  headerBytes: 16 * 1_024,
  calls: 64,
  callsOfHost: 8,
  kept: 64,
  keptOfHost: 4,
  keptFor: 4 * second,
} as const;

/** A search over everything shows so many of each kind. */
export const searchedMost = 10;

/** What was done is said on the page that follows at once, and not on one that is opened later. */
export const doneCookieLifetime = minute;

/** How long the link of an invitation works. */
export const invitationLifetime = 3 * day;

/** How many entries a list of the portal shows at once: its pages stay under 60 KB. */
export const portalListLength = 20;

/** How many entries that match one act of the portal takes at once: each is a change of its own, with a line in the audit. */
export const actedAtOnce = 500;

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

/**
 * What a filter of a list may say: how many conditions, how many values one of them may have, how many properties or
 * consents it names, and how long a text of it is.
 */
export const filterLimits = { conditions: 20, values: 100, named: 10, length: 200 } as const;

/**
 * The key of a call that is made once: how long (ms) its answer is kept, how long the key may be, and for how long (ms) the
 * call is taken to be under way where its process says nothing more: longer than any takes.
 */
export const idempotency = { memory: day, keyLength: 255, underWay: minute } as const;

/** An export is read in parts of this many entries, each in a few milliseconds: one part is in memory. */
export const exportPart = 1_000;
