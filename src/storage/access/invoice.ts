// Queries of invoices.
import type { Invoice } from '../../core/access/invoice.ts';
import type { Address } from '../../core/members/member.ts';
import type { InvoiceRow } from '../schema.ts';
import type { Tx } from '../store.ts';

/** Every invoice of a member, oldest first. */
export async function listInvoices(tx: Tx, memberId: string): Promise<readonly Invoice[]> {
  const rows = await tx
    .selectFrom('invoices')
    .selectAll()
    .where('memberId', '=', memberId)
    .orderBy('number')
    .execute();
  return rows.map(invoiceOf);
}

/** What a member owes, oldest first. */
export async function listUnpaidInvoices(
  tx: Tx,
  memberId: string,
  most: number,
): Promise<readonly Invoice[]> {
  const rows = await tx
    .selectFrom('invoices')
    .selectAll()
    .where('memberId', '=', memberId)
    .where('paidAt', 'is', null)
    .orderBy('number')
    .limit(most)
    .execute();
  return rows.map(invoiceOf);
}

/** Which invoices to list; what is left out does not narrow. */
export interface InvoiceFilter {
  readonly memberId?: string;
  readonly paid?: boolean;
  /** The number of the last invoice of the page before: older ones follow. */
  readonly before?: number;
}

/** Invoices of a tenant, newest first. */
export async function listInvoicesOfTenant(
  tx: Tx,
  tenantId: string,
  { memberId, paid, before }: InvoiceFilter,
  limit: number,
): Promise<readonly Invoice[]> {
  let query = tx
    .selectFrom('invoices')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('number', 'desc')
    .limit(limit);
  if (memberId !== undefined) query = query.where('memberId', '=', memberId);
  if (paid !== undefined) query = query.where('paidAt', paid ? 'is not' : 'is', null);
  if (before !== undefined) query = query.where('number', '<', before);
  return (await query.execute()).map(invoiceOf);
}

/** The invoice of a tenant by its number, or null. */
export async function findInvoice(tx: Tx, tenantId: string, number: number): Promise<Invoice | null> {
  const row = await tx
    .selectFrom('invoices')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row === undefined ? null : invoiceOf(row);
}

function invoiceOf({ amount, currency, addressee, ...row }: InvoiceRow): Invoice {
  return { ...row, price: { amount, currency }, addressee: JSON.parse(addressee) as Address };
}

/** The number of a tenant's next invoice. There is one writer, so it is still free in this transaction. */
export async function nextInvoiceNumber(tx: Tx, tenantId: string): Promise<number> {
  const { last } = await tx
    .selectFrom('invoices')
    .select((eb) => eb.fn.max('number').as('last'))
    .where('tenantId', '=', tenantId)
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}

export async function insertInvoice(tx: Tx, { price, addressee, ...rest }: Invoice): Promise<void> {
  await tx
    .insertInto('invoices')
    .values({
      ...rest,
      amount: price.amount,
      currency: price.currency,
      addressee: JSON.stringify(addressee),
    })
    .execute();
}

/** Returns whether the tenant has such an invoice that was not paid before. */
export async function markInvoicePaid(
  tx: Tx,
  tenantId: string,
  number: number,
  paidAt: number,
): Promise<boolean> {
  const result = await tx
    .updateTable('invoices')
    .set({ paidAt })
    .where('tenantId', '=', tenantId)
    .where('number', '=', number)
    .where('paidAt', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
