// Takes what is due out of a queue, so that one of several processes sends each piece of it.
import { lease } from '../../core/operators/store-limits.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Clock, Schedule } from '../../system/clock.ts';
import { hold } from '../lease.ts';

/** A table of what waits to be sent. */
export interface Queue<Waiting extends { readonly id: number }> {
  /** What is due, the oldest first. */
  readonly list: (tx: Tx, now: number, most: number) => Promise<readonly Waiting[]>;
  /** The same, due again at a time (ms), so that no other process finds it before. */
  readonly take: (tx: Tx, now: number, most: number, until: number) => Promise<readonly Waiting[]>;
  /** Moves what waits until a time to another one. */
  readonly move: (
    tx: Tx,
    taken: { readonly ids: readonly number[]; readonly until: number },
    to: number,
  ) => Promise<void>;
  /** When the next of it is due (ms), or null if none waits. */
  readonly nextDueAt: (tx: Tx) => Promise<number | null>;
  /** How many are taken at once. */
  readonly batch: number;
}

/** What is due and no other process sends. */
export interface Taken<Waiting> {
  readonly due: readonly Waiting[];
  /** Whether there is time to send the next of it. */
  readonly isOurs: () => boolean;
  /** Ends it; this was not tried, and is due again. The rest is due when it is said to be. */
  readonly letGo: (untried: readonly Waiting[]) => Promise<void>;
}

/** Makes the function that takes some of what is due. Where there is one process it need not be held. */
export function createTaking<Waiting extends { readonly id: number }>(
  { store, clock, schedule }: { readonly store: Store; readonly clock: Clock; readonly schedule: Schedule },
  queue: Queue<Waiting>,
): () => Promise<Taken<Waiting>> {
  if (!store.isShared) {
    return async () => ({
      due: await store.transaction((tx) => queue.list(tx, clock(), queue.batch)),
      isOurs: () => true,
      letGo: async () => {},
    });
  }
  const move = (taken: readonly Waiting[], until: number, to: number) => {
    const ids = taken.map(({ id }) => id);
    return store.transaction((tx) => queue.move(tx, { ids, until }, to));
  };
  return async () => {
    const now = clock();
    const due = await store.transaction((tx) => queue.take(tx, now, queue.batch, now + lease.time));
    if (due.length === 0) return { due, isOurs: () => true, letGo: async () => {} };
    const held = hold({ clock, schedule }, now, (until, to) => move(due, until, to).then(() => true));
    return {
      due,
      isOurs: held.isHeld,
      letGo: async (untried) => {
        const until = await held.letGo();
        if (untried.length > 0) await move(untried, until, now);
      },
    };
  };
}
