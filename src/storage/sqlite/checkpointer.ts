/**
 * Lets a thread copy the write-ahead log into the database, with all the waiting for the disk that this takes, and
 * clean the database while it is there.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export type Checkpointer = ReturnType<typeof createCheckpointer>;

/** Which file to clean, and from which of its pages on. */
export interface Cleaning {
  readonly file: number;
  readonly from: number;
}

/** What the thread is asked to do: a checkpoint, and some cleaning after it, or to end. */
export type CheckpointOrder = { readonly cleaning: Cleaning | null } | 'close';

/** What the thread says of a checkpoint; `next` is the page that cleaning goes on at. */
export type CheckpointAnswer =
  | { readonly isWhole: boolean; readonly next: number | null }
  | { readonly problem: string };

/**
 * @param path of the database; the thread starts when it is first asked for: a short run needs none
 * @param cleaned is told in between of pages that were cleaned: what others remember of them is not
 */
export function createCheckpointer(path: string, cleaned: () => void) {
  let thread: Worker | null = null;
  let cleaning: Cleaning | null = null;
  let opened: Promise<void> = Promise.resolve();
  const start = (): Worker => {
    if (thread !== null) return thread;
    const started = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: path });
    started.unref();
    // One that died is replaced by the next that is asked for.
    started.on('error', () => {});
    started.once('exit', () => {
      if (thread === started) thread = null;
    });
    thread = started;
    // Where the database could not be opened, the next call says so.
    opened = once(started, 'message').then(
      () => {},
      () => {},
    );
    return started;
  };
  return {
    /** Starts the thread, so that it is there when it is needed. @returns when it has opened the database */
    prepare: () => {
      start();
      return opened;
    },
    /** @returns whether all of the log is in the database now, and that on the disk @throws what SQLite says */
    checkpoint: () =>
      new Promise<boolean>((resolve, reject) => {
        const asked = start();
        const ordered = cleaning;
        const end = () => asked.off('message', answered).off('exit', died).unref();
        const answered = (answer: CheckpointAnswer) => {
          end();
          if ('problem' in answer) {
            reject(new Error(answer.problem));
            return;
          }
          if (ordered !== null && answer.next !== ordered.from) cleaned();
          // One that was begun meanwhile begins at the beginning.
          if (cleaning === ordered) {
            cleaning = ordered === null || answer.next === null ? null : { ...ordered, from: answer.next };
          }
          resolve(answer.isWhole);
        };
        const died = () => {
          end();
          reject(new Error('the thread of checkpoints ended'));
        };
        asked.ref();
        asked.on('message', answered).on('exit', died);
        asked.postMessage({ cleaning: ordered } satisfies CheckpointOrder);
      }),
    /**
     * Begins to clean the database: each checkpoint from now on does some of its pages (security, F14).
     *
     * @param file a descriptor of the database, which stays open as long as any connection
     */
    clean: (file: number) => {
      cleaning = { file, from: 1 };
    },
    /** The page that the next checkpoint goes on at with cleaning; null if none is left. */
    cleaningAt: () => cleaning?.from ?? null,
    /** Ends the thread, and its connection; to be called before the last other connection is closed. */
    close: async () => {
      if (thread === null) return;
      const ending = thread;
      ending.ref();
      ending.postMessage('close' satisfies CheckpointOrder);
      await once(ending, 'exit');
    },
  };
}
