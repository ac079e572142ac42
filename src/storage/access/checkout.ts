// Queries of checkouts.
import type { Checkout, CheckoutState, CheckoutWrite } from '../../core/access/checkout.ts';
import { changedOne } from '../rows.ts';
import type { CheckoutRow } from '../schema.ts';
import type { Tx } from '../store.ts';

/** A checkout of a tenant, or null. */
export async function findCheckout(tx: Tx, tenantId: string, id: string): Promise<Checkout | null> {
  const row = await tx
    .selectFrom('checkouts')
    .selectAll()
    .where('id', '=', id)
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  return row === undefined ? null : checkoutOf(row);
}

/** Every checkout of a member that is kept, oldest first. */
export async function listCheckouts(tx: Tx, memberId: string): Promise<readonly Checkout[]> {
  const rows = await tx
    .selectFrom('checkouts')
    .selectAll()
    .where('memberId', '=', memberId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return rows.map(checkoutOf);
}

/**
 * Checkouts of a tenant, newest first.
 *
 * @param narrowing of one member; and older than the last of the page before, by its id
 */
export async function listCheckoutsOfTenant(
  tx: Tx,
  tenantId: string,
  { memberId, before }: { readonly memberId?: string; readonly before?: string },
  limit: number,
): Promise<readonly Checkout[]> {
  let query = tx
    .selectFrom('checkouts')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('id', 'desc')
    .limit(limit);
  if (memberId !== undefined) query = query.where('memberId', '=', memberId);
  if (before !== undefined) query = query.where('id', '<', before);
  return (await query.execute()).map(checkoutOf);
}

export async function insertCheckout(tx: Tx, { price, period, ...rest }: Checkout): Promise<void> {
  await tx
    .insertInto('checkouts')
    .values({
      ...rest,
      price: price.amount,
      currency: price.currency,
      periodUnit: period.unit,
      periodCount: period.count,
    })
    .execute();
}

export async function moveCheckout(
  tx: Tx,
  { from, checkout }: Extract<CheckoutWrite, { write: 'moveCheckout' }>,
): Promise<void> {
  const { id, state, closedAt, paymentReference, subscriptionId } = checkout;
  const result = await tx
    .updateTable('checkouts')
    .set({ state, closedAt, paymentReference, subscriptionId })
    .where('id', '=', id)
    .where('state', '=', from)
    .executeTakeFirst();
  changedOne(result, 'checkout');
}

/** Which checkouts that were never completed may be deleted. */
export interface StaleCheckouts {
  /** The payments that it is about; null for all. */
  readonly payments: readonly string[] | null;
  /** Their time was over before this (ms). */
  readonly expiredBefore: number;
}

const neverCompleted: readonly CheckoutState[] = ['open', 'cancelled', 'expired'];

/**
 * Deletes checkouts that were never completed.
 *
 * @param atMost how many, so that no request waits for it
 * @returns how many were deleted
 */
export async function sweepCheckouts(
  tx: Tx,
  { payments, expiredBefore }: StaleCheckouts,
  atMost: number,
): Promise<number> {
  const stale = tx
    .selectFrom('checkouts')
    .select('id')
    .where('state', 'in', neverCompleted)
    .where('expiresAt', '<', expiredBefore)
    .$if(payments !== null, (query) => query.where('payment', 'in', payments ?? []))
    .limit(atMost);
  const result = await tx.deleteFrom('checkouts').where('id', 'in', stale).executeTakeFirst();
  return Number(result.numDeletedRows);
}

function checkoutOf({ price, currency, periodUnit, periodCount, ...row }: CheckoutRow): Checkout {
  return {
    ...row,
    price: { amount: price, currency },
    period: { unit: periodUnit, count: periodCount },
  };
}
