// The account page of names, telephone, address and language.
import type { FastifyReply } from 'fastify';
import { addressLines, type DetailProblem } from '../../../core/members/details.ts';
import { memberTextLength } from '../../../core/members/limits.ts';
import { changeOwnDetails } from '../../../operations/account/account.ts';
import { languageName, languages, offeredLanguages } from '../../../text/language.ts';
import { readPhone, showPhone } from '../../../text/phone.ts';
import { pageForm } from '../../form.ts';
import { readCountry, showCountry } from './country.ts';
import { type AccountPage, redirectDone, sendAccountPage, type Visit } from './page.ts';

const names = ['fullName', 'nickName', 'phone', ...addressLines, 'country', 'language'] as const;
type Values = Readonly<Record<(typeof names)[number], string>>;

/** GET and POST /account/details: names, telephone, postal address and language (pages 18). */
export const detailsPage: AccountPage = {
  url: '/account/details',
  show: (_tx, visit) => () => sendForm(visit, valuesOf(visit), []),
  async submit(tx, visit) {
    const { request, member, deps } = visit;
    const offered = offeredLanguages(request.tenant.languages);
    const form = pageForm(request, names);
    const values = Object.fromEntries(names.map((name) => [name, form[name] ?? ''])) as Values;
    const details = {
      ...values,
      phone: readPhone(values.phone),
      address: values,
      country: readCountry(values.country),
      locale: offered.includes(values.language) ? values.language : null,
    };
    const problems = await changeOwnDetails(tx, member, details, deps.clock());
    if (problems.length > 0) return () => sendForm(visit, values, problems);
    return () => redirectDone(visit, '/account', 'details');
  },
};

function sendForm(visit: Visit, values: Values, problems: readonly DetailProblem[]): Promise<FastifyReply> {
  const { t } = visit.language;
  const offered = offeredLanguages(visit.request.tenant.languages);
  return sendAccountPage(visit, {
    template: 'details',
    title: 'account.details.title',
    problems: problems.map(({ field, problem }) => ({
      field,
      text: t(textOf(field, problem), limitOf(field)),
    })),
    data: { values, choices: offered.map((tag) => ({ tag, name: languageName(tag) })) },
  });
}

function textOf(field: string, problem: DetailProblem['problem']): string {
  if (field === 'fullName') return `member.error.fullName.${problem}`;
  if (field === 'phone' || field === 'country') return `account.error.${field}.${problem}`;
  return `account.error.text.${problem}`;
}

const limitOf = (field: string) => ({
  most: field === 'nickName' ? memberTextLength.nickName : memberTextLength.line,
});

/** The member's details as the form shows them. */
function valuesOf({ member, language }: Visit): Values {
  const { fullName, nickName, phone, address, locale } = member;
  return {
    fullName,
    nickName,
    phone: showPhone(phone),
    name: address.name ?? '',
    line1: address.line1 ?? '',
    postCode: address.postCode ?? '',
    postOffice: address.postOffice ?? '',
    city: address.city ?? '',
    country: showCountry(address.country, language.tag),
    language: locale !== null && languages.includes(locale) ? locale : '',
  };
}
