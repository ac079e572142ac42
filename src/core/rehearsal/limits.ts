/** The numbers of the rehearsal room: each once, as in `core/limits.ts`. Times are ms. */
import { day, second } from '../limits.ts';

/** How far the clock goes: what is written then has years of four digits. */
export const clockAhead = 100 * 365 * day;

/**
 * Faults of one tenant that wait, and how many answers one meets unless it meets all; how late an answer comes (s), which is
 * less than the time after which a silent connection is closed.
 */
export const faultsKept = 100;
export const faultTimes = 1_000;
export const faultDelay = { usual: 2, most: 20 } as const;

/** The page of members that sign in by a click shows so many. */
export const membersShown = 50;

/** The largest seed, and how many seeds are remembered as they were left. */
export const largestSeed = 2 ** 31 - 1;
export const seedsKept = 1_000;

/**
 * Snapshots of what a development start is like, beside the one of its start: so many, of a database of so many bytes; how
 * many wait for their turn; and for how long one waits for what is under way.
 */
export const snapshotsKept = 10;
export const snapshotsWaiting = 20;
export const snapshotBytes = 16 * 1_024 ** 2;
export const snapshotWait = 50;

/** What went over the wire of a tenant is kept so long: so many entries, of so many tenants, each of so many characters. */
export const wireKept = { entries: 500, tenants: 20, length: 4_096 } as const;

/** Of one entry: so many characters of a value, of an answer's body, of one token's claims, and so many values. */
export const wireParts = { value: 200, body: 1_600, claims: 800, values: 30 } as const;

/** What stands in an entry that would be too long: so many characters of a value. */
export const wireShort = 40;

/** An answer longer than this is not looked into. */
export const wireRead = 64 * 1_024;

/**
 * A report card remembers so much, of the newest: clients of a tenant; of a client device codes, tokens with those that they
 * came with, sign-ins on the web, and of each code or token the requests that brought it last.
 */
export const cardKept = { clients: 30, codes: 40, tokens: 150, signIns: 60, uses: 4 } as const;

/** A page of the room shows so many entries of the log, and of an answer so many characters in its line. */
export const wireShown = { entries: 60, answer: 260 } as const;

/** The TV looks so often whether its time has come, and a page that listens hears from us at least so often (ms). */
export const tvLooks = 250;
export const eventsHeartbeat = 15 * second;

/** So many listen at once, of all tenants. */
export const eventsListeners = 50;

/** A page that listens and does not read loses the connection when so much waits (bytes). */
export const eventsUnread = 1024 * 1024;

/** A client of the room waits so long for an answer, and reads so much of it (ms, characters). */
export const roomPatience = 30 * second;
export const roomRead = 1_000_000;
