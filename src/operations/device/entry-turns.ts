/** Lets the entries of user codes through one behind another, on a tenant on which too many were wrong (decision 32). */
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

/** The place of a slowed entry. It is held until the wait is over, however long the answer is waited for. */
export interface Turn {
  /**
   * Waits, and gives the place back. A wrong code waits behind the wrong ones before it; a right one waits its own
   * time and no stranger's (F8), which tells no more than its answer does: the places of wrong ones last as before.
   */
  wait(isRight: boolean): Promise<void>;
}

/** Lets the slowed entries of a tenant through one behind another (decision 32). */
export interface Turns {
  /**
   * Takes a place among the entries of a tenant; no code is looked up without one. A caller who sends a hundred
   * wrong codes at once gets no more of them through than one who sends them in turn.
   *
   * No caller takes all places (security, promise 7): a member holds one turn at a time, and an address too,
   * a network holds few, and browsers that their members have used for long have places that no stranger takes.
   *
   * @returns the turn, which must be waited for; null where one of the same member or address waits, or so many that the wait
   *   would be too long
   */
  take(entry: Waiting): Turn | null;
  /** Whether a turn of this member waits. */
  isWaiting(entrant: Pick<Entrant, 'tenantId' | 'memberId'>): boolean;
}

interface Place {
  readonly entry: Waiting;
  /** Those behind wait for it; null until the entry is known to be wrong. */
  readonly over: Promise<void> | null;
}

/** @param pause waits for ms */
export function createTurns(pause: (ms: number) => Promise<void>): Turns {
  /** By tenant: those of both its lines, in the order in which they wait. */
  const places = new Map<string, readonly Place[]>();
  const placesOf = (tenantId: string) => places.get(tenantId) ?? [];
  const others = (entry: Waiting) => placesOf(entry.tenantId).filter((place) => place.entry !== entry);
  const leave = (entry: Waiting) => {
    const left = others(entry);
    if (left.length === 0) places.delete(entry.tenantId);
    else places.set(entry.tenantId, left);
  };
  const waitInLine = (entry: Waiting): Promise<void> => {
    const before = others(entry);
    const last = before.findLast((place) => place.entry.isKnown === entry.isKnown && place.over !== null);
    const over = (last?.over ?? Promise.resolve()).then(() => pause(slowedEntry)).finally(() => leave(entry));
    places.set(entry.tenantId, [...before, { entry, over }]);
    return over;
  };
  return {
    take(entry) {
      const { tenantId, memberId, address, network, isKnown } = entry;
      const all = placesOf(tenantId);
      if (all.some((place) => place.entry.memberId === memberId || place.entry.address === address))
        return null;
      const line = all.filter((place) => place.entry.isKnown === isKnown);
      const ofNetwork = line.filter((place) => place.entry.network === network);
      if (line.length >= slowedEntries || ofNetwork.length >= slowedEntriesOfNetwork) return null;
      places.set(tenantId, [...all, { entry, over: null }]);
      return {
        wait: (isRight) => (isRight ? pause(slowedEntry).finally(() => leave(entry)) : waitInLine(entry)),
      };
    },
    isWaiting: ({ tenantId, memberId }) =>
      placesOf(tenantId).some((place) => place.entry.memberId === memberId),
  };
}
