// Queries of the work that one of several processes does at a time.
import { findRow, updateRows } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { LeaseRow } from './schema.ts';

/**
 * Takes a piece of work that no process holds.
 *
 * @param longest no process takes more time than this (ms): the clock of one that did was wrong
 * @returns whether it was free
 */
export async function takeLease(tx: Tx, lease: LeaseRow, now: number, longest: number): Promise<boolean> {
  const { name, holder, until } = lease;
  const known = await findRow(tx, 'leases', { name });
  if (known !== null && known.until > now && known.until <= now + longest) return false;
  if (known === null) await tx.insertInto('leases').values(lease).execute();
  else await updateRows(tx, 'leases', { name }, { holder, until });
  return true;
}

/** Moves the end of a lease. @returns whether it is still its holder's */
export async function moveLease(tx: Tx, { name, holder, until }: LeaseRow): Promise<boolean> {
  return (await updateRows(tx, 'leases', { name, holder }, { until })) === 1;
}
