// The account page of an invoice, made to be printed too.

import { invoiceUrl } from '../../../../operations/access/invoice.ts';
import { showPrice, showTax } from '../../../../operations/access/price.ts';
import { findInvoice } from '../../../../storage/access/invoice.ts';
import type { Tx } from '../../../../storage/store.ts';
import type { Answer } from '../../../pages/guarded-page.ts';
import { sendProblem } from '../../../pages/problem.ts';
import { addressLines } from '../../checkout/address.ts';
import { seatsOf } from '../../checkout/description.ts';
import { describePayment } from '../../checkout/invoice.ts';
import { dayOf } from '../../times.ts';
import { type AccountPage, sendAccountPage, type Visit } from '../page.ts';

/** GET /account/invoices/{number}: an invoice of the member's own; any other is not there. */
export const invoicePage: AccountPage = { url: invoiceUrl({ number: ':number' }), show };

async function show(tx: Tx, visit: Visit): Promise<Answer> {
  const { request, reply, member, language, deps } = visit;
  const { t, tag } = language;
  const { number } = request.params as { number: string };
  const invoice = /^[1-9]\d{0,14}$/.test(number)
    ? await findInvoice(tx, member.tenantId, Number(number))
    : null;
  if (invoice?.memberId !== member.id) return () => sendProblem(reply, 'notFound', { language });
  const { paidAt, dueAt, price } = invoice;
  const { payee, note, lines, unknown } = describePayment(invoice, request.tenant, language);
  const due = deps.clock() < dueAt ? 'due' : 'overdue';
  return () =>
    sendAccountPage(visit, {
      template: 'invoice',
      title: 'account.invoices.number',
      titleValues: { number },
      data: {
        standing:
          paidAt === null
            ? t(`account.invoices.${due}`, { date: dayOf(dueAt, language) })
            : t('account.invoice.paid', { date: dayOf(paidAt, language) }),
        payee,
        note,
        addressee: addressLines(invoice.addressee, language),
        issued: dayOf(invoice.issuedAt, language),
        name: invoice.packageName,
        seats: seatsOf(invoice, language),
        amount: showPrice(price, tag),
        tax: showTax(invoice, price, language),
        payment: paidAt === null ? { lines, unknown } : null,
      },
    });
}
