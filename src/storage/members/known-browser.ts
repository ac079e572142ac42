// Queries of the browsers that members have signed in with.
import { deleteRows, findRow, rowsWith, updateRow, updateRows } from '../rows.ts';
import type { Tx } from '../store.ts';

/** Whether a member has signed in with this browser before. */
export async function isKnownBrowser(tx: Tx, memberId: string, browserHash: string): Promise<boolean> {
  return (await browserKnownSince(tx, memberId, browserHash)) !== null;
}

/** When a member signed in with this browser for the first time (ms); null if never. */
export async function browserKnownSince(
  tx: Tx,
  memberId: string,
  browserHash: string,
): Promise<number | null> {
  return (await findRow(tx, 'knownBrowsers', { memberId, browserHash }))?.firstSeenAt ?? null;
}

/** Whether a member has signed in with any browser before. */
export async function hasKnownBrowser(tx: Tx, memberId: string): Promise<boolean> {
  const some = rowsWith(tx, 'knownBrowsers', { memberId }).limit(1);
  return (await some.executeTakeFirst()) !== undefined;
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
    .values({ memberId, browserHash, firstSeenAt: now, lastSeenAt: now, trustedUntil: null })
    .onConflict((conflict) => conflict.columns(['memberId', 'browserHash']).doUpdateSet({ lastSeenAt: now }))
    .execute();
}

/** Whether a browser that a member has signed in with is trusted without her second factor. */
export async function isTrustedBrowser(
  tx: Tx,
  memberId: string,
  browserHash: string,
  now: number,
): Promise<boolean> {
  const known = await findRow(tx, 'knownBrowsers', { memberId, browserHash });
  return (known?.trustedUntil ?? 0) > now;
}

/** Trusts a browser that is known already. @param until ms */
export async function trustBrowser(
  tx: Tx,
  memberId: string,
  browserHash: string,
  until: number,
): Promise<void> {
  await updateRow(tx, 'knownBrowsers', { memberId, browserHash }, { trustedUntil: until });
}

/** Trusts no browser of a member any more. */
export async function distrustBrowsers(tx: Tx, memberId: string): Promise<void> {
  await updateRows(tx, 'knownBrowsers', { memberId }, { trustedUntil: null });
}

/** Lets every trust of a tenant's members end so much earlier. @param by ms */
export async function shortenTrust(tx: Tx, tenantId: string, by: number): Promise<void> {
  await tx
    .updateTable('knownBrowsers')
    .set((eb) => ({ trustedUntil: eb('trustedUntil', '-', by) }))
    .where('trustedUntil', 'is not', null)
    .where('memberId', 'in', (eb) => eb.selectFrom('members').select('id').where('tenantId', '=', tenantId))
    .execute();
}

/** Forgets all browsers of a member, as after a password was stolen. */
export async function forgetKnownBrowsers(tx: Tx, memberId: string): Promise<void> {
  await deleteRows(tx, 'knownBrowsers', { memberId });
}
