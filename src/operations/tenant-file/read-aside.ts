// Reads a tenant file in a thread of its own.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { tenantFile } from '../../core/operators/limits.ts';
import { type Position, type Problem, problem } from '../../core/problem.ts';
import type { References } from './references.ts';
import type { TenantFile } from './tenant-file.ts';

/** A tenant file to be read, with what its sender looked up. */
export interface ReadRequest {
  readonly text: string;
  readonly references: References;
}

export type ReadResult =
  | {
      readonly ok: true;
      readonly file: TenantFile;
      /** Where each value begins, by the key of its path. */
      readonly positions: ReadonlyMap<string, Position>;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Files are read one after the other: a caller who sends many takes no core from members who sign in. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Reads a tenant file in a thread of its own: the largest takes half a second, in which no other request would
 * be answered.
 */
export function readAside(request: ReadRequest): Promise<ReadResult> {
  const result = before.then(() => readInThread(request));
  before = result.catch(() => {});
  return result;
}

/** Started when the first file comes, since most services see none; the next ones find it ready. */
let thread: Worker | null = null;

/** @throws if it cannot be started */
async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./read-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: tenantFile.memoryMb },
  });
  worker.once('exit', () => {
    if (thread === worker) thread = null;
  });
  await once(worker, 'message');
  thread = worker;
  return worker;
}

async function readInThread(request: ReadRequest): Promise<ReadResult> {
  const worker = thread ?? (await startThread());
  // A process ends though the thread waits for another file, and not while it reads one.
  worker.ref();
  return new Promise<ReadResult>((resolve, reject) => {
    const timer = setTimeout(() => {
      isOver();
      thread = null;
      const tooSlow = { ...problem([], 'yaml_too_slow'), position: { line: 1, column: 1 } };
      resolve({ ok: false, problems: [tooSlow] });
      void worker.terminate();
    }, tenantFile.readTime);
    const isOver = () => {
      clearTimeout(timer);
      worker.removeAllListeners('message').removeAllListeners('error').unref();
    };
    worker.once('message', (result: ReadResult) => {
      isOver();
      resolve(result);
    });
    worker.once('error', (error) => {
      isOver();
      thread = null;
      reject(error);
    });
    worker.postMessage(request);
  });
}
