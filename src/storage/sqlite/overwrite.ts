// Overwrites what an open database holds of what was deleted: gaps in its pages, and its log until others write there.
import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { checkpointPages, fillerPages } from '../../core/operators/store-limits.ts';
import { bytesAt, withFile } from '../../system/files.ts';
import { cleaningDue, noteCleaned } from '../service.ts';
import type { Store, Tx } from '../store.ts';
import type { Pace } from '../sweep/sweep.ts';

/** A page of the database, and the header of its frame in the log. */
const pageBytes = 4_096;
const frameBytes = pageBytes + 24;
/** Where the log's header counts how often it was begun again: https://sqlite.org/walformat.html §4.1. */
const beginningsAt = 12;

const heldUp = () => new Error('the log does not come into the database, so it cannot be cleaned');

/**
 * Writes meaningless bytes until the log has begun anew twice: the first checkpoint brings what was deleted into
 * the file, where `secure_delete` has overwritten it, and after the second nothing in the log is older. All in bites,
 * as any other work is written.
 *
 * @param path of the database
 * @throws if a checkpoint that is due does not come
 */
async function overwriteLog(store: Store, path: string, { pause, isOver }: Pace): Promise<void> {
  const patience = patienceFor(path);
  const beginnings = () =>
    withFile(`${path}-wal`, 'r', (log) => bytesAt(log, beginningsAt, 4).readUInt32BE());
  let known = beginnings();
  for (let [begun, waited] = [0, 0]; begun < 2 && !isOver(); waited += 1) {
    if (waited > patience) throw heldUp();
    await store.transaction(fill);
    await pause();
    if (beginnings() === known) continue;
    known = beginnings();
    begun += 1;
    waited = 0;
  }
  await store.transaction((tx) => tx.deleteFrom('filler').execute());
}

/** How many bites bring a checkpoint for certain, where nothing is in its way. */
function patienceFor(path: string): number {
  const held = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) / frameBytes;
  return Math.ceil((held + 2 * checkpointPages) / fillerPages);
}

async function fill(tx: Tx): Promise<void> {
  const bytes = sql<Buffer>`zeroblob(${sql.lit(fillerPages * pageBytes)})`;
  await tx.replaceInto('filler').values({ id: 1, bytes }).execute();
}

/**
 * Cleans the gaps in the pages of the file, some at each checkpoint; bytes that mean nothing make those come.
 *
 * @throws if a checkpoint that is due does not come: another program holds the file, say
 */
async function cleanGaps(store: Store, path: string, { pause, isOver }: Pace): Promise<void> {
  const patience = patienceFor(path);
  store.clean();
  let waited = 0;
  for (let at = store.cleaningAt(); at !== null && !isOver(); waited += 1) {
    if (waited > patience) throw heldUp();
    await store.transaction(fill);
    await pause();
    if (store.cleaningAt() !== at) waited = 0;
    at = store.cleaningAt();
  }
}

/**
 * The chore that does both within a day of each erasure: the file first, so that the log holds none of its old pages.
 *
 * @returns does nothing where no member was erased since it was done last
 */
export function overwriteAfterErasure(store: Store, path: string): (pace: Pace) => Promise<void> {
  return async (pace) => {
    const erasedAt = await store.transaction(cleaningDue);
    if (erasedAt === null) return;
    await cleanGaps(store, path, pace);
    await overwriteLog(store, path, pace);
    if (!pace.isOver()) await store.transaction((tx) => noteCleaned(tx, erasedAt));
  };
}
