import { beforeAll, describe, expect, it } from 'vitest';
import { languages } from '../../src/text/language.ts';
import { sizes } from '../support/browser/browser.ts';
import { axeFindings } from '../support/browser/page-checks.ts';
import { walkPages } from '../support/browser/page-walk.ts';
import { password, resume, signIn, startSite } from '../support/browser/site.ts';
import { accountWalk, giveSeats, member, signInTv } from '../support/browser/walks/account.ts';
import { linkIn } from '../support/mails/outbox.ts';
import { useStarted } from '../support/use-service.ts';
import { visitor } from '../support/visitor.ts';

/** As much of an element as is looked at in the browser. */
interface Shown {
  readonly clientHeight: number;
}

const site = useStarted(startSite);
const walk = accountWalk(site);

beforeAll(walk.prepare);

walkPages({ site: () => site, part: 'account', ways: walk.ways, tenant: / – Acme$/ });

describe('the account pages without JavaScript', () => {
  const open = async (email: string, path = '', javaScript = false, own = false) => {
    const view = await site.browser.open({ javaScript, own });
    await signIn(view, site, email);
    await view.page.goto(`${site.issuer}/account${path}`);
    return view;
  };

  it('pages 1, 22: from the overview a TV is renamed, that is undone, and it is signed out', async () => {
    await signInTv(site, 'bo@example.com', 'play', { device_name: 'Kitchen' });
    const { page, close } = await open('bo@example.com');
    await page.getByRole('button', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'TVs and devices' }).click();
    const row = (name: string) => page.locator('.rows > li').filter({ hasText: name });
    await row('Kitchen').locator('summary').click();
    await row('Kitchen').getByLabel('Name of this device').fill('Grandma');
    await page.keyboard.press('Enter');
    await page.getByText('Renamed to Grandma.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Renamed to Kitchen.').waitFor();
    await row('Kitchen').getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Kitchen is signed out.').waitFor();
    expect(await row('Kitchen').count()).toBe(0);
    await close();
  });

  it('pages 3, 19: on a phone the menu opens from its button, as axe likes it, and leads on', async () => {
    const view = await open('bo@example.com', '', true);
    const { page, close } = view;
    const menu = page.getByRole('navigation', { name: 'Account pages' });
    const profile = menu.getByRole('link', { name: 'Profile' });
    expect(await profile.isVisible()).toBe(false);
    await menu.getByRole('button', { name: 'Overview' }).click();
    expect(await profile.isVisible()).toBe(true);
    expect(await axeFindings(view, 'all')).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await profile.isVisible()).toBe(false);
    await menu.getByRole('button', { name: 'Overview' }).press('Enter');
    await profile.click();
    await page.waitForURL('**/account/details');
    await page.setViewportSize(sizes.desk);
    expect(await menu.getByRole('button').count()).toBe(0);
    expect(await profile.getAttribute('aria-current')).toBe('page');
    await close();
  });

  it('pages 3: a word with a hyphen stays whole in a heading, as long as it fits', async () => {
    const { page, close } = await open('bo@example.com', '/two-step');
    const word = page.locator('h1 .whole').filter({ hasText: 'two-step' });
    for (let width = 320; width <= 400; width += 8) {
      await page.setViewportSize({ ...sizes.narrow, width });
      const lines = await word.evaluate((element) =>
        Math.round((element as never as Shown).clientHeight / 36),
      );
      expect(lines, `${width} px`).toBe(1);
    }
    expect(await page.getByRole('heading', { name: 'Turn on two-step sign-in', exact: true }).count()).toBe(
      1,
    );
    await close();
  });

  it('pages 3, 4: the menu holds its entries in every language', async () => {
    const { page, context, close } = await open('bo@example.com', '', true, true);
    await page.setViewportSize(sizes.desk);
    const browser = await context.newCDPSession(page);
    for (const tag of languages) {
      await browser.send('Emulation.setUserAgentOverride', { userAgent: '', acceptLanguage: tag });
      await page.goto(`${site.issuer}/account/devices`);
      const [lang, over] = await page.evaluate<readonly [string, number]>(`[
        document.documentElement.lang,
        [...document.querySelectorAll('.side a')].filter((link) => link.scrollWidth > link.clientWidth).length,
      ]`);
      expect([lang, over]).toEqual([tag, 0]);
    }
    await close();
  });

  it('pages 3, 4: a name from right to left leaves the sentence that it is in as it is', async () => {
    await giveSeats(site, 'huda@example.com');
    const { page, close } = await open('max@example.com', '/seats/join');
    const [name, next] = await page.evaluate<readonly [number, number]>(`(() => {
      const lines = [...document.querySelectorAll('.plan .soft')];
      const text = lines.find((line) => line.textContent.includes('\u0647')).firstChild;
      const leftOf = (index) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + 1);
        return range.getBoundingClientRect().left;
      };
      const end = text.data.indexOf('\u2069');
      return [leftOf(text.data.indexOf('\u0647')), leftOf(end + 2)];
    })()`);
    expect(name).toBeLessThan(next);
    await close();
  });

  it('pages 1, 18: details are changed, and the page says so', async () => {
    const { page, close } = await open('bo@example.com', '/details');
    await page.fill('#nickName', 'Bobo');
    await page.selectOption('#language', 'en');
    await page.click('button.primary');
    await page.getByText('Your details are saved.').waitFor();
    await page.setViewportSize(sizes.desk);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Hello, Bobo' }).waitFor();
    await close();
  });

  it('pages 3, 18, 22: with the keyboard alone a subscription is cancelled, and kept after all', async () => {
    const { page, close } = await open('gro+tv@example.com', '/subscriptions');
    await page.locator('main summary').focus();
    for (const key of ['Enter', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.getByText('Your subscription is cancelled.').waitFor();
    await page.getByText(/Ends on \w+ \d+, 2026/).waitFor();
    await page.locator('.notice').getByRole('button', { name: 'Keep it' }).press('Enter');
    await page.getByText('Your subscription continues.').waitFor();
    await page.getByText(/(?:Renews|Ends) on \w+ \d+, 2026/).waitFor();
    await close();
  });

  it('pages 3, 18: with the keyboard alone a consent is given', async () => {
    const { page, close } = await open('gro+tv@example.com', '/privacy');
    await page.locator('a[href="/account/consents"]').press('Enter');
    await page.getByRole('heading', { name: 'Consents' }).waitFor();
    const newsletter = page.getByLabel('Newsletter');
    await newsletter.focus();
    for (const key of ['Space', 'Enter']) await page.keyboard.press(key);
    await page.getByText('Your answers are saved.').waitFor();
    expect(await newsletter.isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(1);
    await close();
  });

  it('pages 3, 21: the holder of seats finds one by name or address, and a phone has room for a whole address', async () => {
    const view = await site.browser.open({ javaScript: false });
    const { page, close } = view;
    await resume(view, site, member);
    await walk.ways['seats, one found']?.go(view);
    expect(await page.locator('#seats .rows > li').count()).toBe(1);
    await page.getByRole('link', { name: 'Show all' }).click();
    expect(await page.locator('#seats .rows > li').count()).toBe(3);
    const lines = await page.evaluate(`[...document.querySelectorAll('#seats .row strong bdi')]
      .find(({ textContent }) => textContent === 'max@example.com').getClientRects().length`);
    expect(lines).toBe(1);
    await close();
  });

  it('pages 18: the data come as a file', async () => {
    const { page, close } = await open('bo@example.com', '/data');
    await page.fill('#currentPassword', password);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('button.primary')]);
    expect(download.suggestedFilename()).toBe('my-data.json');
    await close();
  });

  it('"it was not me" ends the session that the mail tells of, and leads to a new password', async () => {
    const foreign = visitor(site.service, new URL(site.issuer).host);
    const at = await foreign.authorize(
      Object.fromEntries(new URL(site.authorization({ prompt: 'login' })).searchParams),
    );
    await foreign.signIn(at, member);
    await site.service.delivered();
    const mail = site.service.outbox.sent.findLast(({ name }) => name === 'newBrowser');
    const { page, close } = await site.browser.open({ javaScript: false });
    await page.goto(linkIn(mail ?? { text: '' }));
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
    await page.getByRole('link', { name: 'Choose a new password' }).click();
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    expect((await foreign.send('/account')).status).toBe(303);
    await close();
  });
});
