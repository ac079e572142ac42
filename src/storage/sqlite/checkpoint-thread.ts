/** The thread of `checkpointer.ts`: one connection that does nothing but checkpoints, and cleans after them. */
import { parentPort, workerData } from 'node:worker_threads';
import SQLite from 'better-sqlite3';
import { cleaningTime } from '../../core/operators/store-limits.ts';
import type { CheckpointAnswer, CheckpointOrder, Cleaning } from './checkpointer.ts';
import { cleanPages } from './clean.ts';

// Opened, and not read: the other thread first checks that this is still the database. Closing a connection that has
// read would write the log into whatever file this is.
const sqlite = new SQLite(String(workerData), { fileMustExist: true, timeout: 0 });

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order !== 'close') {
    parentPort?.postMessage(checkpoint(order.cleaning));
    return;
  }
  sqlite.close();
  parentPort?.close();
});

parentPort?.postMessage('open');

/** PASSIVE does not wait: readers do not hold it up, and the other side keeps writers out. */
function checkpoint(cleaning: Cleaning | null): CheckpointAnswer {
  const from = cleaning?.from ?? null;
  try {
    // The log is synchronised before its pages are written, and the database before the log counts as copied.
    sqlite.pragma('synchronous = full');
    sqlite.pragma('wal_autocheckpoint = 0');
    const version = dataVersion();
    const [row] = sqlite.pragma('wal_checkpoint(passive)') as {
      busy: number;
      log: number;
      checkpointed: number;
    }[];
    const isWhole = row !== undefined && row.busy === 0 && row.log === row.checkpointed;
    return { isWhole, next: isWhole && cleaning !== null ? clean(cleaning, version) : from };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Cleans some pages, which have no other writer meanwhile: the whole log is in the database, and this transaction
 * keeps others from adding to it, also another program.
 *
 * @param version of the data that the checkpoint copied
 * @returns the page to go on at; the same one if it could not begin
 */
function clean({ file, from }: Cleaning, version: unknown): number | null {
  const until = performance.now() + cleaningTime;
  try {
    sqlite.exec('begin immediate');
    return dataVersion() === version ? cleanPages(file, from, () => performance.now() >= until).next : from;
  } catch {
    // Another program writes, or the disk fails: the next checkpoint tries again.
    return from;
  } finally {
    if (sqlite.inTransaction) sqlite.exec('rollback');
  }
}

/** Another one after each commit of another connection. */
function dataVersion(): unknown {
  return sqlite.pragma('data_version', { simple: true });
}
