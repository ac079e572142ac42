// Sends what waits in a queue after the commits that put it there: mails, and what clients are told.
import type { Store } from '../../storage/store.ts';
import type { Clock, Schedule } from '../../system/clock.ts';
import { createRunner, type Ran } from './runner.ts';
import { createTaking, type Queue } from './taking.ts';

/** What sends a queue, in one process. */
export interface Delivery {
  /** Something was put into the queue, and is committed. */
  wake(): void;
  /** Sends all that is due. Whatever goes wrong, it stays in the queue. */
  deliver(): Promise<void>;
  /** Sends no more; resolves once what is under way is done. */
  stop(): Promise<void>;
}

export interface DeliveryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly schedule: Schedule;
}

/** How one queue is sent. Times are ms. */
export interface DeliveryOf<Waiting extends { readonly id: number }> {
  readonly queue: Queue<Waiting>;
  /** Done first: what was sent, and could not be marked as sent. */
  readonly markSent: () => Promise<void>;
  /**
   * Sends some of what is due, as long as it may.
   *
   * @returns what was not tried; and false if nothing of the queue can be sent now
   */
  readonly send: (
    due: readonly Waiting[],
    mayGoOn: () => boolean,
  ) => Promise<{ readonly untried: readonly Waiting[]; readonly isReachable: boolean }>;
  /** How long nothing is sent after `send` said that nothing can be. */
  readonly pause: number;
  /** How often each of several processes looks for what one that is gone has left. */
  readonly look: number;
  /** The queue could not be read, or what was sent not be marked. */
  readonly failed: (error: unknown) => void;
}

/** Makes what sends a queue. What is put into it while it is sent is sent by the same run. */
export function createDelivery<Waiting extends { readonly id: number }>(
  deps: DeliveryDeps,
  { queue, markSent, send, pause, look, failed }: DeliveryOf<Waiting>,
): Delivery {
  const { store, clock } = deps;
  const take = createTaking(deps, queue);
  // After a failure: before others take what this process sent and could not mark.
  const runner = createRunner(deps, work, failed, store.isShared ? look : pause);

  async function work(): Promise<Ran> {
    await markSent();
    const isReachable = await sendDue();
    let next = (await store.transaction(queue.nextDueAt)) ?? Number.POSITIVE_INFINITY;
    // A process that died may have left some that this one was not told of.
    if (store.isShared) next = Math.min(next, clock() + look);
    const wait = Number.isFinite(next) ? Math.max(next - clock(), isReachable ? 0 : pause) : null;
    return { wait, mayGoOn: isReachable };
  }

  /** @returns false if nothing can be sent now */
  async function sendDue(): Promise<boolean> {
    for (;;) {
      const { due, isOurs, letGo } = await take();
      if (due.length === 0) return true;
      let sent: Awaited<ReturnType<typeof send>> = { untried: [], isReachable: true };
      try {
        sent = await send(due, () => !runner.isStopped() && isOurs());
      } finally {
        await letGo(sent.untried);
      }
      if (runner.isStopped() || !sent.isReachable) return sent.isReachable;
    }
  }

  return { wake: runner.wake, deliver: runner.run, stop: runner.stop };
}
