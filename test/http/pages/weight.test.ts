import { beforeAll, describe, expect, it } from 'vitest';
import { deviceDescriptionLength } from '../../../src/core/limits.ts';
import { coverTextLength } from '../../../src/core/members/limits.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { registerClient } from '../../../src/operations/client/client.ts';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import { insertInvoice } from '../../../src/storage/access/invoice.ts';
import { languages } from '../../../src/text/language.ts';
import { invoiced, newPackage, shopper } from '../../support/access/shopper.ts';
import { setLimits, tenantOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { type AccountVisitor, accountOf } from '../../support/members/account.ts';
import { largestLogo, plainJpeg } from '../../support/members/pages/logos.ts';
import { pageWeight } from '../../support/members/pages/page-weight.ts';
import { recoveryLink } from '../../support/members/recover.ts';
import { applied, submitCode } from '../../support/members/sign-up.ts';
import { consentRecord, invoiceRecord } from '../../support/records/access-records.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, type Visitor, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let member: AccountVisitor;
/** The path of a mail's link to a page for a new password, and the page for a sign-up's digits. */
let reset: string;
let verify: { readonly browser: Visitor; readonly page: Answer };
let deviceCode: string;
let packageId: number;

/** As long as a name in a page's header may be, in letters of two bytes. */
const name = 'Ø'.repeat(60);
const redirectUri = 'https://heavy.test/cb';

/** As much of a brand as stands on a page itself. */
const wordy = {
  coverText: 'Ø'.repeat(coverTextLength),
  coverPicture: plainJpeg,
  supportAddress: 'help@heavy.test',
  termsUrl: 'https://www.heavy.test/terms-and-conditions',
  privacyUrl: 'https://www.heavy.test/privacy-and-cookies',
} as const;

beforeAll(async () => {
  await setLimits(service, hosts.a, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: null });
  // A member who has chosen a language reads that one.
  await service.store.transaction((tx) => tx.updateTable('members').set({ locale: '' }).execute());
  member = await accountOf(service, hosts.a);
  const { id: tenantId } = tenantOf(service, hosts.a);
  await service.store.transaction(async (tx) => {
    await changeTenant(tx, tenantId, { ...wordy, name, brandColor: '#0b1f4b', logo: largestLogo('tenant') });
    const app = { name, type: 'public', redirectUris: [redirectUri], logo: largestLogo('client') } as const;
    await registerClient(tx, tenantId, { ...app, clientId: 'heavy', deviceFlow: true }, service.clock.now());
    const asking = { ...app, clientId: 'heavy-third', thirdParty: true };
    await registerClient(tx, tenantId, asking, service.clock.now());
    for (const id of ['newsletter', 'tips'])
      await defineConsent(tx, consentRecord({ tenantId, id, name: id }));
    await service.tenants.reload(tx);
  });
  packageId = await newPackage(service, hosts.a, { ...invoiced, needsAddress: true });
  await service.store.transaction(async (tx) => {
    const { memberId, id: subscriptionId } = await tx
      .selectFrom('subscriptions')
      .innerJoin('members', 'members.id', 'memberId')
      .select(['memberId', 'subscriptions.id'])
      .where('email', '=', 'u1@example.test')
      .where('members.tenantId', '=', tenantId)
      .executeTakeFirstOrThrow();
    const payTo = { payee: name, account: 'NO93 8601 1117 947', bic: 'DNBANOKK', note: 'Ø'.repeat(200) };
    const facts = { number: 1, memberId, subscriptionId, packageName: name, payTo, paidAt: null };
    await insertInvoice(tx, invoiceRecord({ ...facts, tenantId }));
  });
  reset = await recoveryLink(service, hosts.a, 'u2@example.test');
  const applicant = await applied(service, hosts.a, { email: 'new@example.test' });
  verify = { browser: applicant.browser, page: applicant.verify };
  const body = {
    client_id: 'heavy',
    scope: 'openid offline_access',
    device_name: '画'.repeat(deviceDescriptionLength),
    device_model: '画'.repeat(deviceDescriptionLength),
  };
  const codes = await service.http(hosts.a, '/api/oidc/device/auth', { body });
  deviceCode = codes.json<{ user_code: string }>().user_code;
});

const authorize = (browser: Visitor, more: Record<string, string>, clientId = 'heavy') =>
  browser.authorize(authorizationParameters(clientId, redirectUri, pkce(), more));

type Show = (language: string) => Promise<Answer>;

const read =
  (path: () => string): Show =>
  (language) =>
    member.send(path(), { headers: { 'accept-language': language } });

const sent =
  (path: string, form: Record<string, string>): Show =>
  (language) =>
    member.submit(path, form, { headers: { 'accept-language': language } });

/** A page of the checkout's own, begun anew. */
const ordered = async (then: (browser: ReturnType<typeof shopper>, path: string) => Promise<Answer>) => {
  const browser = shopper(service, hosts.a);
  for (const [cookie, value] of member.cookies) browser.cookies.set(cookie, value);
  const { path } = await browser.order({ packageId });
  return then(browser, path);
};

/** The pages at their heaviest: every field wrong, everything that may be long is. */
const pages: Readonly<Record<string, Show>> = {
  'the sign-in': async (ui_locales) => {
    const browser = visitor(service, hosts.a);
    const page = await authorize(browser, { ui_locales });
    return browser.send('/sign-in', { body: { flow: field(page, 'flow'), email: '', password: '' } });
  },
  'the sign-up': async (ui_locales) => {
    const browser = visitor(service, hosts.a);
    const page = await authorize(browser, { ui_locales, prompt: 'create' });
    const wrong = { fullName: '', email: 'none', password: 'short', asked: 'newsletter.x tips.x' };
    return browser.send('/sign-up', { body: { flow: field(page, 'flow'), ...wrong } });
  },
  'the digits of a sign-up': async (language) => {
    const { browser, page } = verify;
    return submitCode({ ...browser, send: inLanguage(browser, language) }, page, '1');
  },
  'the recovery': async (ui_locales) => {
    const browser = visitor(service, hosts.a);
    const page = await authorize(browser, { ui_locales });
    return browser.send('/recover', { body: { flow: field(page, 'flow'), email: '' } });
  },
  'the new password': (language) =>
    inLanguage(visitor(service, hosts.a), language)(reset, { body: { password: 'short' } }),
  'the consent to scopes': (ui_locales) =>
    authorize(
      member,
      { ui_locales, scope: 'openid offline_access profile email phone address subscriptions' },
      'heavy-third',
    ),
  'the entry of a device code': (language) =>
    inLanguage(member, language)('/device', { body: { user_code: '1' } }),
  'the approval of a device': read(() => `/device?user_code=${encodeURIComponent(deviceCode)}`),
  'a request that is refused': (ui_locales) =>
    authorize(member, { ui_locales, redirect_uri: `https://x.test/${'y'.repeat(2_000)}` }),
  'the account': read(() => '/account'),
  'the account’s devices': read(() => '/account/devices'),
  'the account’s browsers': read(() => '/account/sessions'),
  'the account’s subscriptions': read(() => '/account/subscriptions'),
  'an invoice': read(() => '/account/invoices/1'),
  'the account’s consents': read(() => '/account/consents'),
  'the account’s details': sent('/account/details', { fullName: '', phone: '12', country: 'Atlantis' }),
  'the account’s address': sent('/account/email', { email: 'none', currentPassword: '' }),
  'the account’s password': sent('/account/password', { currentPassword: '', password: 'short' }),
  'the account’s data': sent('/account/data', { currentPassword: '' }),
  'the account’s end': sent('/account/delete', { currentPassword: '' }),
  'the choice of packages': read(() => '/checkout'),
  'the offer of a package': read(() => `/checkout?packageId=${packageId}`),
  'the postal address of a checkout': (language) =>
    ordered(async (browser, path) => {
      const page = await browser.send(path);
      const body = { token: field(page, 'token'), action: 'address', country: 'Atlantis' };
      return browser.send(path, { body, headers: { 'accept-language': language } });
    }),
};

const inLanguage =
  (browser: Visitor, language: string): Visitor['send'] =>
  (path, ask = {}) =>
    browser.send(path, { ...ask, headers: { 'accept-language': language, ...ask.headers } });

describe('pages 2: with the largest logos, the longest names and every field wrong under 20 KB is', () => {
  it.each(Object.entries(pages))('%s, in every language', async (_what, show) => {
    const weights: [string, number][] = [];
    for (const language of languages) {
      const page = await show(language);
      expect(page.text, `${page.status}`).toContain(`<html lang="${language}"`);
      expect(page.text).toMatch(/class="logo" src="\/brand\/[^"]+\.svg"/);
      weights.push([language, await pageWeight(service, hosts.a, page.text)]);
    }
    expect(weights.filter(([, bytes]) => bytes >= 20_000)).toEqual([]);
  });
});
