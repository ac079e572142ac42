// The operations on invoices.

import type { Invoice } from '../../../core/access/invoice.ts';
import { paymentReference } from '../../../core/access/invoicing.ts';
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { findInvoice, listInvoicesOfTenant, markInvoicePaid } from '../../../storage/access/invoice.ts';
import { findMember } from '../../../storage/members/member.ts';
import { remindOfInvoice } from '../../access/invoice.ts';
import * as s from '../../json-schema.ts';
import { conflict, unknown } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { listWithFile, nextNumber, sortField } from '../list.ts';
import { addressSchema, memberField, memberIdField } from '../members/member.ts';
import { memberNameFields, withMemberNames } from '../names.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { isNotYet } from '../portal-face.ts';
import { payToFields } from '../tenants/tenant.ts';
import { priceSchema, seatsField, taxFields } from './packages.ts';
import { subscriptionIdField } from './subscriptions.ts';

const numberField = s.wholeNumber('The number of the invoice', 1);

const invoiceSchema = s.resource('Invoice', 'An invoice', {
  number: numberField,
  memberId: memberIdField,
  subscriptionId: subscriptionIdField,
  packageName: s.text('What was ordered', 'Everything'),
  seats: seatsField,
  price: priceSchema,
  ...taxFields,
  paymentReference: s.text('What its payment names (ISO 11649)', 'RF6812'),
  payTo: s.orNull(s.resource('PayTo', 'How it is paid, as it said', payToFields)),
  addressee: { ...addressSchema, description: 'Where it was sent' },
  issuedAt: s.time('When it was issued'),
  dueAt: s.time('When it is due'),
  paidAt: s.timeOrNull('When it was paid', null),
});

export function invoiceAnswer({ id: _, tenantId: _tenantId, ...invoice }: Invoice) {
  return {
    ...invoice,
    paymentReference: paymentReference(invoice.number),
    issuedAt: isoTime(invoice.issuedAt),
    dueAt: isoTime(invoice.dueAt),
    paidAt: isoTimeOrNull(invoice.paidAt),
  };
}

/** Beside what an invoice says, a list names its member. */
export const listedInvoiceSchema = s.extended(
  invoiceSchema,
  'ListedInvoice',
  'An invoice in a list',
  memberNameFields,
);

const all = listWithFile({
  name: 'invoices.list',
  summary: 'List the invoices of a tenant or of one member, the newest first',
  permission: 'subscriptions:read',
  route: 'GET /invoices',
  title: 'Invoices',
  lead: 'What members owe and have paid.',
  columns: ['number', 'paymentReference', 'memberId', 'packageName', 'price', 'dueAt', 'paidAt'],
  entry: { field: 'number', key: 'number' },
  bulk: ['invoices.remind', 'invoices.markPaid'],
  of: 'invoices',
  page: 'A page of invoices',
  schema: listedInvoiceSchema,
  fileSchema: invoiceSchema,
  next: nextNumber(1),
  narrowing: {
    memberId: memberField,
    paid: s.flag('Only those that are paid, or that are not'),
    sort: sortField('-number', 'number'),
    before: s.wholeNumber('The number of the last invoice of the page before', 100),
  },
  read: ({ tx, tenant }, filter, limit) => listInvoicesOfTenant(tx, tenant.id, { ...filter, limit }),
  answer: invoiceAnswer,
  answers: (invoices, context) => withMemberNames(invoices.map(invoiceAnswer), context),
  key: 'number',
  file: {
    name: 'invoices.export',
    summary: 'Write the invoices of a tenant or of one member to a file, one a line',
  },
});

const paid = onTenant({
  name: 'invoices.markPaid',
  summary: 'Note that an invoice was paid',
  portal: { page: 'invoices.list', reads: 'invoices.list', fits: isNotYet('paidAt') },
  permission: 'subscriptions:write',
  route: 'POST /invoices/{number}/paid',
  fields: { number: numberField },
  output: invoiceSchema,
  present: (context, { number }) => shown(context, number),
  run: async (context, { number }) => {
    const isMarked = await markInvoicePaid(context.tx, context.tenant.id, number, context.now);
    const invoice = await shown(context, number);
    if (!isMarked) throw conflict([], 'invoice_paid', { since: invoice.paidAt ?? '' });
    return invoice;
  },
});

const reminded = onTenant({
  name: 'invoices.remind',
  summary: 'Remind a member of an invoice by mail, at most once a day',
  portal: {
    page: 'invoices.list',
    reads: 'invoices.list',
    fits: isNotYet('paidAt'),
    done: 'The reminder was sent.',
  },
  permission: 'subscriptions:write',
  route: 'POST /invoices/{number}/remind',
  fields: { number: numberField },
  output: invoiceSchema,
  present: (context, { number }) => shown(context, number),
  run: async (context, { number }) => {
    const { tx, tenant, mails, now } = context;
    const invoice = await findInvoice(tx, tenant.id, number);
    if (invoice === null) throw unknown('invoice');
    if (invoice.paidAt !== null) throw conflict([], 'invoice_paid', { since: isoTime(invoice.paidAt) });
    const member = await findMember(tx, tenant.id, invoice.memberId);
    if (member === null) throw unknown('member');
    const isSent = await remindOfInvoice(tx, tenant, { member, invoice }, { mails, now });
    if (!isSent) throw conflict([], 'invoice_reminded');
    return invoiceAnswer(invoice);
  },
});

async function shown({ tx, tenant }: OnTenant<OperationContext>, number: number) {
  const invoice = await findInvoice(tx, tenant.id, number);
  if (invoice === null) throw unknown('invoice');
  return invoiceAnswer(invoice);
}

export const invoiceOperations: readonly Operation[] = [
  onTenant(all.list),
  onTenant(all.file),
  reminded,
  paid,
];
