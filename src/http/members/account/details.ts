// The account pages of names, telephone and language, and of the postal address.
import type { FastifyReply } from 'fastify';
import { addressLines, type DetailProblem, type Details } from '../../../core/members/details.ts';
import { memberTextLength } from '../../../core/members/limits.ts';
import type { Member } from '../../../core/members/member.ts';
import { changeOwnDetails, takeDetailChange } from '../../../operations/account/account.ts';
import { languageName, languages, offeredLanguages } from '../../../text/language.ts';
import { readPhone, showPhone } from '../../../text/phone.ts';
import { keepLanguage } from '../../cookies.ts';
import { pageForm } from '../../form.ts';
import { sendTooManyChanges } from '../../pages/problem.ts';
import { readCountry, showCountry } from './country.ts';
import { type AccountPage, redirectDone, sendAccountPage, type Visit } from './page.ts';

const url = '/account/details';

/** The fields of the two pages; what is on one of them leaves the other's alone. */
const person = ['fullName', 'nickName', 'phone', 'language'] as const;
const place = [...addressLines, 'country'] as const;
type Values = Readonly<Partial<Record<(typeof person)[number] | (typeof place)[number], string>>>;

/**
 * What a member says of themselves (pages 18):
 *
 *     GET, POST /account/details   names, telephone and language, and the way to both addresses
 *     GET, POST /account/address   the postal address
 */
export const detailsPages: readonly AccountPage[] = [
  pageOf(url, 'details', person, personIn),
  pageOf('/account/address', 'address', place, placeIn),
];

/** @param read what a form of this page changes */
function pageOf(
  pageUrl: string,
  template: string,
  names: readonly (keyof Values)[],
  read: (values: Values, visit: Visit) => Partial<Details>,
): AccountPage {
  const sendForm = (
    visit: Visit,
    values: Values,
    problems: readonly DetailProblem[],
  ): Promise<FastifyReply> => {
    const { t } = visit.language;
    return sendAccountPage(visit, {
      template,
      title: `account.${template}.title`,
      problems: problems.map(({ field, problem }) => ({
        field,
        text: t(textOf(field, problem), limitOf(field)),
      })),
      data: { values, choices: choicesOf(visit), address: addressInLine(visit) },
    });
  };
  return {
    url: pageUrl,
    show: (_tx, visit) => () => sendForm(visit, valuesOf(visit), []),
    async submit(tx, visit) {
      const { request, member, deps } = visit;
      const form = pageForm(request, names);
      const values: Values = Object.fromEntries(names.map((name) => [name, form[name] ?? '']));
      const details = { ...detailsOf(member), ...read(values, visit) };
      const wait = await takeDetailChange(tx, deps.rateLimiter, member);
      if (wait !== null) {
        const { reply, language } = visit;
        const ways = [{ href: pageUrl, text: `account.${template}.title` }];
        return () => sendTooManyChanges(reply, wait, { language, ways, memberId: member.id });
      }
      const problems = await changeOwnDetails(tx, member, details, deps.clock());
      if (problems.length > 0) return () => sendForm(visit, values, problems);
      return () => {
        // Where the language is on the page, it is that of this browser too.
        if (names.includes('language')) keepLanguage(visit.reply, details.locale);
        return redirectDone(visit, url, 'details');
      };
    },
  };
}

function personIn(values: Values, visit: Visit): Partial<Details> {
  const { fullName = '', nickName = '', phone = '', language = '' } = values;
  const isOffered = offeredLanguages(visit.request.tenant.languages).includes(language);
  return { fullName, nickName, phone: readPhone(phone), locale: isOffered ? language : null };
}

function placeIn({ country = '', ...lines }: Values): Partial<Details> {
  return { address: linesOf(lines), country: readCountry(country) };
}

function linesOf(of: Readonly<Partial<Record<string, string | null>>>): Details['address'] {
  return Object.fromEntries(addressLines.map((line) => [line, of[line] ?? ''])) as Details['address'];
}

/** The member's details as they are. */
function detailsOf({ fullName, nickName, phone, locale, address }: Member): Details {
  return { fullName, nickName, phone, locale, address: linesOf(address), country: address.country ?? '' };
}

function textOf(field: string, problem: DetailProblem['problem']): string {
  if (field === 'fullName') return `member.error.fullName.${problem}`;
  if (field === 'phone' || field === 'country') return `account.error.${field}.${problem}`;
  return `account.error.text.${problem}`;
}

const limitOf = (field: string) => ({
  most: field === 'nickName' ? memberTextLength.nickName : memberTextLength.line,
});

const choicesOf = ({ request }: Visit) =>
  offeredLanguages(request.tenant.languages).map((tag) => ({ tag, name: languageName(tag) }));

/** The member's details as the forms show them. */
function valuesOf({ member, language }: Visit): Values {
  const { fullName, nickName, phone, address, locale } = member;
  return {
    fullName,
    nickName,
    phone: showPhone(phone),
    ...linesOf(address),
    country: showCountry(address.country, language.tag),
    language: locale !== null && languages.includes(locale) ? locale : '',
  };
}

/** The postal address in one line; null where there is none. */
function addressInLine({ member: { address }, language }: Visit): readonly string[] | null {
  const { line1, postCode, postOffice, city, country } = address;
  const town = [postCode, city ?? postOffice].filter((part) => part !== null).join(' ');
  const parts = [line1, town, showCountry(country, language.tag)].filter((part) => part) as string[];
  return parts.length > 0 ? parts : null;
}
