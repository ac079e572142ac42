// Overwrites the write-ahead log of an open database, which holds what was deleted until others write over it.
import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { checkpointPages, fillerPages } from '../../core/operators/limits.ts';
import { cleaningDue } from '../service.ts';
import type { Store, Tx } from '../store.ts';
import type { Pace } from './sweep.ts';

/** A page of the database, and the header of its frame in the log. */
const pageBytes = 4_096;
const frameBytes = pageBytes + 24;

/**
 * Writes as many bytes that mean nothing as the log holds, and enough beside for two checkpoints: the first brings
 * what was deleted into the file, where `secure_delete` has overwritten it, and after the second nothing in the log is
 * older. All in bites, as any other work is written.
 *
 * @param path of the database
 */
export async function overwriteLog(store: Store, path: string, { pause, isOver }: Pace): Promise<void> {
  const held = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) / frameBytes;
  const bites = Math.ceil((held + 2 * checkpointPages) / fillerPages);
  for (let bite = 0; bite < bites && !isOver(); bite += 1) {
    await store.transaction(fill);
    await pause();
  }
  await store.transaction((tx) => tx.deleteFrom('filler').execute());
}

async function fill(tx: Tx): Promise<void> {
  const bytes = sql<Buffer>`zeroblob(${sql.lit(fillerPages * pageBytes)})`;
  await tx.replaceInto('filler').values({ id: 1, bytes }).execute();
}

/**
 * The chore that does so within a day of each erasure.
 *
 * @returns does nothing where no member was erased since it was done last
 */
export function overwriteAfterErasure(store: Store, path: string): (pace: Pace) => Promise<void> {
  let doneUntil = 0;
  return async (pace) => {
    const erasedAt = await store.transaction(cleaningDue);
    if (erasedAt === null || erasedAt <= doneUntil) return;
    await overwriteLog(store, path, pace);
    if (!pace.isOver()) doneUntil = erasedAt;
  };
}
