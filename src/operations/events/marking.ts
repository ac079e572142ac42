// Marks what was delivered to webhooks: a delivery whose mark cannot be written now is marked later, and not sent again.
import type { Store, Tx } from '../../storage/store.ts';

export interface Marking {
  /** Marks a delivery. Those that are delivered while others are marked are marked together. */
  mark(deliveryId: number, write: (tx: Tx) => Promise<void>): Promise<void>;
  /** Marks what could not be marked before. */
  markAll(): Promise<void>;
}

export function createMarking(store: Pick<Store, 'transaction'>): Marking {
  const unmarked = new Map<number, (tx: Tx) => Promise<void>>();
  let last: Promise<void> = Promise.resolve();

  const writeAll = async () => {
    const all = [...unmarked];
    if (all.length === 0) return;
    await store.transaction(async (tx) => {
      for (const [, write] of all) await write(tx);
    });
    for (const [id] of all) unmarked.delete(id);
  };
  const markAll = () => {
    last = last.catch(() => {}).then(writeAll);
    return last;
  };
  return {
    mark(deliveryId, write) {
      unmarked.set(deliveryId, write);
      return markAll();
    },
    markAll,
  };
}
