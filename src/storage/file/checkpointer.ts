/** Lets a thread copy the write-ahead log into the database, with all the waiting for the disk that this takes. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface Checkpointer {
  /** Starts the thread, so that it is there when it is needed. @returns when it has opened the database */
  prepare(): Promise<void>;
  /**
   * @returns whether all of the log is in the database now, and that on the disk
   * @throws what SQLite says
   */
  checkpoint(): Promise<boolean>;
  /** Ends the thread, and its connection; to be called before the last other connection is closed. */
  close(): Promise<void>;
}

/** What the thread says of a checkpoint. */
export type CheckpointAnswer = { readonly isWhole: boolean } | { readonly problem: string };

/** @param path of the database; the thread starts when it is first asked for: a short run needs none */
export function createCheckpointer(path: string): Checkpointer {
  let thread: Worker | null = null;
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
    // Who waits for it is told so by the next call where it could not be opened.
    opened = once(started, 'message').then(
      () => {},
      () => {},
    );
    return started;
  };
  return {
    prepare: () => {
      start();
      return opened;
    },
    checkpoint: () =>
      new Promise<boolean>((resolve, reject) => {
        const asked = start();
        const end = () => asked.off('message', answered).off('exit', died).unref();
        const answered = (answer: CheckpointAnswer) => {
          end();
          if ('problem' in answer) reject(new Error(answer.problem));
          else resolve(answer.isWhole);
        };
        const died = () => {
          end();
          reject(new Error('the thread of checkpoints ended'));
        };
        asked.ref();
        asked.on('message', answered).on('exit', died);
        asked.postMessage('checkpoint');
      }),
    close: async () => {
      if (thread === null) return;
      const ending = thread;
      ending.ref();
      ending.postMessage('close');
      await once(ending, 'exit');
    },
  };
}
