// Queries of the entries of user codes that wait for their turn.
import type { SlowedEntry } from '../../../core/grants/slowed-entry.ts';
import { slowedEntries, slowedEntry } from '../../../core/limits.ts';
import { clockTolerance } from '../../../core/operators/limits.ts';
import type { Tx } from '../../store.ts';

/** No turn is over later, unless the clock was set back since. */
const longestWait = slowedEntries * slowedEntry + clockTolerance;

/** The entries of a tenant whose turn is not over. */
export async function listSlowedEntries(
  tx: Tx,
  tenantId: string,
  now: number,
): Promise<readonly SlowedEntry[]> {
  const rows = await tx
    .selectFrom('slowedEntries')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('overAt', '>', now)
    .where('overAt', '<=', now + longestWait)
    .execute();
  return rows.map((row) => ({ ...row, isKnown: row.isKnown === 1, isRight: row.isRight === 1 }));
}

/** Gives an entry its place: its member has no other, or one that is over. */
export async function saveSlowedEntry(tx: Tx, entry: SlowedEntry): Promise<void> {
  const row = { ...entry, isKnown: Number(entry.isKnown), isRight: Number(entry.isRight) };
  const { tenantId, memberId, ...place } = row;
  await tx
    .insertInto('slowedEntries')
    .values(row)
    .onConflict((conflict) => conflict.columns(['tenantId', 'memberId']).doUpdateSet(place))
    .execute();
}
