// Queries of invoices.
import type { Invoice } from '../../core/access/invoice.ts';
import type { PayTo } from '../../core/access/invoicing.ts';
import type { Address } from '../../core/members/member.ts';
import { tell } from '../events/event.ts';
import { findRow, highest, isDescending, type NewestPage, rowsWith, updateRows, within } from '../rows.ts';
import type { Tx } from '../store.ts';
import { taxColumns, taxOf } from './package.ts';
import type { InvoiceRow } from './schema.ts';

/** Every invoice of a member, oldest first. */
export async function listInvoices(tx: Tx, memberId: string): Promise<readonly Invoice[]> {
  const rows = rowsWith(tx, 'invoices', { memberId }).orderBy('number');
  return (await rows.execute()).map(invoiceOf);
}

/** What a member owes, oldest first. */
export async function listUnpaidInvoices(
  tx: Tx,
  memberId: string,
  most: number,
): Promise<readonly Invoice[]> {
  const rows = rowsWith(tx, 'invoices', { memberId, paidAt: null }).orderBy('number').limit(most);
  return (await rows.execute()).map(invoiceOf);
}

/** Which invoices to list; what is left out does not narrow. */
export interface InvoiceFilter extends NewestPage<number> {
  readonly memberId?: string | undefined;
  readonly paid?: boolean | undefined;
  /** The newest first unless it is `number`. */
  readonly sort?: 'number' | '-number' | undefined;
}

/** Invoices of a tenant by their numbers. */
export async function listInvoicesOfTenant(
  tx: Tx,
  tenantId: string,
  { memberId, paid, sort = '-number', before, limit }: InvoiceFilter,
): Promise<readonly Invoice[]> {
  // A member is of one tenant: named beside it, the tenant would lead SQLite to the invoices of all.
  const all = rowsWith(tx, 'invoices', memberId === undefined ? { tenantId } : { memberId });
  const rows = paid === undefined ? all : all.where('paidAt', paid ? 'is not' : 'is', null);
  const page = { after: before, isDescending: isDescending(sort), limit };
  const found = await within(rows, 'number', page).execute();
  return found.filter((row) => row.tenantId === tenantId).map(invoiceOf);
}

/** The invoices of a tenant that should have been paid by now, the oldest first, at most so many. */
const overdue = (tx: Tx, tenantId: string, now: number, most: number) =>
  tx
    .selectFrom('invoices')
    .select(['memberId', 'amount', 'currency', 'dueAt'])
    .where('tenantId', '=', tenantId)
    .where('paidAt', 'is', null)
    .where('dueAt', '<=', now)
    .orderBy('number')
    .limit(most);

/** How many of them there are in each currency, what they come to, and since when the first is due. */
export async function sumOverdueInvoices(tx: Tx, tenantId: string, now: number, most: number) {
  const sums = await tx
    .selectFrom(overdue(tx, tenantId, now, most).as('overdue'))
    .select(({ fn }) => [
      'currency',
      fn.countAll<number>().as('count'),
      fn.sum<number>('amount').as('amount'),
    ])
    .select(({ fn }) => fn.min('dueAt').as('dueAt'))
    .groupBy('currency')
    .execute();
  return sums.map((sum) => ({ ...sum, count: Number(sum.count), amount: Number(sum.amount) }));
}

/** Whose the oldest of them are. */
export async function listOverdueMembers(tx: Tx, tenantId: string, now: number, most: number) {
  const invoices = await overdue(tx, tenantId, now, most).execute();
  return [...new Set(invoices.map(({ memberId }) => memberId))];
}

/** The invoice of a tenant by its number, or null. */
export async function findInvoice(tx: Tx, tenantId: string, number: number): Promise<Invoice | null> {
  const row = await findRow(tx, 'invoices', { tenantId, number });
  return row === null ? null : invoiceOf(row);
}

function invoiceOf({ amount, currency, taxName, taxRate, addressee, payTo, ...row }: InvoiceRow): Invoice {
  return {
    ...row,
    price: { amount, currency },
    ...taxOf({ taxName, taxRate }),
    addressee: JSON.parse(addressee) as Address,
    payTo: payTo === null ? null : (JSON.parse(payTo) as PayTo),
  };
}

/** The number of a tenant's next invoice. There is one writer, so it is still free in this transaction. */
export async function nextInvoiceNumber(tx: Tx, tenantId: string): Promise<number> {
  return ((await highest(tx, 'invoices', 'number', { tenantId })) ?? 0) + 1;
}

export async function insertInvoice(tx: Tx, invoice: Invoice): Promise<void> {
  const { price, taxName, taxPercent, addressee, payTo, ...rest } = invoice;
  await tx
    .insertInto('invoices')
    .values({
      ...rest,
      amount: price.amount,
      currency: price.currency,
      ...taxColumns({ taxName, taxPercent }),
      addressee: JSON.stringify(addressee),
      payTo: payTo === null ? null : JSON.stringify(payTo),
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
  const isMarked = (await updateRows(tx, 'invoices', { tenantId, number, paidAt: null }, { paidAt })) === 1;
  const invoice = isMarked ? await findInvoice(tx, tenantId, number) : null;
  if (invoice !== null) await tell(tx, { write: 'markInvoicePaid', invoice });
  return isMarked;
}
