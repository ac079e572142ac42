import { beforeAll, describe, expect, it } from 'vitest';
import { walkPages } from '../support/browser/page-walk.ts';
import { password, signIn, startSite } from '../support/browser/site.ts';
import { accountWalk, member, signInTv } from '../support/browser/walks/account.ts';
import { linkIn } from '../support/members/outbox.ts';
import { useStarted } from '../support/use-service.ts';
import { visitor } from '../support/visitor.ts';

const site = useStarted(startSite);
const walk = accountWalk(site);

beforeAll(walk.prepare);

walkPages({ site: () => site, part: 'account', ways: walk.ways, tenant: / – Acme$/ });

describe('the account pages without JavaScript', () => {
  it('pages 1: from the overview a TV is renamed and signed out', async () => {
    await signInTv(site, 'bo@example.com', 'play', { device_name: 'Kitchen' });
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
    // Past "Sign out" in the bar and the way back.
    for (const key of ['Tab', 'Tab', 'Tab', 'Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByText('Your subscription is cancelled.').waitFor();
    await page.getByText(/Ends on \w+ \d+, 2026 – will not be renewed/).waitFor();
    for (const key of ['Tab', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
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
