/** The numbers of running the service: each once, with its source, as in `core/limits.ts`. Times are ms. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Lines of the log are written in pieces of this size, and none waits longer than this. */
export const logPieceBytes = 4_096;
export const logFlushInterval = 250;

/** How long `/readyz` waits for a write, and for how long its answer stands. */
export const readinessTime = 250;
export const readinessLife = second;

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

/** HSTS lasts a year or more (W2). */
export const strictTransportSeconds = 31_536_000;

/** Less free disk than this is too little, and so is less than the database takes; a log of more is stuck. */
export const leastFreeDisk = 256 * 1_024 * 1_024;
export const largestWriteAheadLog = 64 * 1_024 * 1_024;

/** Events of the audit are kept for so many days unless the operator says otherwise, and swept in bites. */
export const auditRetentionDays = { least: 1, default: 365, most: 3_650 } as const;
export const auditSweepInterval = hour;
export const auditBite = 500;

/** Refusals of one kind that are written down from one address a minute: strangers must not fill the disk. */
export const auditedRefusals = 60;

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

/** Tenant files that one token, or one administrator, may send in a minute: each takes a thread of its own. */
export const filesPerMinute = 30;

/** Secrets that operators bring have at least so many characters; ours carry 256 bits. */
export const leastSecretLength = 20;

/** Password hashes that operators bring cost no sign-in more than this. */
export const foreignHash = { memoryKib: 65_536, passes: 4, parallelism: 4 } as const;

/** Of an outage, which every request meets, one line of each kind is logged in this time (security, Z7). */
export const outageLogInterval = minute;

/** Calls of the admin API that one token may be denied in a minute; each leaves a line in the audit. */
export const deniedCallsPerMinute = 60;
