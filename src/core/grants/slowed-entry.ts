/** How entries of user codes wait where too many of a tenant were wrong (decision 32). */
import { slowedEntries, slowedEntriesOfNetwork, slowedEntry } from '../limits.ts';

/** An entry that asks for a place. */
export interface Waiting {
  readonly tenantId: string;
  readonly memberId: string;
  /** As addresses are counted. */
  readonly address: string;
  /** As networks are counted. */
  readonly network: string;
  /** Whether its member has used this browser for long: such entries wait in a line of their own. */
  readonly isKnown: boolean;
}

/** An entry that has a place. It is held until its turn is over, however long the answer is waited for. */
export interface SlowedEntry extends Waiting {
  readonly isRight: boolean;
  /** When its turn is over (ms). */
  readonly overAt: number;
}

/**
 * Whether there is a place for one more; no code is looked up without one. A caller who sends a hundred wrong codes at
 * once gets no more of them through than one who sends them in turn.
 *
 * No caller takes all places (security, promise 7): a member holds one at a time, and an address too, a network holds
 * few, and browsers that their members have used for long have places that no stranger takes.
 *
 * @param held the places of the tenant that are held
 */
export function hasPlace(held: readonly SlowedEntry[], entry: Waiting): boolean {
  const { memberId, address, network, isKnown } = entry;
  if (held.some((other) => other.memberId === memberId || other.address === address)) return false;
  const line = held.filter((other) => other.isKnown === isKnown);
  const ofNetwork = line.filter((other) => other.network === network);
  return line.length < slowedEntries && ofNetwork.length < slowedEntriesOfNetwork;
}

/**
 * When the turn of an entry is over (ms). A wrong code waits behind the wrong ones before it; a right one waits its own
 * time and no stranger's (F8), which tells no more than its answer does: the places of wrong ones last as before.
 */
export function turnOver(
  held: readonly SlowedEntry[],
  { isKnown, isRight }: Pick<SlowedEntry, 'isKnown' | 'isRight'>,
  now: number,
): number {
  if (isRight) return now + slowedEntry;
  const before = held.filter((other) => other.isKnown === isKnown && !other.isRight);
  return Math.max(now, ...before.map(({ overAt }) => overAt)) + slowedEntry;
}
