// Queries of checkouts.
import type { Checkout, CheckoutWrite } from '../../core/access/checkout.ts';
import { findRow, isDescending, type NewestPage, rowsWith, updateRow, within } from '../rows.ts';
import type { Tx } from '../store.ts';
import { offerColumns, offerOf } from './package.ts';
import type { CheckoutRow } from './schema.ts';

/** A checkout of a tenant, or null. */
export async function findCheckout(tx: Tx, tenantId: string, id: string): Promise<Checkout | null> {
  const row = await findRow(tx, 'checkouts', { id, tenantId });
  return row === null ? null : checkoutOf(row);
}

/** The checkouts of a tenant whose payment is called this where it was made: names of several methods may be alike. */
export async function listCheckoutsPaidAs(
  tx: Tx,
  tenantId: string,
  paymentReference: string,
  most: number,
): Promise<readonly Checkout[]> {
  const rows = rowsWith(tx, 'checkouts', { tenantId, paymentReference }).limit(most);
  return (await rows.execute()).map(checkoutOf);
}

/** Every checkout of a member that is kept, oldest first. */
export async function listCheckouts(tx: Tx, memberId: string): Promise<readonly Checkout[]> {
  const rows = rowsWith(tx, 'checkouts', { memberId }).orderBy('createdAt').orderBy('id');
  return (await rows.execute()).map(checkoutOf);
}

/** Which checkouts to list; what is left out does not narrow. */
export interface CheckoutFilter extends NewestPage<string> {
  readonly memberId?: string | undefined;
  /** The newest first unless it is `createdAt`. */
  readonly sort?: 'createdAt' | '-createdAt' | undefined;
}

/** Checkouts of a tenant, or of one member of it. Their ids are in the order in which they were made. */
export async function listCheckoutsOfTenant(
  tx: Tx,
  tenantId: string,
  { memberId, sort = '-createdAt', before, limit }: CheckoutFilter,
): Promise<readonly Checkout[]> {
  // A member is of one tenant: named beside it, the tenant would lead SQLite to the checkouts of all.
  const rows = rowsWith(tx, 'checkouts', memberId === undefined ? { tenantId } : { memberId });
  const page = { after: before, isDescending: isDescending(sort), limit };
  const found = await within(rows, 'id', page).execute();
  return found.filter((row) => row.tenantId === tenantId).map(checkoutOf);
}

export async function insertCheckout(tx: Tx, { price, period, ...rest }: Checkout): Promise<void> {
  const row = { ...rest, ...offerColumns({ price, period }) };
  await tx.insertInto('checkouts').values(row).execute();
}

export async function moveCheckout(
  tx: Tx,
  { from, checkout }: Extract<CheckoutWrite, { write: 'moveCheckout' }>,
): Promise<void> {
  const { id, state, closedAt, paymentReference, subscriptionId } = checkout;
  const changes = { state, closedAt, paymentReference, subscriptionId };
  await updateRow(tx, 'checkouts', { id, state: from }, changes);
}

function checkoutOf({ price, currency, periodUnit, periodCount, ...row }: CheckoutRow): Checkout {
  return { ...row, ...offerOf({ price, currency, periodUnit, periodCount }) };
}
