// Every mail that the service sends, and how it is written.

import { supportLink } from '../../core/members/branding.ts';
import { emailProofLifetime } from '../../core/members/limits.ts';
import { invitationLifetime } from '../../core/operators/limits.ts';
import type { Tenant } from '../../core/tenant.ts';
import { zoneOfDays } from '../../text/calendar.ts';
import type { Translate } from '../../text/catalogue.ts';
import { chooseLanguage, type Language } from '../../text/language.ts';
import { createTemplates } from '../../text/templates.ts';
import { mailLook } from './mail-look.ts';

/**
 * Every mail that the service sends, each with: to whom, when | values | code | where its button leads. Values are texts,
 * or times in ms; one that is absent or empty is left out. `fullName` may be given to each of them, for the greeting.
 */
export const mailNames = [
  'signInCode', // a member who signs in with a code by mail | client, browser, place | yes | –
  'signUp', // the address of a sign-up, to prove it | fullName | yes | finishes the sign-up
  'signUpKnown', // an address that has an account, when a visitor signs up with it | – | – | recovery
  'signUpKnownToCode', // the same where members have no passwords | – | – | the sign-in
  'passwordReset', // a member who forgot the password | – | – | the new password
  'invitation', // a member whose account an operator made | – | – | a first password
  'invitationToCode', // the same where members have no passwords | – | – | the sign-in
  'passwordChanged', // a member whose password was changed | place, time | – | recovery
  'passwordRemoved', // a member who took the password away | place, time | – | recovery
  'passkeyAdded', // a member who made a passkey | passkey, place, time | – | the passkeys
  'passkeyRemoved', // a member whose passkey was removed | passkey, time | – | the passkeys
  'secondFactorOn', // a member who turned two-step sign-in on | time | – | two-step sign-in
  'secondFactorOff', // a member who turned it off | time | – | two-step sign-in
  'secondFactorReset', // a member whose two-step sign-in an operator turned off | time | – | two-step sign-in
  'secondFactorRefused', // a member whose second factor was given wrong again and again, behind a right first one | time | – | recovery
  'recoveryCodeUsed', // a member who signed in with a recovery code | left (how many are left, required), time | – | two-step sign-in
  'recoveryCodesRenewed', // a member who made new recovery codes | time | – | two-step sign-in
  'emailChange', // a new address, to prove it | – | yes | the account
  'emailChanged', // the address an account had before | email (the new one), time | – | –
  'newTv', // a member whose TV or app was signed in | client, device, place, time | – | takes it back
  'newBrowser', // a member who signed in with a new browser | browser, place, time | – | takes it back
  'accountUnlinked', // a member whose account of another provider was taken away | linked (required), time | – | the accounts
  'accountLinked', // a member who linked an account of another provider | linked (required), time | – | the accounts
  'deletionRequested', // a member who asked to be deleted | date (required) | – | the account, to keep it
  'deletionCancelled', // a member who keeps the account after all | – | – | the account
  'subscribed', // a member whose subscription began | package (required), price, until | – | the account
  'seatInvitation', // an address that is invited to a seat | from (who invites, required), package, tenant, date (required) | – | the offers of seats
  // a member whose subscription began and is paid by invoice | package, price, until, invoice (its number, required), amount,
  // tax, due (required), account, payee, reference, note | – | the invoice
  'invoice',
  // a member who has not paid an invoice | package, invoice (required), amount, tax, due, account, payee, reference, note | –
  // | the invoice
  'invoiceReminder',
  // an administrator whose webhook takes nothing | webhook, answer, waiting, time | – | the webhook, in the portal
  'webhookOff',
] as const;

export type MailName = (typeof mailNames)[number];

/** Mails in which there is nothing to open: a code that signs in is typed where it was asked for. */
export const mailsWithoutLink: ReadonlySet<MailName> = new Set(['signInCode']);

/** A mail to be sent to a person. */
export interface Mail {
  readonly name: MailName;
  /** One address. */
  readonly to: string;
  /** Whose account it is about, where there is one: her time line tells of it. */
  readonly memberId?: string;
  /** The tag of a language; one that is not ours becomes the nearest. */
  readonly language: string;
  /** Where it is read, if that is known: days are told as they are there. Two letters (ISO 3166-1). */
  readonly country?: string | null;
  readonly values?: Readonly<Record<string, string | number>>;
  /** Six digits as they are shown, such as `123 456`. */
  readonly code?: string;
  /** The absolute address that the one button opens. */
  readonly link?: string;
  /** The absolute address at which people are invited to the seats of what was bought, where it has some. */
  readonly seats?: string;
}

/** A mail as it is sent. */
export type ComposedMail = Readonly<ReturnType<typeof composeMail>>;

/** The values that are listed below the lead, in this order. */
const factNames = [
  'client',
  'device',
  'browser',
  'passkey',
  'email',
  'place',
  'webhook',
  'answer',
  'waiting',
  'time',
  'package',
  'price',
  'until',
  'invoice',
  'amount',
  'tax',
  'due',
  'account',
  'payee',
  'reference',
  'note',
] as const;

/** The times that are days, without the time of day. */
const dayNames: ReadonlySet<string> = new Set(['date', 'until', 'due']);

const minute = 60_000;

/** How long the link and the code of a mail work. */
const lifetimeOf: Readonly<Partial<Record<MailName, number>>> = {
  signInCode: emailProofLifetime.sign_in,
  signUp: emailProofLifetime.sign_up,
  passwordReset: emailProofLifetime.password_reset,
  invitation: invitationLifetime,
  emailChange: emailProofLifetime.email_change,
};

const templates = createTemplates();

/** Writes a mail in the language of its recipient. */
export function composeMail(tenant: Tenant, mail: Mail) {
  const language = chooseLanguage([mail.language], undefined, tenant.languages);
  const values = {
    ...printable(mail.values ?? {}, { ...language, country: mail.country ?? null }),
    tenant: oneLine(tenant.name),
  };
  const subject = language.t(`mail.${mail.name}.subject`, values);
  const parts = { ...partsOf(mail, language, values), links: linksOf(tenant, language) };
  const look = mailLook(tenant);
  return {
    name: mail.name,
    language: language.tag,
    fromName: values.tenant,
    to: mail.to,
    subject,
    text: textOf(parts),
    html: templates.render('./mail/layout.eta', {
      ...parts,
      ...look,
      subject,
      tenant: values.tenant,
      lang: language.tag,
      dir: language.direction,
    }),
    logo: look.logo,
  };
}

/** Where help is, and what the tenant promises (pages 23). */
function linksOf(tenant: Tenant, { t }: Language) {
  const { supportAddress, termsUrl, privacyUrl } = tenant;
  const links = [
    { label: t('foot.help'), text: supportAddress, url: supportLink(tenant) },
    { label: t('foot.terms'), text: termsUrl, url: termsUrl },
    { label: t('foot.privacy'), text: privacyUrl, url: privacyUrl },
  ];
  return links.filter(({ url }) => url !== null);
}

type Parts = ReturnType<typeof partsOf> & { readonly links: ReturnType<typeof linksOf> };

/** What both forms of a mail are made of. */
function partsOf(
  { name, code, link: opened, seats }: Mail,
  { t }: Language,
  values: Readonly<Record<string, string>>,
) {
  const { fullName = '' } = values;
  const link = mailsWithoutLink.has(name) ? undefined : opened;
  return {
    greeting: isName(fullName) ? t('mail.greeting', { fullName }) : null,
    lead: t(`mail.${name}.lead`, values),
    facts: factNames.flatMap((fact) => {
      const value = values[fact] ?? '';
      return value === '' ? [] : [{ label: t(`mail.fact.${fact}`), value }];
    }),
    link: link === undefined ? null : { label: t(`mail.${name}.button`), url: link, asText: t('mail.link') },
    seats: seats === undefined ? null : { label: t('account.seats.people'), url: seats },
    code:
      code === undefined
        ? null
        : { label: t(link === undefined ? 'mail.codeOnly' : 'mail.code'), digits: code },
    // What to know: how long it works, and what to do if it was not you.
    notes: [
      ...lifetimeNotes(name, t),
      ...(code === undefined ? [] : [t('mail.codeNote')]),
      t(`mail.${name}.note`, values),
    ],
    footer: t('mail.footer', values),
  };
}

function lifetimeNotes(name: MailName, t: Translate): readonly string[] {
  const lifetime = lifetimeOf[name];
  if (lifetime === undefined) return [];
  const minutes = Math.round(lifetime / minute);
  return [
    minutes < 60
      ? t('mail.lifetime.minutes', { minutes })
      : t('mail.lifetime.hours', { hours: Math.round(minutes / 60) }),
  ];
}

/** Plain text: a link and a code have a line of their own, so that they can be taken up whole. */
function textOf({ greeting, lead, facts, link, seats, code, notes, footer, links }: Parts): string {
  const paragraphs = [
    greeting,
    lead,
    facts.map(({ label, value }) => `${label} ${value}`).join('\n'),
    link === null ? '' : `${link.label}\n${link.url}`,
    seats === null ? '' : `${seats.label}\n${seats.url}`,
    // The space keeps the two halves in their order where text runs from right to left.
    code === null ? '' : `${code.label}\n${code.digits.replace(' ', '\u00a0')}`,
    ...notes,
    ['-- ', footer, ...links.map(({ label, text }) => `${label}: ${text}`)].join('\n'),
  ];
  return `${paragraphs.filter(Boolean).join('\n\n')}\n`;
}

/** The values as they are printed: on one line each, times in words of the language. */
function printable(
  values: Readonly<Record<string, string | number>>,
  { tag, country }: Language,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? oneLine(value)
        : dayNames.has(name)
          ? dayInWords(value, tag, country)
          : timeInWords(value, tag),
    ]),
  );
}

const day = { year: 'numeric', month: 'long', day: 'numeric' } as const;

/** A day as the pages tell it (`zoneOfDays`). */
function dayInWords(time: number, tag: string, country: string | null | undefined): string {
  return new Intl.DateTimeFormat(tag, { ...day, timeZone: zoneOfDays(country, time) }).format(time);
}

/** It is not known where the mail will be read, so times are in UTC and say so. */
function timeInWords(time: number, tag: string): string {
  const clock = { hour: '2-digit', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short' } as const;
  return new Intl.DateTimeFormat(tag, { ...day, ...clock }).format(time);
}

/** A value fills a place: it begins no new line, and turns no text around it (U+202E and its like). */
function oneLine(value: string): string {
  return value
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

const longestName = 60;

/**
 * Whether a name can be greeted by. A visitor who signs another person up chooses the name, and mail programs make
 * links of anything like an address: such a name is an advertisement sent through us.
 */
export function isName(fullName: string): boolean {
  return (
    fullName !== '' &&
    [...fullName].length <= longestName &&
    !/[\p{L}\p{N}][.。．｡][\p{L}\p{N}]|[:/@\\]/u.test(fullName)
  );
}
