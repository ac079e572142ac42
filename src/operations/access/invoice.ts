// Says how an invoice is paid, and reminds of one by mail.
import type { Invoice } from '../../core/access/invoice.ts';
import { inGroups, paymentReference, showAccount } from '../../core/access/invoicing.ts';
import { day } from '../../core/limits.ts';
import type { Member } from '../../core/members/member.ts';
import { useOnce } from '../../storage/grants/used-id.ts';
import type { Tx } from '../../storage/store.ts';
import { chooseLanguage, type Language } from '../../text/language.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { showPrice, showTax } from './price.ts';

/** The address of the page that shows an invoice to its member. */
export const invoiceUrl = ({ number }: { readonly number: number | string }) => `/account/invoices/${number}`;

/** How an invoice is paid: how much, where to, with which reference. */
export function paymentOf(
  { number, price, payTo }: Invoice,
  tenant: Pick<OpenTenant, 'name'>,
  { tag }: Pick<Language, 'tag'>,
) {
  return {
    amount: showPrice(price, tag),
    payee: payTo === null || payTo.payee === '' ? tenant.name : payTo.payee,
    account: payTo?.account == null ? null : showAccount(payTo.account),
    bic: payTo?.bic ?? null,
    reference: inGroups(paymentReference(number)),
  };
}

/** What a mail says of an invoice. */
export function invoiceValues(invoice: Invoice, tenant: OpenTenant, language: Language) {
  const { amount, payee, account, bic, reference } = paymentOf(invoice, tenant, language);
  const tax = showTax(invoice, invoice.price, language);
  return {
    invoice: String(invoice.number),
    amount,
    tax: tax === null ? '' : `${tax.amount} (${tax.label})`,
    due: invoice.dueAt,
    account: account === null ? '' : `${account}${bic === null ? '' : ` (BIC ${bic})`}`,
    payee: account === null ? '' : payee,
    reference,
    note: invoice.payTo?.note ?? '',
  };
}

/**
 * Reminds a member of an invoice that is not paid, at most once a day.
 *
 * @returns whether it does: not where she was reminded of it less than a day ago
 */
export async function remindOfInvoice(
  tx: Tx,
  tenant: OpenTenant,
  { member, invoice }: { readonly member: Member; readonly invoice: Invoice },
  { mails, now }: { readonly mails: Pick<Mailer, 'queue'>; readonly now: number },
): Promise<boolean> {
  const once = { purpose: 'invoice reminder', issuer: 'invoice', id: String(invoice.number) } as const;
  if (!(await useOnce(tx, { ...once, tenantId: tenant.id, expiresAt: now + day }))) return false;
  const language = chooseLanguage([member.locale], undefined, tenant.languages);
  await mails.queue(tx, tenant, {
    name: 'invoiceReminder',
    to: member.email,
    memberId: member.id,
    country: member.address.country,
    language: language.tag,
    values: {
      fullName: member.fullName,
      package: invoice.packageName,
      ...invoiceValues(invoice, tenant, language),
    },
    link: `${tenant.issuer}${invoiceUrl(invoice)}`,
  });
  return true;
}
