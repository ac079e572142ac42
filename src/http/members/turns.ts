import { slowedEntries, slowedEntry } from '../../core/limits.ts';

/** Lets the slowed entries of a tenant through one behind another (decision 32). */
export interface Turns {
  /**
   * Takes the next turn of a tenant: each waits as long as it must, after the one before is over. Whoever
   * sends a hundred entries at once gets no more of them through than one who sends them in turn.
   *
   * @returns the turn; null where so many wait that nobody would wait for theirs
   */
  take(tenantId: string): Promise<void> | null;
}

/** @param pause waits for ms */
export function createTurns(pause: (ms: number) => Promise<void>): Turns {
  const lines = new Map<string, { readonly last: Promise<void>; readonly waiting: number }>();
  const leave = (tenantId: string) => {
    const line = lines.get(tenantId);
    if (line === undefined || line.waiting === 1) lines.delete(tenantId);
    else lines.set(tenantId, { ...line, waiting: line.waiting - 1 });
  };
  return {
    take(tenantId) {
      const { last, waiting } = lines.get(tenantId) ?? { last: Promise.resolve(), waiting: 0 };
      if (waiting >= slowedEntries) return null;
      const turn = last.then(() => pause(slowedEntry)).finally(() => leave(tenantId));
      lines.set(tenantId, { last: turn, waiting: waiting + 1 });
      return turn;
    },
  };
}
