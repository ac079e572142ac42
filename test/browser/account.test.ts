import { beforeAll, describe, expect, it } from 'vitest';
import { type Way, type Ways, walkPages } from '../support/browser/page-walk.ts';
import { password, registerClients, signIn, startSite } from '../support/browser/site.ts';
import { television } from '../support/browser/television.ts';
import { linkIn } from '../support/members/outbox.ts';
import { giveLongRecords } from '../support/records/long-records.ts';
import { useStarted } from '../support/use-service.ts';
import { visitor } from '../support/visitor.ts';

const site = useStarted(startSite);

/** Reads English, and has two TVs and two browsers. */
const member = 'ida@example.com';
const arabic = 'huda@example.com';
/** Reads German, whose words are the longest. */
const longMember = 'a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com';

beforeAll(async () => {
  const app = { type: 'public', deviceFlow: true } as const;
  const longName = `The ${'very'.repeat(11)} Long Name`;
  await registerClients(site.service, [
    { ...app, clientId: 'play', name: 'Acme Play' },
    { ...app, clientId: 'play-long', name: longName },
  ]);
  await giveLongRecords(site, longMember);
  for (const email of [member, arabic, longMember]) {
    await signInTv(email, 'play', { device_name: 'Living room', device_model: 'Telly 9' });
    await signInTv(email, 'play-long', {
      device_name: '<b>Mine</b> {{7*7}} <%= 1 %> '.padEnd(64, 'W'),
      device_model: `"><img src=x onerror=alert(1)> ${'\u0643\u062a\u0627\u0628 '.repeat(6)}`,
    });
  }
});

/** Approves a TV in a browser of the member's, and lets it fetch its tokens. */
async function signInTv(email: string, clientId: string, more: Record<string, string>): Promise<void> {
  const tv = await television(site.issuer, clientId);
  const view = await site.browser.open();
  await signIn(view, site, email);
  const codes = await tv.requestCode(more);
  await view.page.goto(codes.verification_uri_complete);
  await view.page.click('button[value=approve]');
  await view.page.waitForLoadState();
  await view.context.close();
  const answer = await site.service.http(new URL(site.issuer).host, '/api/oidc/token', {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: clientId,
      device_code: codes.device_code,
    },
  });
  expect(answer.status, answer.text).toBe(200);
}

const at = (path: string, email = member): Way => ({
  email,
  go: ({ page }) => page.goto(`${site.issuer}/account${path}`),
});

/** A page of a form that was sent with these fields. */
const sent = (path: string, fields: Record<string, string>): Way => ({
  email: member,
  go: async ({ page }) => {
    await page.goto(`${site.issuer}/account/${path}`);
    for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
    await page.click('button.primary');
    await page.waitForLoadState();
  },
});

const notMe: Way = {
  email: member,
  go: async ({ page }) => {
    await signIn(await site.browser.open(), site, member);
    await site.service.delivered();
    const mail = site.service.outbox.sent.findLast(({ name }) => name === 'newBrowser');
    if (mail === undefined) throw new Error('no notice');
    await page.goto(linkIn(mail));
  },
};

/** Each page of the account area, and how a signed-in member comes to see it. */
const ways: Ways = {
  overview: at('', 'ada@example.com'),
  'overview after a change': {
    email: member,
    go: async (view) => {
      await view.page.goto(`${site.issuer}/account/details`);
      await view.page.click('main button.primary');
      await view.page.waitForURL('**/account');
    },
  },
  'overview of an account to be deleted': {
    email: 'kim@example.com',
    go: async (view) => {
      await sent('delete', { currentPassword: password }).go(view);
      await view.page.goto(`${site.issuer}/account`);
    },
  },
  'overview, Arabic': at('', arabic),
  'overview, long': at('', longMember),
  devices: at('/devices'),
  'devices, Arabic': at('/devices', arabic),
  'devices, long': at('/devices', longMember),
  'devices, none': at('/devices', 'max@example.com'),
  'devices with an error': {
    email: member,
    go: async ({ page }) => {
      await page.goto(`${site.issuer}/account/devices`);
      await page.locator('summary').first().click();
      await page.locator('input[name=label]').first().fill('x'.repeat(61));
      await page.locator('button[value=rename]').first().click();
      await page.waitForLoadState();
    },
  },
  sessions: at('/sessions'),
  'sessions, Arabic': at('/sessions', arabic),
  'subscriptions, about to cancel': {
    email: 'dee@example.com',
    go: async ({ page }) => {
      await page.goto(`${site.issuer}/account/subscriptions`);
      await page.locator('summary').click();
    },
  },
  'subscriptions, Arabic': at('/subscriptions', arabic),
  'subscriptions, long': at('/subscriptions', longMember),
  consents: at('/consents'),
  'consents after saving, Arabic': {
    email: arabic,
    go: async ({ page }) => {
      await page.goto(`${site.issuer}/account/consents`);
      await page.locator('input[type=checkbox]').first().check();
      await page.click('button.primary');
    },
  },
  'consents, long': at('/consents', longMember),
  details: at('/details', 'ada@example.com'),
  'details with an error': sent('details', { fullName: '', phone: '12', country: 'Atlantis' }),
  'details, Arabic': at('/details', arabic),
  email: at('/email'),
  'email with an error': sent('email', { email: 'no address' }),
  'email, digits': sent('email', { email: 'ida.new@example.com', currentPassword: password }),
  'email, link': {
    email: member,
    go: async (view) => {
      await sent('email', { email: 'ida.link@example.com', currentPassword: password }).go(view);
      await site.service.delivered();
      await view.page.goto(linkIn(site.service.outbox.last('ida.link@example.com')));
    },
  },
  password: at('/password'),
  'password with an error': sent('password', { currentPassword: 'wrong', password: 'short' }),
  data: at('/data'),
  delete: at('/delete'),
  'not me': notMe,
  'not me, signed out': {
    email: member,
    go: async (view) => {
      await notMe.go(view);
      await view.page.click('button.danger');
      await view.page.waitForLoadState();
    },
  },
};

walkPages({ site: () => site, part: 'account', ways, tenant: / – Acme$/ });

describe('the account pages without JavaScript', () => {
  it('pages 1: from the overview a TV is renamed and signed out', async () => {
    await signInTv('bo@example.com', 'play', { device_name: 'Kitchen' });
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await signIn(view, site, 'bo@example.com');
    await page.goto(`${site.issuer}/account`);
    await page.getByRole('link', { name: 'My TVs and apps' }).click();
    const card = page.locator('.cards > li').filter({ hasText: 'Kitchen' });
    await card.getByText('Rename').click();
    await card.getByLabel('Name of this device').fill('Grandma');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Grandma' }).waitFor();
    expect(await page.locator('[role=status]').textContent()).toBe('The name is saved.');
    await page
      .locator('.cards > li')
      .filter({ hasText: 'Grandma' })
      .getByRole('button', { name: 'Sign out', exact: true })
      .click();
    await page.getByText('Signed out.').waitFor();
    expect(await page.getByRole('heading', { name: 'Grandma' }).count()).toBe(0);
    await view.context.close();
  });

  it('pages 1, 18: details are changed, and the page says so', async () => {
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await signIn(view, site, 'bo@example.com');
    await page.goto(`${site.issuer}/account/details`);
    await page.fill('#fullName', 'Bo Bergman');
    await page.selectOption('#language', 'en');
    await page.click('button.primary');
    await page.getByText('Hello Bo Bergman').waitFor();
    await view.context.close();
  });

  it('pages 3, 18: with the keyboard alone a subscription is cancelled, and kept after all', async () => {
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await signIn(view, site, 'gro+tv@example.com');
    await page.goto(`${site.issuer}/account/subscriptions`);
    for (const key of ['Tab', 'Tab', 'Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByText('Your subscription is cancelled.').waitFor();
    await page.getByText(/Ends on \w+ \d+, 2026 – will not be renewed/).waitFor();
    for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByText('Your subscription goes on.').waitFor();
    await page.getByText(/Runs until \w+ \d+, 2026/).waitFor();
    await view.context.close();
  });

  it('pages 3, 18: with the keyboard alone a consent is given', async () => {
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await signIn(view, site, 'gro+tv@example.com');
    await page.goto(`${site.issuer}/account`);
    await page.getByRole('link', { name: 'My consents' }).press('Enter');
    await page.getByRole('heading', { name: 'My consents' }).waitFor();
    const newsletter = page.getByLabel('Newsletter');
    await newsletter.focus();
    for (const key of ['Space', 'Enter']) await page.keyboard.press(key);
    await page.getByText('Your answers are saved.').waitFor();
    expect(await newsletter.isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(1);
    await view.context.close();
  });

  it('pages 18: the data come as a file', async () => {
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await signIn(view, site, 'bo@example.com');
    await page.goto(`${site.issuer}/account/data`);
    await page.fill('#currentPassword', password);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('button.primary')]);
    expect(download.suggestedFilename()).toBe('my-data.json');
    await view.context.close();
  });

  it('"it was not me" ends the session that the mail tells of, and leads to a new password', async () => {
    const foreign = visitor(site.service, new URL(site.issuer).host);
    const at = await foreign.authorize(
      Object.fromEntries(new URL(site.authorization({ prompt: 'login' })).searchParams),
    );
    await foreign.signIn(at, member);
    await site.service.delivered();
    const mail = site.service.outbox.sent.findLast(({ name }) => name === 'newBrowser');
    const { page, context } = await site.browser.open({ javaScript: false });
    await page.goto(linkIn(mail ?? { text: '' }));
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'It is signed out' }).waitFor();
    await page.getByRole('link', { name: 'Choose a new password' }).click();
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    expect((await foreign.send('/account')).status).toBe(303);
    await context.close();
  });
});
