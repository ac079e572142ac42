// Confirms a subscription by mail.

import type { Given } from '../../../operations/access/checkout.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { findMember } from '../../../storage/members/member.ts';
import type { Tx } from '../../../storage/store.ts';
import { chooseLanguage } from '../../../text/language.ts';
import type { PageDeps } from '../../pages/guarded-page.ts';
import { showPrice } from '../access/price.ts';
import { priceWords } from './words.ts';

/**
 * Confirms a subscription by mail, in the transaction that gives it: what is given once is told once.
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
  await deps.mails.queue(tx, tenant, {
    name: 'subscribed',
    to: member.email,
    language: language.tag,
    values: {
      fullName: member.fullName,
      package: offer.name,
      price: priceWords(checkout, language),
      until: subscription.expiresAt ?? '',
      invoice: invoice === null ? '' : `${invoice.number} (${showPrice(invoice.price, language.tag)})`,
      due: invoice?.dueAt ?? '',
    },
    link: `${tenant.issuer}/account`,
  });
}
