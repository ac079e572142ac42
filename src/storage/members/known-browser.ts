// Queries of the browsers that members have signed in with.
import type { Tx } from '../store.ts';

/** Whether a member has signed in with this browser before. */
export async function isKnownBrowser(tx: Tx, memberId: string, browserHash: string): Promise<boolean> {
  const row = await tx
    .selectFrom('knownBrowsers')
    .select('memberId')
    .where('memberId', '=', memberId)
    .where('browserHash', '=', browserHash)
    .executeTakeFirst();
  return row !== undefined;
}

/** When a member signed in with this browser for the first time (ms); null if never. */
export async function browserKnownSince(
  tx: Tx,
  memberId: string,
  browserHash: string,
): Promise<number | null> {
  const row = await tx
    .selectFrom('knownBrowsers')
    .select('firstSeenAt')
    .where('memberId', '=', memberId)
    .where('browserHash', '=', browserHash)
    .executeTakeFirst();
  return row?.firstSeenAt ?? null;
}

/** Whether a member has signed in with any browser before. */
export async function hasKnownBrowser(tx: Tx, memberId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('knownBrowsers')
    .select('memberId')
    .where('memberId', '=', memberId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Remembers that a member signed in with this browser. */
export async function saveKnownBrowser(
  tx: Tx,
  memberId: string,
  browserHash: string,
  now: number,
): Promise<void> {
  await tx
    .insertInto('knownBrowsers')
    .values({ memberId, browserHash, firstSeenAt: now, lastSeenAt: now })
    .onConflict((conflict) => conflict.columns(['memberId', 'browserHash']).doUpdateSet({ lastSeenAt: now }))
    .execute();
}

/** Forgets all browsers of a member, as after a password was stolen. */
export async function forgetKnownBrowsers(tx: Tx, memberId: string): Promise<void> {
  await tx.deleteFrom('knownBrowsers').where('memberId', '=', memberId).execute();
}

/** Deletes browsers that were seen last before a time (ms), at most so many. @returns how many were deleted */
export async function deleteKnownBrowsers(tx: Tx, before: number, atMost: number): Promise<number> {
  const over = await tx
    .selectFrom('knownBrowsers')
    .select(['memberId', 'browserHash'])
    .where('lastSeenAt', '<', before)
    .limit(atMost)
    .execute();
  for (const { memberId, browserHash } of over) {
    await tx
      .deleteFrom('knownBrowsers')
      .where('memberId', '=', memberId)
      .where('browserHash', '=', browserHash)
      .execute();
  }
  return over.length;
}
