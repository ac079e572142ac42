// The checkout page that asks for a postal address.
import type { FastifyReply } from 'fastify';
import { asksForAddress } from '../../../core/access/package.ts';
import type { DetailProblem } from '../../../core/members/details.ts';
import { memberTextLength } from '../../../core/members/limits.ts';
import type { Address } from '../../../core/members/member.ts';
import { lacksAddress, neededLines } from '../../../operations/access/checkout.ts';
import { changeOwnDetails, takeDetailChange } from '../../../operations/account/account.ts';
import type { Tx } from '../../../storage/store.ts';
import type { Language } from '../../../text/language.ts';
import { pageForm } from '../../form.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { sendTooManyChanges } from '../../pages/problem.ts';
import { likelyCountry, readCountry, showCountry } from '../account/country.ts';
import { type CheckoutVisit, orderOf, sendCheckoutPage } from './visit.ts';

/** What a subscriber says of where they live; the recipient is their own name if they leave it empty. */
const names = ['name', 'line1', 'postCode', 'city', 'country'] as const;
type Values = Readonly<Record<(typeof names)[number], string>>;

/** The form for the postal address that the order needs. */
export function sendAddressForm(
  visit: CheckoutVisit,
  values: Values = valuesOf(visit),
  problems: readonly DetailProblem[] = [],
): Promise<FastifyReply> {
  const { checkout, language } = visit;
  const { t } = language;
  return sendCheckoutPage(visit, {
    template: 'address',
    title: 'checkout.address.title',
    problems: problems.map(({ field, problem }) => ({
      field,
      text: t(textOf(field, problem), { most: memberTextLength.line }),
    })),
    data: {
      values,
      orders: [orderOf(visit)],
      isComplete: !lacksAddress(visit, visit.member),
      lead: t(`checkout.address.lead.${checkout.payment === 'invoice' ? 'invoice' : 'post'}`),
    },
  });
}

function textOf(field: string, problem: DetailProblem['problem']): string {
  const isOwnText = problem === 'missing' || problem === 'unknown';
  return isOwnText ? `checkout.address.${problem}.${field}` : `account.error.text.${problem}`;
}

/** Saves the address with the member, whose account shows it too, and goes on to the summary. */
export async function submitAddress(tx: Tx, visit: CheckoutVisit): Promise<Answer> {
  const { request, reply, member, language, here, deps } = visit;
  const form = pageForm(request, names);
  const values = Object.fromEntries(names.map((name) => [name, form[name] ?? ''])) as Values;
  const missing = neededLines
    .filter((line) => values[line].trim() === '')
    .map((field): DetailProblem => ({ field, problem: 'missing' }));
  const { address } = member;
  // The post town is of the place, and not asked for here: with another place it is wrong.
  const isSamePlace = values.postCode.trim() === address.postCode && values.city.trim() === address.city;
  const postOffice = isSamePlace ? (address.postOffice ?? '') : '';
  const country = readCountry(values.country);
  const details = { ...member, address: { ...values, postOffice }, country };
  const wait = await takeDetailChange(tx, deps.rateLimiter, member);
  if (wait !== null) {
    const ways = [{ href: here, text: 'checkout.toOrder' }];
    return () => sendTooManyChanges(reply, wait, { language, ways, memberId: member.id });
  }
  const wrong = await changeOwnDetails(tx, member, details, deps.clock(), missing);
  const problems = names.flatMap((name) => wrong.filter(({ field }) => field === name));
  return () => (problems.length > 0 ? sendAddressForm(visit, values, problems) : reply.redirect(here, 303));
}

/** The member's address as the form shows it; of one who has said no country, the likely one. */
function valuesOf({ member, language, request }: CheckoutVisit): Values {
  const { address, fullName, phone } = member;
  const country = address.country ?? likelyCountry(phone, request.headers['accept-language']);
  return {
    name: address.name ?? fullName,
    line1: address.line1 ?? '',
    postCode: address.postCode ?? '',
    city: address.city ?? '',
    country: showCountry(country, language.tag),
  };
}

/** The page that changes an address that is complete. */
export function addressUrl({ here }: CheckoutVisit): string {
  return `${here}${here.includes('?') ? '&' : '?'}change=address`;
}

/** The address that the order needs, line by line; null if it needs none. */
export function addressInWords(visit: CheckoutVisit): readonly string[] | null {
  const { checkout, offer, member, language } = visit;
  if (!asksForAddress({ needsAddress: offer.needsAddress, payment: checkout.payment })) return null;
  const { address, fullName } = member;
  return addressLines({ ...address, name: address.name ?? fullName }, language);
}

/** A postal address, line by line. */
export function addressLines({ name, line1, postCode, city, country }: Address, { tag }: Language) {
  const lines = [name, line1, `${postCode ?? ''} ${city ?? ''}`.trim(), showCountry(country, tag)];
  return lines.flatMap((line) => (line === null || line === '' ? [] : [line]));
}
