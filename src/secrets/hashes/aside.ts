// Hashes in threads of their own what the platform does not hash by itself.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A hash to be made of a password. */
export type AsideTask =
  /** @param settings `$2b$10$` and the salt; the answer is the whole text */
  | { readonly kind: 'bcrypt'; readonly password: string; readonly settings: string }
  | {
      readonly kind: 'sha-crypt';
      readonly digest: 'sha256' | 'sha512';
      readonly password: string;
      readonly salt: string;
      readonly rounds: number;
    }
  | {
      readonly kind: 'phpass';
      readonly password: string;
      readonly salt: string;
      readonly rounds: number;
    };

/** Threads that wait for a task. There are never more than tasks at once, which the queue of passwords bounds. */
const idle: Worker[] = [];

/** Makes a hash in a thread, which is started when none waits: most services never need one. */
export async function runAside(task: AsideTask): Promise<string> {
  const worker = idle.pop() ?? new Worker(new URL('./aside-thread.ts', import.meta.url));
  // A process ends though the thread waits for another task, and not while it works on one.
  worker.ref();
  worker.postMessage(task);
  try {
    const [hash] = await once(worker, 'message');
    idle.push(worker);
    return hash;
  } catch (error) {
    void worker.terminate();
    throw error;
  } finally {
    worker.unref();
  }
}
