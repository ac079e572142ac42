// How operations take and answer a tenant.

import type { Invoicing } from '../../../core/access/invoicing.ts';
import { isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { invoiceDueDays, invoicingLength, packageTextLength } from '../../../core/access/limits.ts';
import { deletionCoolingOffMost, pendingDeviceCodesMost } from '../../../core/limits.ts';
import {
  brandNameLength,
  coverTextLength,
  passwordLength,
  pictureRules,
  trustedBrowserDays,
} from '../../../core/members/limits.ts';
import {
  cornerNames,
  emailCodeNames,
  fontNames,
  secondFactorPolicies,
  type Tenant,
} from '../../../core/tenant.ts';
import type { TenantLimits } from '../../../core/tenant-limits.ts';
import { languages } from '../../../text/language.ts';
import * as s from '../../json-schema.ts';

const most = 1_000_000_000;

/** The limits that are counts; the cooling-off time is a field of its own, in seconds. */
const counts = {
  pendingDeviceCodes: s.held(s.numberFrom(1, most, 'Pending device codes of one client', 1_000), {
    maximum: pendingDeviceCodesMost,
  }),
  deviceRequestsPerAddressAndMinute: perUnit('Device authorizations a minute from one address', 30),
  deviceRequestsPerAddressAndHour: perUnit('Device authorizations an hour from one address', 600),
  deviceRequestsPerClientAndMinute: perUnit('Device authorizations a minute of one client', 1_000),
  failedGrantsPerClientAddressAndMinute: perUnit('Failed grants a minute of one client from one address', 60),
  failedClientAuthenticationsPerAddressAndMinute: perUnit(
    'Failed client authentications a minute from one address',
    10,
  ),
  wrongUserCodesPerMember: perUnit('Wrong user codes in 15 minutes of one member', 5),
  wrongUserCodesPerAddress: perUnit('Wrong user codes in 15 minutes from one address', 30),
  signUpsPerAddressAndHour: perUnit('Sign-ups an hour from one address', 20),
  signUpsPerAddressAndDay: perUnit('Sign-ups a day from one address', 100),
  recoveriesPerAddressAndHour: perUnit('Forgotten passwords an hour from one address', 60),
  emailCodesPerAddressAndHour: perUnit('Codes by mail an hour from one address', 300),
  failedSignInsPerAddressAndMinute: perUnit('Failed sign-ins a minute from one address', 30),
  failedSignInsPerAccount: perUnit('Failed sign-ins of one account, after which it waits', 5),
  registrationsPerAddressAndHour: perUnit('Registrations of clients an hour from one address', 20),
  registrationsPerHour: perUnit('Registrations of clients an hour', 200),
  requestsPerUnverifiedClientAddressAndMinute: perUnit(
    'Requests a minute of one unverified client from one address',
    60,
  ),
  adminCallsPerTokenAndMinute: perUnit(
    'Calls of the admin API a minute with one API token, or by one client in its own name',
    3_000,
  ),
} satisfies Readonly<Record<keyof Omit<TenantLimits, 'deletionCoolingOff'>, s.Schema>>;

/** Where invoices are paid to. */
export const payToFields = {
  payee: s.held(
    s.text('Whose account it is; empty is the name of the tenant', 'Example AS'),
    s.lineRule(packageTextLength.name),
  ),
  account: s.held(
    s.textOrNull('An IBAN, or an account number as the country writes it', 'NO93 8601 1117 947'),
    {
      maxLength: invoicingLength.account,
    },
  ),
  bic: s.textOrNull('The BIC of its bank', 'DNBANOKK'),
  note: s.held(
    s.text('What else stands on invoices, such as your address and VAT number', 'Storgata 1, 0155 Oslo'),
    s.linesRule(packageTextLength.description),
  ),
};

const invoicing = {
  ...payToFields,
  dueDays: s.numberFrom(
    invoiceDueDays.least,
    invoiceDueDays.most,
    'Days until an invoice is due',
    invoiceDueDays.default,
  ),
} satisfies Readonly<Record<keyof Invoicing, s.Schema>>;

function perUnit(description: string, example: number) {
  return s.orNull(s.numberFrom(1, most, description, example), 'no limit');
}

const languageField = s.oneOf('Language', 'A language of pages and mails', languages);

const cooling = 'How long an account that is to be deleted can be kept after all';

/** What can be said of a tenant when it is made, and later. */
export const tenantFields = {
  brandColor: s.color('The colour of buttons and links, as # and six hexadecimal digits', '#1f5fbf'),
  logo: s.picture(
    'A PNG, WebP or SVG picture in a data: URI, shown beside the name',
    'the letter of the name',
    pictureRules.logo.length,
  ),
  favicon: s.picture('Likewise, shown on the tab of a browser', 'the logo', pictureRules.favicon.length),
  coverText: s.textOrNull(
    `A sentence of at most ${coverTextLength} characters, shown beside the way in on a wide screen`,
    'Every match, on every screen you own.',
  ),
  coverPicture: s.picture(
    'A PNG, WebP or JPEG picture in a data: URI, behind that sentence',
    'none',
    pictureRules.coverPicture.length,
  ),
  corners: s.oneOf('Corners', 'How round fields, buttons and cards are', cornerNames),
  font: s.oneOf('Font', 'What pages are written in, of the fonts that are there already', fontNames),
  supportAddress: s.textOrNull(
    'Where members get help: an email address, or the address of a page. It stands on every page and in every mail',
    'help@example.com',
  ),
  termsUrl: s.textOrNull('The terms, likewise', 'https://www.example.com/terms'),
  privacyUrl: s.textOrNull(
    'What is done with the data of members, likewise',
    'https://www.example.com/privacy',
  ),
  languages: s.someOfTexts(
    `The languages of its pages and mails; none is all of ${languages.join(', ')}`,
    languageField,
    'en',
    'nb',
  ),
  passwordLength: s.numberFrom(
    passwordLength.least,
    passwordLength.most,
    'New passwords have at least so many characters',
    passwordLength.default,
  ),
  passkeys: s.oneOf('Passkeys', 'Whether members may have passkeys and sign in with them', ['off', 'on']),
  emailCodes: s.oneOf(
    'EmailCodes',
    'Whether members sign in with a code by mail: not at all, beside the password, or instead of it',
    emailCodeNames,
  ),
  secondFactor: s.oneOf(
    'SecondFactor',
    'Whether members are asked for a second factor: never, those who have turned it on, or all',
    secondFactorPolicies,
  ),
  adminSecondFactor: s.oneOf(
    'AdminSecondFactor',
    'Whether administrators are asked for one: those who have turned it on, or all. A development tenant demands none',
    ['optional', 'required'],
  ),
  trustedBrowserDays: s.numberFrom(
    0,
    trustedBrowserDays.most,
    'For how many days a browser that the member trusts is not asked for the second factor; 0 is never',
    trustedBrowserDays.default,
  ),
  deviceFactor: s.oneOf(
    'DeviceFactor',
    'Whether a TV is approved in any session of the member, or only in one that was signed in to within 5 minutes',
    ['off', 'fresh'],
  ),
  oldSystemUrl: s.textOrNull(
    'The https address that is asked for an unknown address and its password; empty asks none',
    'https://old.example.com/memberdoor',
  ),
  returnOrigins: s.texts('Where a checkout may lead back to', 'https://www.example.com'),
  invoicing: s.named(
    'InvoicingChanges',
    s.someOf('How invoices are paid; what is left out stays as it is', invoicing),
  ),
  clientRegistration: s.oneOf(
    'ClientRegistration',
    'Whether clients may register themselves: never, with an initial access token, or at will',
    ['off', 'token', 'open'],
  ),
  clientMetadataDocuments: s.oneOf(
    'ClientMetadataDocuments',
    'Whether the address of a document may be a client_id: never, on the hosts that are listed, or on any host',
    ['off', 'listed', 'any'],
  ),
  clientMetadataHosts: s.texts('The hosts whose documents may be clients', 'app.example.com'),
  unverifiedOfflineAccess: s.flag('Whether clients that no operator registered may have offline_access'),
  revocationListed: s.flag('Whether discovery lists the revocation address without the device flow too'),
  limits: s.named('TenantLimitChanges', s.someOf('Limits; what is left out stays as it is', counts)),
  deletionCoolingOffSeconds: s.secondsFrom(0, deletionCoolingOffMost / 1_000, cooling, 1_209_600),
};

/** What an input says of a tenant. */
export type TenantInput = Partial<s.ValuesOf<typeof tenantFields> & Pick<Tenant, 'name'>>;

export const nameField = s.held(
  s.text('The name that members read in the header of every page', 'Example'),
  s.nameRule(brandNameLength),
);

/** A tenant as every face shows it. */
export const tenantSchema = s.resource('Tenant', 'A tenant', {
  id: s.text('Its id', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a01'),
  name: nameField,
  issuer: s.text('The issuer of its tokens, and its public address', 'https://login.example.com'),
  host: s.text('The Host header of its requests', 'login.example.com'),
  ...tenantFields,
  invoicing: s.resource('Invoicing', 'How invoices are paid', invoicing),
  limits: s.resource('TenantLimits', 'Limits', counts),
  stageTenant: s.textOrNull('The host of the tenant on which things are tried first', 'stage.example.com'),
  development: s.flag('Whether it is of a development start'),
  disabledAt: s.timeOrNull('From when on it answers as if it were not there', null),
});

/** @param all where its stage tenant is found */
export function tenantAnswer(tenant: Tenant, all: readonly Tenant[]) {
  const { deletionCoolingOff, ...limits } = tenant.limits;
  return {
    id: tenant.id,
    name: tenant.name,
    issuer: tenant.issuer,
    host: tenant.host,
    brandColor: tenant.brandColor,
    logo: tenant.logo,
    favicon: tenant.favicon,
    coverText: tenant.coverText,
    coverPicture: tenant.coverPicture,
    corners: tenant.corners,
    font: tenant.font,
    supportAddress: tenant.supportAddress,
    termsUrl: tenant.termsUrl,
    privacyUrl: tenant.privacyUrl,
    languages: tenant.languages,
    passwordLength: tenant.passwordLength,
    passkeys: tenant.passkeys,
    emailCodes: tenant.emailCodes,
    secondFactor: tenant.secondFactor,
    adminSecondFactor: tenant.adminSecondFactor,
    trustedBrowserDays: tenant.trustedBrowserDays,
    deviceFactor: tenant.deviceFactor,
    oldSystemUrl: tenant.oldSystemUrl,
    returnOrigins: tenant.returnOrigins,
    invoicing: tenant.invoicing,
    clientRegistration: tenant.clientRegistration,
    clientMetadataDocuments: tenant.clientMetadataDocuments,
    clientMetadataHosts: tenant.clientMetadataHosts,
    unverifiedOfflineAccess: tenant.unverifiedOfflineAccess,
    revocationListed: tenant.revocationListed,
    deletionCoolingOffSeconds: Math.round(deletionCoolingOff / 1_000),
    limits,
    stageTenant: all.find(({ id }) => id === tenant.stageTenantId)?.host ?? null,
    development: tenant.development,
    disabledAt: isoTimeOrNull(tenant.disabledAt),
  };
}
