import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { offerSetup } from '../../src/operations/service/first-admin.ts';
import { sizes, startBrowser, type TestBrowser, type View } from '../support/browser/browser.ts';
import { axeFindings } from '../support/browser/page-checks.ts';
import { useFreshService } from '../support/use-service.ts';

const service = useFreshService({ data: 'nothing', setupOffered: true });
let browser: TestBrowser;
let link: string;

beforeAll(async () => {
  browser = await startBrowser();
});
beforeEach(async () => {
  link = `http://localhost:${service.port}/setup/${await offerSetup(service.store, service.deps)}`;
});
afterEach(() => browser.closeViews());
afterAll(() => browser.close());

async function fillIn({ page }: View, password: string): Promise<void> {
  await page.fill('#tenantName', 'Example Post');
  await page.fill('#issuer', `http://localhost:${service.port}`);
  await page.fill('#fullName', 'Olga Operator');
  await page.fill('#email', 'olga@example.test');
  await page.fill('#password', password);
  await page.click('button.primary');
}

/** Looks at the page as it stands: small and large, light and dark. */
async function expectFit(view: View, name: string): Promise<void> {
  const { page } = view;
  for (const dark of [false, true]) {
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    expect(await axeFindings(view, dark ? 'of looks' : 'all'), `${name}, dark: ${dark}`).toEqual([]);
  }
  await page.setViewportSize(sizes.narrow);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(sizes.narrow.width);
  await page.setViewportSize(sizes.phone);
  expect(view.problems).toEqual([]);
}

describe('the set-up pages', () => {
  it('pages 2, 3, 6: the form, its errors and its last page are accessible and small', async () => {
    const view = await browser.open();
    await view.page.goto(link);
    await expectFit(view, 'form');
    expect(view.requests).toHaveLength(2);
    const script = await service.http('localhost', new URL(view.requests[1] ?? '').pathname);
    const size = Buffer.byteLength((await view.documents[0]?.text()) ?? '') + Buffer.byteLength(script.text);
    expect(size).toBeLessThan(20_000);

    await fillIn(view, 'too short');
    expect(await view.page.title()).toMatch(/^Error: /);
    expect(await view.page.locator('#password').getAttribute('aria-invalid')).toBe('true');
    await expectFit(view, 'errors');

    await fillIn(view, 'kvist og eld i skogen');
    await view.page.getByRole('heading', { name: 'Everything is set up' }).waitFor();
    await expectFit(view, 'done');
  });

  it('pages 1, 4: work without JavaScript, and in another language', async () => {
    const view = await browser.open({ javaScript: false });
    const { page } = view;
    await page.goto(link);
    await page.click('summary');
    await page.click('button[lang=nb]');
    await fillIn(view, 'for kort');
    expect(await page.locator('html').getAttribute('lang')).toBe('nb');
    await fillIn(view, 'kvist og eld i skogen');
    const portal = `http://localhost:${service.port}/admin`;
    expect(await page.locator(`a[href="${portal}"]`).count()).toBe(1);
  });
});
