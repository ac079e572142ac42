import { slowedEntries, slowedEntriesOfNetwork, slowedEntry } from '../../core/limits.ts';

/** Who enters a code, and where from. */
export interface Entrant {
  readonly tenantId: string;
  readonly memberId: string;
  /** As `addressKey` counts addresses. */
  readonly address: string;
}

/** Where an entry waits, and beside whom. */
export interface Waiting extends Entrant {
  /** As `networkKey` counts networks. */
  readonly network: string;
  /** Whether the member has used this browser for long: such entries wait in a line of their own. */
  readonly isKnown: boolean;
}

/** Lets the slowed entries of a tenant through one behind another (decision 32). */
export interface Turns {
  /**
   * Takes the next turn of a tenant: each waits as long as it must, after the one before is over. Whoever
   * sends a hundred entries at once gets no more of them through than one who sends them in turn.
   *
   * Nobody takes the places of all (security, promise 7): a member holds one turn at a time, and an address too,
   * a network holds few, and browsers that their members have used for long have places that no stranger takes.
   *
   * @returns the turn; null where one of the same member or address waits, or so many that nobody would wait for
   *   theirs
   */
  take(entry: Waiting): Promise<void> | null;
  /** Whether a turn of this member waits. */
  isWaiting(entrant: Pick<Entrant, 'tenantId' | 'memberId'>): boolean;
}

interface Place extends Waiting {
  readonly turn: Promise<void>;
}

/** @param pause waits for ms */
export function createTurns(pause: (ms: number) => Promise<void>): Turns {
  /** By tenant: those of both its lines. */
  const places = new Map<string, readonly Place[]>();
  const placesOf = (tenantId: string) => places.get(tenantId) ?? [];
  const leave = (tenantId: string, turn: Promise<void>) => {
    const others = placesOf(tenantId).filter((place) => place.turn !== turn);
    if (others.length === 0) places.delete(tenantId);
    else places.set(tenantId, others);
  };
  return {
    take(entry) {
      const { tenantId, memberId, address, network, isKnown } = entry;
      const all = placesOf(tenantId);
      if (all.some((place) => place.memberId === memberId || place.address === address)) return null;
      const line = all.filter((place) => place.isKnown === isKnown);
      const ofNetwork = line.filter((place) => place.network === network);
      if (line.length >= slowedEntries || ofNetwork.length >= slowedEntriesOfNetwork) return null;
      const last = line.at(-1)?.turn ?? Promise.resolve();
      const turn: Promise<void> = last.then(() => pause(slowedEntry)).finally(() => leave(tenantId, turn));
      places.set(tenantId, [...all, { ...entry, turn }]);
      return turn;
    },
    isWaiting: ({ tenantId, memberId }) => placesOf(tenantId).some((place) => place.memberId === memberId),
  };
}
