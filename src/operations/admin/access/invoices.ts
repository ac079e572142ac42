// The operations on invoices.
import type { Invoice } from '../../../core/access/invoice.ts';
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { exactly, flag, list, resource, text, time, timeOrNull, wholeNumber } from '../../../json-schema.ts';
import { findInvoice, listInvoicesOfTenant, markInvoicePaid } from '../../../storage/access/invoice.ts';
import { conflict, unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { limitField, pageOf } from '../fields.ts';
import { addressSchema, memberField, memberIdField } from '../members/member-answer.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { isNotYet } from '../portal-face.ts';
import { priceSchema } from './packages.ts';
import { subscriptionIdField } from './subscription-answer.ts';

const numberField = wholeNumber('The number of the invoice', 1);

const invoiceSchema = resource('Invoice', 'An invoice', {
  number: numberField,
  memberId: memberIdField,
  subscriptionId: subscriptionIdField,
  packageName: text('What was ordered', 'Everything'),
  price: priceSchema,
  addressee: { ...addressSchema, description: 'Where it was sent' },
  issuedAt: time('When it was issued'),
  dueAt: time('When it is due'),
  paidAt: timeOrNull('When it was paid', null),
});

function invoiceAnswer({ id: _, tenantId: _tenantId, ...invoice }: Invoice) {
  return {
    ...invoice,
    issuedAt: isoTime(invoice.issuedAt),
    dueAt: isoTime(invoice.dueAt),
    paidAt: isoTimeOrNull(invoice.paidAt),
  };
}

interface Listed {
  readonly memberId?: string;
  readonly paid?: boolean;
  readonly before?: number;
  readonly limit: number;
}

const listed = onTenant<Listed>({
  name: 'invoices.list',
  summary: 'List the invoices of a tenant or of one member, the newest first',
  portal: {
    list: {
      title: 'Invoices',
      columns: ['number', 'memberId', 'packageName', 'price', 'dueAt', 'paidAt'],
      lead: 'What members owe and have paid.',
      entry: { field: 'number', key: 'number' },
    },
  },
  permission: 'subscriptions:read',
  method: 'GET',
  path: '/invoices',
  optional: {
    memberId: memberField,
    paid: flag('Only those that are paid, or that are not'),
    before: wholeNumber('The number of the last invoice of the page before', 100),
    limit: limitField,
  },
  output: exactly('A page of invoices', {
    invoices: list('Invoices', invoiceSchema),
    next: {
      ...wholeNumber('What the next page takes as `before`; null on the last one', 1),
      type: ['integer', 'null'],
    },
  }),
  run: async ({ tx, tenant }, { limit, memberId, paid, before }) => {
    const filter = {
      ...(memberId === undefined ? {} : { memberId }),
      ...(paid === undefined ? {} : { paid }),
      ...(before === undefined ? {} : { before }),
    };
    const { page, last } = pageOf(await listInvoicesOfTenant(tx, tenant.id, filter, limit + 1), limit);
    return { invoices: page.map(invoiceAnswer), next: last?.number ?? null };
  },
});

const paid = onTenant<{ readonly number: number }>({
  name: 'invoices.markPaid',
  summary: 'Note that an invoice was paid',
  portal: { page: 'invoices.list', reads: 'invoices.list', fits: isNotYet('paidAt') },
  permission: 'subscriptions:write',
  method: 'POST',
  path: '/invoices/{number}/paid',
  fields: { number: numberField },
  output: invoiceSchema,
  present: shown,
  run: async (context, { number }) => {
    const isMarked = await markInvoicePaid(context.tx, context.tenant.id, number, context.now);
    const invoice = await shown(context, { number });
    if (!isMarked) throw conflict([], 'invoice_paid', { since: invoice.paidAt ?? '' });
    return invoice;
  },
});

async function shown(
  { tx, tenant }: Pick<OperationContext, 'tx'> & { readonly tenant: { readonly id: string } },
  { number }: { readonly number: number },
): Promise<ReturnType<typeof invoiceAnswer>> {
  const invoice = await findInvoice(tx, tenant.id, number);
  if (invoice === null) throw unknown('invoice');
  return invoiceAnswer(invoice);
}

export const invoiceOperations: readonly Operation[] = [listed, paid];
