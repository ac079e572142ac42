import { slowedEntries, slowedEntry } from '../../core/limits.ts';

/** Who enters a code, and where from. */
export interface Entrant {
  readonly tenantId: string;
  readonly memberId: string;
  /** As `addressKey` counts addresses. */
  readonly address: string;
}

/** Lets the slowed entries of a tenant through one behind another (decision 32). */
export interface Turns {
  /**
   * Takes the next turn of a tenant: each waits as long as it must, after the one before is over. Whoever
   * sends a hundred entries at once gets no more of them through than one who sends them in turn. A member
   * holds one turn at a time, and an address too, so that nobody takes the places of all (security, promise 7).
   *
   * @returns the turn; null where one of the same member or address waits, or so many that nobody would wait for
   *   theirs
   */
  take(entrant: Entrant): Promise<void> | null;
  /** Whether a turn of this member waits. */
  isWaiting(entrant: Pick<Entrant, 'tenantId' | 'memberId'>): boolean;
}

interface Place extends Entrant {
  readonly turn: Promise<void>;
}

/** @param pause waits for ms */
export function createTurns(pause: (ms: number) => Promise<void>): Turns {
  const lines = new Map<string, readonly Place[]>();
  const lineOf = (tenantId: string) => lines.get(tenantId) ?? [];
  const leave = (tenantId: string, turn: Promise<void>) => {
    const others = lineOf(tenantId).filter((place) => place.turn !== turn);
    if (others.length === 0) lines.delete(tenantId);
    else lines.set(tenantId, others);
  };
  return {
    take({ tenantId, memberId, address }) {
      const line = lineOf(tenantId);
      const isSecond = line.some((place) => place.memberId === memberId || place.address === address);
      if (isSecond || line.length >= slowedEntries) return null;
      const last = line.at(-1)?.turn ?? Promise.resolve();
      const turn: Promise<void> = last.then(() => pause(slowedEntry)).finally(() => leave(tenantId, turn));
      lines.set(tenantId, [...line, { tenantId, memberId, address, turn }]);
      return turn;
    },
    isWaiting: ({ tenantId, memberId }) => lineOf(tenantId).some((place) => place.memberId === memberId),
  };
}
