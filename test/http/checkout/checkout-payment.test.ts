import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import type { PaymentReport } from '../../../src/operations/access/payment.ts';
import {
  type CardSummary,
  givenOnce,
  nothingGiven,
  price,
  startCardShop,
} from '../../support/access/card.ts';
import { signedReturn } from '../../support/access/hosted-payment.ts';
import type { PaymentPage } from '../../support/access/payment-page.ts';
import { allowReturns, expectLeads, newPackage, onward, shopper } from '../../support/access/shopper.ts';
import { tenantOf, textOf } from '../../support/device.ts';
import { expectErrorPage, expectJsonError } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { allRows } from '../../support/records/rows.ts';
import type { TestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-service.ts';
import { field, headingOf } from '../../support/visitor.ts';

const shop = useStarted(startCardShop);
let service: TestService;
let provider: PaymentPage;

beforeAll(() => {
  ({ service, provider } = shop);
});
afterEach(() => provider.answerWith(null));

const withoutEffect = async <T>(work: () => Promise<T>): Promise<T> => {
  const before = await allRows(service);
  const result = await work();
  expect(await allRows(service)).toEqual(before);
  return result;
};

describe('confirming a payment on a hosted page', () => {
  it('says so beforehand, writes nothing, and leads to the page of the provider', async () => {
    const { browser, packageId, ordering } = await shop.open();
    expect(textOf(ordering.page)).toContain('By card, on the next page');
    const answer = await withoutEffect(() => browser.submit(ordering, 'confirm'));
    expectLeads(answer, `${provider.origin}/pay/${provider.orders.length - 1}`);
    expect(provider.orders.at(-1)).toEqual({
      checkoutId: ordering.id,
      tenant: { name: 'Tenant A', issuer: 'https://a.test' },
      member: {
        fullName: 'Member 1',
        email: 'u1@example.test',
        address: expect.objectContaining({ line1: 'Street 1', country: 'NO' }),
      },
      packageName: expect.stringMatching(/^Package/),
      price,
      language: 'en',
      returnUrl: `https://a.test/checkout/${ordering.id}/return`,
    });
    expect(ordering.page.headers['content-security-policy']).toContain(
      `form-action 'self' https://app.test ${provider.origin};`,
    );
    expect(await shop.given(packageId)).toEqual(nothingGiven);
  });

  it.each([
    ['answers 500', { status: 500, body: 'out of order' }],
    ['names a page elsewhere', { status: 200, body: 'https://evil.test/pay' }],
    ['names no page', { status: 200, body: 'soon' }],
    ['names a script', { status: 200, body: 'javascript:alert(1)' }],
  ])('says that it does not work now where the provider %s; nothing is changed', async (_what, answer) => {
    const { browser, packageId, ordering } = await shop.open();
    provider.answerWith(answer);
    const page = await withoutEffect(() => browser.submit(ordering, 'confirm'));
    expectErrorPage(page, 503);
    expect(page.text).toContain('The payment could not start, and nothing was ordered.');
    expect(page.text).not.toContain('evil.test');
    provider.answerWith(null);
    const again = await browser.submit({ ...ordering, page }, 'confirm');
    expectLeads(again, `${provider.origin}/pay/${provider.orders.length - 1}`);
    expect(await shop.given(packageId)).toEqual(nothingGiven);
  });

  it('records the consents once the payment has begun; a page that failed keeps what was ticked', async () => {
    const consent = { name: 'Offers', description: 'x', atSignUp: false, atCheckout: true, retiredAt: null };
    const { id: tenantId } = tenantOf(service, hosts.a);
    await service.store.transaction((tx) => defineConsent(tx, { ...consent, tenantId, id: 'offers' }));
    const { browser, ordering } = await shop.open('u2@example.test');
    const more = { asked: field(ordering.page, 'asked'), 'consent-offers': 'yes' };
    provider.answerWith({ status: 500, body: '' });
    const page = await withoutEffect(() => browser.submit(ordering, 'confirm', more));
    expect(page.text).toMatch(/name="consent-offers"[^>]* checked/);
    provider.answerWith(null);
    await browser.submit(ordering, 'confirm', more);
    const { consentChanges = [] } = await allRows(service);
    expect(consentChanges).toMatchObject([{ consentId: 'offers', status: 'accepted', source: 'checkout' }]);
  });
});

describe('coming back from the page of the provider', () => {
  it('K1, K6: paid and signed gives the subscription once, and leads on with nothing added', async () => {
    const { browser, packageId, paid, returnPath } = await shop.open();
    const path = returnPath + signedReturn(paid);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => browser.send(path)));
    for (const answer of answers) expectLeads(answer, onward);
    expect(await shop.given(packageId)).toEqual(givenOnce);
    expectLeads(await browser.send(path), onward);
    expect(await shop.given(packageId)).toEqual(givenOnce);
  });

  it('paid and signed counts without a session too: it may be over by now', async () => {
    const { packageId, paid, returnPath } = await shop.open();
    expectLeads(await shopper(service, hosts.a).send(returnPath + signedReturn(paid)), onward);
    expect(await shop.given(packageId)).toEqual(givenOnce);
  });

  it('not paid leads back to the summary', async () => {
    const { browser, packageId, ordering, returnPath } = await shop.open();
    const unpaid = { kind: 'unpaid', checkoutId: ordering.id } as const;
    const answer = await withoutEffect(() => browser.send(returnPath + signedReturn(unpaid)));
    expectLeads(answer, ordering.path);
    expect(await shop.given(packageId)).toEqual(nothingGiven);
  });

  it.each<[string, (report: CardSummary['paid']) => string]>([
    ['with nothing added', () => ''],
    ['with another signature', (report) => signedReturn(report, 'another secret')],
    ['for another checkout', (report) => signedReturn({ ...report, checkoutId: 'another' })],
    ['with another price', (report) => signedReturn({ ...report, price: { ...price, amount: 1 } })],
    ['with another currency', (report) => signedReturn({ ...report, price: { ...price, currency: 'IDR' } })],
  ])('%s the member waits, and nothing is given', async (_what, query) => {
    const { browser, ordering, paid, returnPath } = await shop.open();
    const page = await withoutEffect(() => browser.send(returnPath + query(paid)));
    expect(headingOf(page)).toBe('Waiting for your payment');
    expect(page.text).toContain(`href="${returnPath}"`);
    expect(page.text).toContain(`href="${ordering.path}"`);
  });

  it('what was paid for one checkout gives nothing at the address of another', async () => {
    const { browser, returnPath } = await shop.open();
    const { paid } = await shop.open();
    const page = await withoutEffect(() => browser.send(returnPath + signedReturn(paid)));
    expect(headingOf(page)).toBe('Waiting for your payment');
  });

  it('who waits and looks again is led on once the provider has reported it', async () => {
    const { browser, packageId, ordering, paid, returnPath } = await shop.open();
    expect(headingOf(await browser.send(returnPath))).toBe('Waiting for your payment');
    expect((await shop.notify(paid)).status).toBe(200);
    const page = await browser.follow(await browser.send(returnPath));
    expect(headingOf(page)).toBe('You are subscribed');
    expectLeads(await browser.submit(ordering, 'confirm'), onward);
    expect(await shop.given(packageId)).toEqual(givenOnce);
  });

  it("K10: another member's, another tenant's, or a package that is not paid there: not found", async () => {
    const { browser, returnPath } = await shop.open();
    const other = shopper(service, hosts.a);
    await other.order({ packageId: await newPackage(service, hosts.a) }, 'u2@example.test');
    expectErrorPage(await other.send(returnPath), 404);
    const free = await browser.order({ packageId: await newPackage(service, hosts.a) });
    expectLeads(await browser.send(`${free.path}/return`), free.path);
    const forFree: PaymentReport = {
      kind: 'paid',
      checkoutId: free.id,
      price: { amount: 0, currency: 'NOK' },
      paymentReference: 'x',
    };
    expectLeads(await browser.send(`${free.path}/return${signedReturn(forFree)}`), free.path);
    expectJsonError(await withoutEffect(() => shop.notify(forFree)), 404, 'invalid_request');
  });

  it('K2: an address that was taken off the list meanwhile is not followed', async () => {
    const { browser, ordering, paid, returnPath } = await shop.open();
    await allowReturns(service, hosts.a, []);
    const answer = await browser.send(returnPath + signedReturn(paid));
    await allowReturns(service, hosts.a, ['https://app.test']);
    expectLeads(answer, ordering.path);
  });
});

it('a payment method that the service lost meanwhile is said to be out of order', async () => {
  const { browser, packageId, ordering } = await shop.open();
  await service.store.transaction((tx) =>
    tx.updateTable('checkouts').set({ payment: 'seashells' }).where('id', '=', ordering.id).execute(),
  );
  expectErrorPage(await withoutEffect(() => browser.submit(ordering, 'confirm')), 503);
  expect(await shop.given(packageId)).toEqual(nothingGiven);
});

describe('a payment that is begun again and again', () => {
  it('reaches the provider five times a minute for one checkout, however many ask', async () => {
    const { browser, ordering } = await shop.open();
    const begun = provider.orders.length;
    const answers = await Promise.all(Array.from({ length: 40 }, () => browser.submit(ordering, 'confirm')));
    expect(provider.orders.length - begun).toBe(5);
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(35);
  });
});
