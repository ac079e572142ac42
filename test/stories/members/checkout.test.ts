import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { packageDefaults } from '../../../src/core/access/package.ts';
import { addPackage, addProduct } from '../../../src/operations/access/package.ts';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import { hostedName, hostedPayment, signedNotice } from '../../support/access/hosted-payment.ts';
import { reportOf, startPaymentPage } from '../../support/access/payment-page.ts';
import { type Files, startApp } from '../../support/browser/app.ts';
import type { View } from '../../support/browser/browser.ts';
import { startSite, submitSignIn } from '../../support/browser/site.ts';
import { tenantOf } from '../../support/device.ts';
import { mailTo, submitSignUp } from '../../support/members/pages/member-pages.ts';
import { profile } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';
import { authorizationParameters, pkce, token } from '../../support/visitor.ts';

const provider = useStarted(startPaymentPage);
const site = useStarted(() => startSite({ payments: [hostedPayment(provider.origin)] }));
const files: Record<string, Files[string]> = {};
/** The site of a newspaper, of its own origin, with an article that only subscribers may read. */
const paywall = useStarted(() => startApp(files));
let host: string;

beforeAll(async () => {
  host = new URL(site.issuer).host;
  const tenant = tenantOf(site.service, host);
  const cardId = await site.service.store.transaction(async (tx) => {
    await changeTenant(tx, tenant.id, { returnOrigins: [paywall.origin] });
    await site.service.tenants.reload(tx);
    const facts = {
      ...packageDefaults,
      name: 'Acme Live',
      description: 'Concerts',
      price: { amount: 49_900, currency: 'NOK' },
      period: { unit: 'year', count: 1 },
      payment: hostedName,
    } as const;
    return addPackage(tx, tenant.id, facts, [await addProduct(tx, tenant.id, 'Concerts')]);
  });
  const linkTo = (more: Record<string, string>) =>
    `${site.issuer}/checkout?${new URLSearchParams({
      reference: '/article',
      onCheckoutCompletedUrl: `${paywall.origin}/article?from=checkout#end`,
      callBackUrl: `${paywall.origin}/front`,
      ...more,
    })}`.replaceAll('&', '&amp;');
  files['/article'] = {
    type: 'text/html; charset=utf-8',
    body: `<!doctype html><title>News</title><link rel="icon" href="data:,"><h1>An article</h1>
      <a href="${linkTo({})}">Subscribe</a> <a href="${linkTo({ packageId: String(cardId) })}">Concerts</a>`,
  };
});
afterEach(() => site.browser.closeViews());

const done = () => `${paywall.origin}/article?from=checkout#end`;

/** A browser at the paywall. */
async function reader(javaScript = true): Promise<View> {
  const view = await site.browser.open({ size: 'phone', javaScript });
  await view.page.goto(`${paywall.origin}/article`);
  return view;
}

const heading = ({ page }: View, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
const press = ({ page }: View, name: string) => page.getByRole('button', { name, exact: true }).click();

/** What the member API says of the member who is signed in to this browser, asked without any page. */
async function silentProfile({ page }: View) {
  const proof = pkce();
  const redirectUri = `${paywall.origin}/callback`;
  const parameters = authorizationParameters('web', redirectUri, proof, { prompt: 'none' });
  await page.goto(`${site.issuer}/api/oidc/auth?${new URLSearchParams(parameters)}`);
  const answer = await token(site.service, host, {
    grant_type: 'authorization_code',
    client_id: 'web',
    client_secret: 'web-secret-for-development',
    code: new URL(page.url()).searchParams.get('code') ?? '',
    code_verifier: proof.verifier,
    redirect_uri: redirectUri,
  });
  const { access_token: accessToken } = answer.json<{ access_token: string }>();
  return (await profile(site.service, host, accessToken)).json<{
    email: string;
    subscriptions: { packageName: string; status: string; subscriptionProducts: { name: string }[] }[];
  }>();
}

describe('a reader at a paywall', () => {
  it('decision 40: signs up, orders, is back at the article, and signed in without a word', async () => {
    const view = await reader();
    const { page } = view;
    const email = 'grace@example.test';
    await page.getByRole('link', { name: 'Subscribe' }).click();
    await heading(view, 'Choose your plan');
    await press(view, 'Continue');
    await submitSignUp(view, { fullName: 'Grace Hopper', email });
    await page.waitForURL('**/sign-up/verify?*');
    await page.fill('#code', (await mailTo(site, email)).code);
    await press(view, 'Continue');

    await heading(view, 'Your postal address');
    expect(await page.inputValue('#name')).toBe('Grace Hopper');
    await page.fill('#line1', 'Storgata 1');
    await page.fill('#postCode', '0155');
    await page.fill('#city', 'Oslo');
    await page.fill('#country', 'Norway');
    await press(view, 'Continue');

    await heading(view, 'Review your order');
    await page.getByText('NOK 199 per month').waitFor();
    await page.getByLabel('Offers').check();
    const [arrival] = await Promise.all([
      page.waitForRequest(`${paywall.origin}/article*`),
      press(view, 'Order and pay'),
    ]);
    await page.waitForURL(done());
    // K6: nothing but what was asked for came along.
    expect(paywall.received('/article').at(-1)?.url.href).toBe(`${paywall.origin}/article?from=checkout`);
    expect((await arrival.allHeaders()).referer).toBeUndefined();

    expect(await silentProfile(view)).toMatchObject({
      email,
      subscriptions: [{ packageName: 'Acme Everything', status: 'active' }],
    });
    await site.service.delivered();
    const mail = site.service.outbox.last(email);
    expect([mail.name, mail.subject]).toEqual(['invoice', 'Invoice 1 from Acme']);
    expect(view.problems).toEqual([]);

    // Who comes again has it already, and is led on.
    await page.goto(`${paywall.origin}/article`);
    await page.getByRole('link', { name: 'Subscribe' }).click();
    await page.getByText('You already have this until').waitFor();
    await page.goBack();
  });

  it('K1: a member who cancels is back where the paywall wants, before and after signing in', async () => {
    const view = await reader();
    const { page } = view;
    for (const member of ['ida@example.com', null]) {
      await page.goto(`${paywall.origin}/article`);
      await page.getByRole('link', { name: 'Subscribe' }).click();
      if (member === null) {
        await page.getByRole('link', { name: 'Back to where you came from' }).click();
      } else {
        await page.getByLabel('Daily News').check();
        await press(view, 'I have an account');
        await submitSignIn(view, member);
        await heading(view, 'Review your order');
        await press(view, 'Cancel');
      }
      await page.waitForURL(`${paywall.origin}/front`);
    }
    expect((await silentProfile(view)).subscriptions).toEqual([]);
    expect(view.problems).toEqual([]);
  });

  it('pages 1: pays on the page of a provider, after turning back there once, without JavaScript', async () => {
    const view = await reader(false);
    const { page } = view;
    await page.getByRole('link', { name: 'Concerts' }).click();
    await heading(view, 'Subscribe to Acme Live');
    await press(view, 'I have an account');
    await submitSignIn(view, 'bo@example.com');
    await heading(view, 'Review your order');
    await press(view, 'Order and pay');
    await heading(view, 'Acme Live: 49900 NOK');
    await press(view, 'Do not pay');
    await heading(view, 'Review your order');
    await press(view, 'Order and pay');
    await press(view, 'Pay');
    await page.waitForURL(done());
    expect((await silentProfile(view)).subscriptions).toMatchObject([{ packageName: 'Acme Live' }]);
    expect(view.problems).toEqual([]);
  });

  it('closes the page of the provider after paying, and is subscribed all the same', async () => {
    const view = await reader();
    const { page } = view;
    await page.getByRole('link', { name: 'Concerts' }).click();
    await press(view, 'I have an account');
    await submitSignIn(view, 'ida@example.com');
    await press(view, 'Order and pay');
    await heading(view, 'Acme Live: 49900 NOK');
    const order = provider.orders.at(-1);
    if (order === undefined) throw new Error('no payment was begun');
    await page.goto(order.returnUrl);
    await heading(view, 'Waiting for your payment');
    const path = `/checkout/payments/${hostedName}`;
    const notice = { method: 'POST', ...signedNotice(reportOf(order, true)) };
    expect((await site.service.http(host, path, notice)).status).toBe(200);
    await page.getByRole('link', { name: 'Check again' }).click();
    await heading(view, 'You are subscribed');
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.waitForURL(done());
    expect(view.problems).toEqual([]);
  });

  it('pages 1, 20: without JavaScript sees the order of the plan that is chosen, how to pay it, and prints the invoice', async () => {
    const view = await site.browser.open({ size: 'phone', javaScript: false });
    const { page } = view;
    await page.goto(`${site.issuer}/checkout`);
    const order = page.locator('.order');
    for (const [plan, amount] of [
      ['Daily News', 'Free'],
      ['Acme Everything', 'NOK 199.00'],
    ] as const) {
      await page.getByLabel(plan).check();
      await order.getByText(plan).waitFor();
      const shown = await order.locator('.course:visible').allInnerTexts();
      expect(shown).toHaveLength(1);
      expect(shown[0]?.replaceAll('\u00a0', ' ')).toContain(amount);
    }
    await press(view, 'I have an account');
    await submitSignIn(view, 'finn@example.com');
    await page.getByRole('button', { name: /^(?:Beställ och betala|Order and pay)$/ }).click();
    await page.getByRole('heading', { name: /Så betalar du|How to pay/ }).waitFor();
    const reference = await page.getByText(/^RF\d\d \d+$/).textContent();
    await page.locator('a[href^="/account/invoices/"]').click();
    if (reference === null) throw new Error('no reference is shown');
    await page.getByText(reference).waitFor();
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.foot', '.bar form', '.back'])
      expect(await page.locator(part).isVisible()).toBe(false);
    for (const text of [reference, 'NO93 8601 1117 947'])
      expect(await page.getByText(text).isVisible()).toBe(true);
    await site.service.delivered();
    expect(site.service.outbox.last('finn@example.com').text).toContain(reference);
    expect(view.problems).toEqual([]);
  });
});
