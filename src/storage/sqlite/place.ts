/** Notices when the database of a running service is no longer the file that it has open (security, F11). */
import { type BigIntStats, statSync } from 'node:fs';
import { placeInterval } from '../../core/operators/limits.ts';

/** What became of a database under a running service. */
export interface Lost {
  /** In a sentence, for the log. */
  readonly why: string;
  /** Whether the open file is as it was, so that what it holds can still be read. */
  readonly isIntact: boolean;
}

/**
 * Keeps an eye on the files of an open database, by their names: a process that has a file open goes on writing into
 * it when another one gets its name, and confirms what the next start does not find. In WAL mode nothing is written
 * into the database file but by checkpoints. So the file was replaced if its inode differs, and overwritten if its
 * size or the time of its last change does.
 *
 * @param path of the database, which is open, as its log is
 * @param tell called once, with what became of it
 */
export function watchPlace(path: string, tell: (lost: Lost) => void) {
  const log = `${path}-wal`;
  let database = lookAt(path);
  const logInode = lookAt(log)?.ino;
  let isWriting = false;
  let lost: Lost | null = null;
  const find = (): Lost | null => {
    const now = lookAt(path);
    if (now === null) return { why: `The database ${path} is not there any more`, isIntact: true };
    if (now.ino !== database?.ino || now.dev !== database.dev) {
      return { why: `The database ${path} was replaced by another file`, isIntact: true };
    }
    if (!isWriting && (now.size !== database.size || now.mtimeNs !== database.mtimeNs)) {
      return { why: `The database ${path} was changed by another program`, isIntact: false };
    }
    if (lookAt(log)?.ino !== logInode) {
      return { why: `The log ${log} of the database was deleted or replaced`, isIntact: true };
    }
    return null;
  };
  const check = (): Lost | null => {
    if (lost !== null) return lost;
    lost = find();
    if (lost !== null) tell(lost);
    return lost;
  };
  const timer = setInterval(check, placeInterval).unref();
  return {
    /**
     * Looks whether they are there still, and as they were left.
     *
     * @returns null if so; what was wrong first otherwise, for good: only a start looks at a file with care
     */
    check,
    /** What was found by the last look. */
    lost: () => lost,
    /** Runs a checkpoint, which is all that writes into the database file itself. */
    writing: async <T>(write: () => Promise<T>): Promise<T> => {
      isWriting = true;
      try {
        return await write();
      } finally {
        database = lookAt(path);
        isWriting = false;
      }
    },
    /** Ends looking by itself. */
    leave: () => clearInterval(timer),
  };
}

/** @returns null where nothing of that name can be seen */
function lookAt(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
