/** The numbers of members who move in: each once, with its source. Times are ms. */
import { day, minute, second } from '../limits.ts';

/** A line, or an entry of a list: a member with a hundred subscriptions has some 20 KB. */
export const entryBytes = 1_024 ** 2;

/** A file: half a million members with hashes. A larger one is cut in two first. */
export const importFileBytes = 256 * 1_024 ** 2;

/** It is sent in parts of at most this size, each as base64 in a body (`fileBodyBytes`). */
export const importPartBytes = 512 * 1_024;

/** A file that is uploaded: some 100,000 members with hashes. The command takes larger ones. */
export const uploadBytes = 64 * 1_024 ** 2;

/** The service keeps the file of an upload for so long, unless it is at work on it. */
export const uploadMemory = day;

/** How long it rests between two batches, so that requests are served; how often several processes look for work. */
export const importPace = { pause: 10, look: 5 * second, failed: 10 * second } as const;

/** So many refused lines are shown before an import starts. */
export const trialLines = 10;

/** So many of the names that mean nothing here are told of a file, and so much of each. */
export const namesNotTaken = { most: 50, length: 64 } as const;

/** What kind of file it is can be told from so much of its beginning. */
export const headBytes = 64 * 1_024;

/** Columns of a table; what comes with one member. */
export const columnsMost = 200;
export const besidesMost = 100;

/** So many refused lines are kept: a file with more of them is not what it was said to be, and the import ends. */
export const refusedMost = 100_000;

/** What a file is called, in characters. */
export const fileNameLength = 255;

/** What another system calls a member, in characters. */
export const externalIdLength = 128;

/**
 * Pieces of a file that are taken in by one transaction, in some 20 ms, and so many bytes of them; one alone may be as long
 * as a line may be, which is at most twice as long as JSON.
 */
export const importBatch = { entries: 40, bytes: 128 * 1_024, bodyBytes: 2.5 * 1_024 ** 2 } as const;

/** An import, and which of its lines were refused, is remembered for this long. */
export const importMemory = 30 * day;

/**
 * A system that is asked for members who sign in: how long it may take to answer, and how long every no at the tenant takes
 * behind the hash, which leaves time to write down what came of it; how many calls are under way at once, in all, which is what
 * a host is sent at once (decision 48), and for one network, which has one alone once so many are under way that there is no
 * plenty; after how many failures in a row it rests, for how long first and at most.
 */
export const askedSystem = {
  time: 2.5 * second,
  noTakes: 3 * second,
  atOnce: 8,
  atOnceFrom: 2,
  plenty: 4,
  failures: 5,
  firstRest: 30 * second,
  longestRest: 10 * minute,
} as const;
