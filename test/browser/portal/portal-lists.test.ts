import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { portalListLength } from '../../../src/core/operators/limits.ts';
import type { sizes } from '../../support/browser/browser.ts';
import { password, startSite } from '../../support/browser/site.ts';
import { run } from '../../support/operators/desk.ts';
import { portalOf } from '../../support/operators/portal.ts';
import { useStarted } from '../../support/use-service.ts';

const site = useStarted(startSite);
let host: string;
const cookies: Record<string, ReadonlyMap<string, string>> = {};

beforeAll(async () => {
  host = new URL(site.issuer).host;
  for (const name of ['sam', 'tina']) {
    cookies[name] = (await portalOf(site.service, host, `${name}@example.com`, password)).cookies;
  }
});
afterEach(() => site.browser.closeViews());

/** Opens a page of the portal as an administrator. */
async function open(name: 'sam' | 'tina', path: string, { size = 'desk', javaScript = false } = {}) {
  const view = await site.browser.open({ size: size as keyof typeof sizes, javaScript });
  const session = [...(cookies[name] ?? [])];
  await view.context.addCookies(
    session.map(([cookie, value]) => ({ name: cookie, value, url: site.issuer, httpOnly: true })),
  );
  await view.page.goto(`${site.issuer}/admin/tenants/${host}${path}`);
  return view;
}

describe('pages 21: the rail of the portal', () => {
  it('is a menu on a phone, which opens and closes without JavaScript, by the keyboard too', async () => {
    const { page } = await open('sam', '/members', { size: 'phone' });
    const members = page.locator('.rail').getByRole('link', { name: 'Clients', exact: true });
    expect(await members.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).press('Enter');
    expect(await members.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await members.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await members.click();
    await page.getByRole('heading', { level: 1, name: 'Clients' }).waitFor();
    expect(await members.isVisible()).toBe(false);
  });

  it('switches between tenants for those who have several', async () => {
    const { page } = await open('sam', '');
    await page.locator('.switch summary').click();
    await page
      .locator('.switch')
      .getByRole('link', { name: /^Globex/ })
      .click();
    await page.locator('.switch .names').getByText('Globex').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/admin/tenants/127.0.0.1:${site.service.port}`);
    const other = await open('tina', '');
    expect(await other.page.locator('.switch summary').count()).toBe(0);
    expect(await other.page.locator('.rail').textContent()).not.toContain('Globex');
  });

  it('leads to the search by the key "/", and leaves it to fields', async () => {
    const { page, problems } = await open('sam', '/members', { javaScript: true });
    await page.keyboard.press('/');
    await page.keyboard.type('ada/');
    expect(await page.locator('.find input').inputValue()).toBe('ada/');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?|\/members\//);
    expect(problems).toEqual([]);
  });
});

describe('pages 21: entries of a list that are chosen', () => {
  it('are counted, all or some, and what can be done to them shows with the first', async () => {
    const { page, problems } = await open('sam', '/members?sort=email', { javaScript: true });
    const acting = page.locator('.acting');
    expect(await acting.isVisible()).toBe(false);
    await page.getByLabel('Select ada@example.com').check();
    expect(await acting.textContent()).toContain('1 selected:');
    await page.getByLabel('Select all').check();
    const boxes = await page.locator('input[name=entry]').count();
    expect(await acting.textContent()).toContain(`${boxes} selected:`);
    await page.getByLabel('Select all').uncheck();
    expect(await acting.isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  it('are all that match on every page by one box, until one of the page is left out', async () => {
    for (let made = 0; made <= portalListLength; made += 1) {
      await run(site.service, 'members.create', {
        tenant: host,
        email: `paged${made}@example.test`,
        fullName: 'P',
      });
    }
    const { page, problems } = await open('sam', '/members?search=paged', { javaScript: true });
    const first = page.locator('input[name=entry]').first();
    await first.check();
    const every = page.getByLabel('All members that match');
    await every.check();
    expect(await page.locator('.acting').textContent()).toContain('All that match:');
    expect(await page.locator('input[name=entry]:not(:checked)').count()).toBe(0);
    await first.uncheck();
    expect(await every.isChecked()).toBe(false);
    expect(await page.locator('.acting').textContent()).toContain(`${portalListLength - 1} selected:`);
    await every.check();
    await page.getByRole('button', { name: 'Disable' }).click();
    const heading = `Disable ${portalListLength + 1} members?`;
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    expect(problems).toEqual([]);
  });

  it('are done to without JavaScript, after a question that names them', async () => {
    const { page } = await open('tina', '/members?search=eve', { size: 'phone' });
    await page.getByLabel('Select eve@example.com').check();
    await page.getByRole('button', { name: 'Enable' }).click();
    expect(await page.getByRole('status').textContent()).toContain('1 member enabled.');
    await page.getByLabel('Select eve@example.com').check();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('heading', { level: 1, name: 'Disable 1 member?' }).waitFor();
    expect(await page.locator('main').textContent()).toContain('eve@example.com');
    await page.getByRole('button', { name: 'Disable 1 member' }).click();
    expect(await page.getByRole('status').textContent()).toContain('1 member disabled.');
  });
});

it('pages 19: a page of the portal stands in the middle of what a very wide screen leaves beside the rail', async () => {
  const { page } = await open('sam', '/members');
  await page.setViewportSize({ width: 1_920, height: 1_080 });
  const rail = await page.locator('.rail').boundingBox();
  await expect
    .poll(async () => {
      const main = await page.locator('main').boundingBox();
      const left = (main?.x ?? 0) - (rail?.width ?? 0);
      const right = 1_920 - (main?.x ?? 0) - (main?.width ?? 0);
      return [Math.abs(left - right) <= 2, left < 100];
    })
    .toEqual([true, true]);
});

it('pages 3: a table fits beside the rail at every width, and becomes a card for each entry where it cannot', async () => {
  const { page } = await open('sam', '/members');
  for (const width of [320, 700, 820, 960, 1_100, 1_440]) {
    await page.setViewportSize({ width, height: 700 });
    expect([width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([width, width]);
    // A browser that is busy lays the page out a moment after its size has changed.
    const row = page.locator('tbody tr').first();
    await expect
      .poll(async () => (await row.boundingBox())?.height, { message: `${width}` })
      .toBeLessThan(300);
  }
});
