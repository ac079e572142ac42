/** The thread of `checkpointer.ts`: one connection that does nothing but checkpoints. */
import { parentPort, workerData } from 'node:worker_threads';
import SQLite from 'better-sqlite3';
import type { CheckpointAnswer } from './checkpointer.ts';

// Opened, and not read: whoever asks looks first whether this is still the database. Closing a connection that has
// read would write the log into whatever file this is.
const sqlite = new SQLite(String(workerData), { fileMustExist: true, timeout: 0 });

parentPort?.on('message', (word: 'checkpoint' | 'close') => {
  if (word === 'checkpoint') {
    parentPort?.postMessage(checkpoint());
    return;
  }
  sqlite.close();
  parentPort?.close();
});

parentPort?.postMessage('open');

/** PASSIVE waits for nobody: not for those who read, and those who write are kept out by the other side. */
function checkpoint(): CheckpointAnswer {
  try {
    // The log is synchronised before its pages are written, and the database before the log counts as copied.
    sqlite.pragma('synchronous = full');
    sqlite.pragma('wal_autocheckpoint = 0');
    const [row] = sqlite.pragma('wal_checkpoint(passive)') as {
      busy: number;
      log: number;
      checkpointed: number;
    }[];
    return { isWhole: row !== undefined && row.busy === 0 && row.log === row.checkpointed };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
