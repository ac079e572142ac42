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
  const thread = createThread(path);
  let cleaning: Cleaning | null = null;
  return {
    /** Starts the thread, so that it is there when it is needed. @returns when it has opened the database */
    prepare: () => {
      thread.start();
      return thread.opened();
    },
    /** @returns whether all of the log is in the database now, and that on the disk @throws what SQLite says */
    checkpoint: async (): Promise<boolean> => {
      const ordered = cleaning;
      const answer = await answerOf(thread.start(), { cleaning: ordered });
      if ('problem' in answer) throw new Error(answer.problem);
      if (ordered !== null && answer.next !== ordered.from) cleaned();
      // A cleaning that was begun meanwhile begins at the beginning.
      if (cleaning === ordered) {
        cleaning = ordered === null || answer.next === null ? null : { ...ordered, from: answer.next };
      }
      return answer.isWhole;
    },
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
      const ending = thread.running();
      if (ending === null) return;
      ending.ref();
      ending.postMessage('close' satisfies CheckpointOrder);
      await once(ending, 'exit');
    },
  };
}

/** The thread of a database: one that died is replaced by the next that is asked for. */
function createThread(path: string) {
  let running: Worker | null = null;
  let opened: Promise<void> = Promise.resolve();
  return {
    running: () => running,
    start: (): Worker => {
      if (running !== null) return running;
      const started = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData: path });
      started.unref();
      started.on('error', () => {});
      started.once('exit', () => {
        if (running === started) running = null;
      });
      running = started;
      // Where the database could not be opened, the next order says so.
      opened = once(started, 'message').then(
        () => {},
        () => {},
      );
      return started;
    },
    /** Resolves when the thread that was started last has opened the database, or cannot. */
    opened: () => opened,
  };
}

/** Gives the thread an order. @throws where it ends without an answer */
function answerOf(thread: Worker, order: Exclude<CheckpointOrder, 'close'>): Promise<CheckpointAnswer> {
  return new Promise((resolve, reject) => {
    const end = () => thread.off('message', answered).off('exit', died).unref();
    const answered = (answer: CheckpointAnswer) => {
      end();
      resolve(answer);
    };
    const died = () => {
      end();
      reject(new Error('the thread of checkpoints ended'));
    };
    thread.ref();
    thread.on('message', answered).on('exit', died);
    thread.postMessage(order);
  });
}
