// What the rail and the lists say of how many there are. It is remembered for a minute: to count is not free, and a
// number that is a minute old is as good. What an administrator changes here is counted anew, and so is what a list says
// in all: its page may show more than there were before an import.
import { countedUpTo, countsRemembered, countsTenants } from '../../../core/operators/limits.ts';
import { type AgedMap, createAgedMap } from '../../../storage/memory/aged-map.ts';
import { say } from '../../../text/portal.ts';

/** How many there are of each; null of what is more than is counted. */
export type Counts = Readonly<Record<string, number | null>>;

/** The counts of tenants, by their ids, each with when it was made (ms). */
export type KnownCounts = AgedMap<{ readonly counts: Counts; readonly at: number }>;

export const createCounts = (): KnownCounts => createAgedMap(countsTenants);

/** The counts of a tenant: those that are known, else read. @returns null where there are none to be had */
export async function countsOf(
  known: KnownCounts,
  tenantId: string,
  now: number,
  read: () => Promise<object | null>,
): Promise<Counts | null> {
  const found = known.get(tenantId);
  if (found !== undefined && now < found.at + countsRemembered) return found.counts;
  const counts = (await read()) as Counts | null;
  if (counts !== null) known.set(tenantId, { counts, at: now });
  return counts;
}

/** A count as people read it; null where nothing is known of it. */
export function countText(counts: Counts | null, name: string): string | null {
  const count = counts?.[name];
  if (count === undefined) return null;
  return count === null ? say('count.more', { counted: countedUpTo }) : say('count.exact', { count });
}
