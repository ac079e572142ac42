// Says how an invoice is paid on pages, and sends the mail that brings it.
import type { Invoice } from '../../../core/access/invoice.ts';
import type { Given } from '../../../operations/access/checkout.ts';
import { invoiceUrl, invoiceValues, paymentOf } from '../../../operations/access/invoice.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { findMember } from '../../../storage/members/member.ts';
import type { Tx } from '../../../storage/store.ts';
import { chooseLanguage, type Language } from '../../../text/language.ts';
import type { PageDeps } from '../../pages/guarded-page.ts';
import { seatsUrl } from '../account/seats/group.ts';
import { dayOf } from '../times.ts';
import { describePrice, seatsOf } from './description.ts';

/** How an invoice is paid as pages show it: line by line, with what else the invoice says. */
export function describePayment(invoice: Invoice, tenant: Pick<OpenTenant, 'name'>, language: Language) {
  const { t } = language;
  const { amount, payee, account, bic, reference } = paymentOf(invoice, tenant, language);
  const due = dayOf(invoice.dueAt, language);
  const to = account === null ? {} : { account, ...(bic === null ? {} : { bic }), payee };
  const note = invoice.payTo?.note ?? '';
  return {
    payee,
    note,
    lines: Object.entries({ amount, due, ...to, reference }).map(([name, value]) => ({
      // The standard's own name is the same in every language.
      label: name === 'bic' ? 'BIC' : t(`account.invoice.${name}`),
      value,
    })),
    unknown: note === '' && account === null ? t('account.invoice.unknown', { payee }) : null,
  };
}

/**
 * Confirms a subscription by mail, in the transaction that gives it: what is given once is told once. Where it is paid
 * by invoice, the mail says how.
 *
 * @param acceptLanguage of the member's browser; undefined where it was not a browser that gave the word
 */
export async function mailSubscribed(
  tx: Tx,
  tenant: OpenTenant,
  { checkout, offer, subscription, invoice }: Given,
  acceptLanguage: string | undefined,
  deps: PageDeps,
): Promise<void> {
  const member = await findMember(tx, tenant.id, checkout.memberId);
  // A payment that was reported after its member was erased.
  if (member === null) return;
  const language = chooseLanguage([member.locale], acceptLanguage, tenant.languages);
  const seats = seatsOf(offer, language);
  await deps.mails.queue(tx, tenant, {
    name: invoice === null ? 'subscribed' : 'invoice',
    to: member.email,
    country: member.address.country,
    language: language.tag,
    values: {
      fullName: member.fullName,
      package: [offer.name, ...(seats === null ? [] : [seats])].join(', '),
      price: describePrice(checkout, language),
      until: subscription.expiresAt ?? '',
      ...(invoice === null ? {} : invoiceValues(invoice, tenant, language)),
    },
    link: `${tenant.issuer}${invoice === null ? '/account' : invoiceUrl(invoice)}`,
    ...(seats === null ? {} : { seats: `${tenant.issuer}${seatsUrl(subscription)}` }),
  });
}
