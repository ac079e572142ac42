import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { surfaces } from '../../src/http/admin/portal/preview/surfaces.ts';
import { sizes, type View } from '../support/browser/browser.ts';
import { axeFindings, htmlFindings } from '../support/browser/page-checks.ts';
import { password, startSite } from '../support/browser/site.ts';
import { plainLogo } from '../support/members/pages/logos.ts';
import { run } from '../support/operators/desk.ts';
import { type PortalVisitor, portalOf } from '../support/operators/portal.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
let admin: PortalVisitor;
let look: string;
let host: string;

beforeAll(async () => {
  host = new URL(site.issuer).host;
  admin = await portalOf(site.service, host, 'tina@example.com', password);
  look = `${site.issuer}/admin/tenants/${host}/+change/look`;
});
async function open(address: string, javaScript: boolean): Promise<View> {
  const view = await site.browser.open({ size: 'desk', javaScript });
  await view.context.addCookies(
    [...admin.cookies].map(([name, value]) => ({ name, value, url: site.issuer, httpOnly: true })),
  );
  await view.page.goto(address);
  return view;
}

const stored = () =>
  run<{ brandColor: string; logo: string | null }>(site.service, 'tenants.read', { tenant: host });

interface Styles {
  getComputedStyle(element: unknown): { readonly backgroundColor: string };
}

/** A page in the preview, in one of the two looks. */
const seen = ({ page }: View, look: 'light' | 'dark') =>
  page.frameLocator('iframe[name=preview]').frameLocator(`iframe[title$="in ${look}"]`);

const colorOf = (view: View, look: 'light' | 'dark', selector = 'button.primary') =>
  seen(view, look)
    .locator(selector)
    .evaluate((element) => (globalThis as never as Styles).getComputedStyle(element).backgroundColor);

const logo = {
  name: 'logo.svg',
  mimeType: 'image/svg+xml',
  buffer: Buffer.from(plainLogo.slice(plainLogo.indexOf(',') + 1), 'base64'),
};

describe('the editor of a tenant’s look', () => {
  afterEach(async () => {
    const plain = { brandColor: '#1f5fbf', logo: null, coverText: null };
    await run(site.service, 'tenants.change', { tenant: host, ...plain });
    await site.browser.closeViews();
  });

  it('shows what it makes of pages and mails in light and dark before it is saved, without script', async () => {
    const before = await stored();
    const view = await open(look, false);
    const { page } = view;
    expect(await colorOf(view, 'light')).toBe('rgb(31, 95, 191)');
    expect(await colorOf(view, 'dark', 'body')).not.toBe(await colorOf(view, 'light', 'body'));
    await page.getByLabel('Colour', { exact: true }).fill('#0b7a4b');
    await page.getByLabel('Logo').setInputFiles(logo);
    await page.getByLabel('Sentence on the cover').fill('Every screen.');
    await page.getByRole('button', { name: 'Show it' }).click();
    await seen(view, 'light').locator('img.logo').waitFor();
    expect(await colorOf(view, 'light')).toBe('rgb(11, 122, 75)');
    await page.getByLabel('Desktop').check();
    await page.getByRole('button', { name: 'Show it' }).click();
    await seen(view, 'dark').getByText('Every screen.').waitFor();
    await page.getByLabel('Show', { exact: true }).selectOption('Your receipt');
    await page.getByRole('button', { name: 'Show it' }).click();
    await seen(view, 'dark').getByText('Ada Nilsen').waitFor();
    expect(await stored()).toEqual(before);
    // The editor itself was not left: what was chosen is still there to be saved.
    await page.getByRole('button', { name: 'Save changes' }).click();
    expect(await page.getByRole('status').textContent()).toContain('Look and text saved.');
    expect(await stored()).toMatchObject({ brandColor: '#0b7a4b', logo: plainLogo });
  });

  it('pages 5: says that a colour is too pale, names the nearest that is not, and shows the former one', async () => {
    const view = await open(look, false);
    await view.page.getByLabel('Colour', { exact: true }).fill('#ffff66');
    await view.page.getByRole('button', { name: 'Show it' }).click();
    const told = view.page.frameLocator('iframe[name=preview]').getByRole('listitem');
    expect(await told.textContent()).toMatch(
      /#ffff66 cannot be told from a white page.*#[0-9a-f]{6} would do\./,
    );
    expect(await colorOf(view, 'light')).toBe('rgb(31, 95, 191)');
  });

  it('follows what is chosen by itself where script runs, and makes a picture that is too heavy smaller', async () => {
    const view = await open(look, true);
    const { page } = view;
    await page.getByLabel('Colour, picker').fill('#8a3ffc');
    expect(await page.getByLabel('Colour', { exact: true }).inputValue()).toBe('#8a3ffc');
    await expect.poll(() => colorOf(view, 'light')).toBe('rgb(138, 63, 252)');
    await page.getByLabel('Colour', { exact: true }).fill('#112233');
    expect(await page.getByLabel('Colour, picker').inputValue()).toBe('#112233');
    const photo = (await page.screenshot({ type: 'png' })) as Buffer;
    expect(photo.length).toBeGreaterThan(20_000);
    await page.getByLabel('Logo').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: photo });
    await seen(view, 'light').locator('img.logo').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('status').waitFor();
    const { logo: kept } = await stored();
    expect(kept).toMatch(/^data:image\/webp;base64,/);
    expect(view.problems).toEqual([]);
  });

  it('A17, U24: shows no other tenant, and stands in no page of another site', async () => {
    const other = `127.0.0.1:${site.service.port}`;
    const preview = (tenant: string) => admin.send(`/admin/tenants/${tenant}/+change/look/preview`);
    expect((await preview(other)).status).toBe(404);
    expect((await preview(host)).headers).toMatchObject({
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy': expect.stringMatching(
        /default-src 'none'.*form-action 'none'.*frame-ancestors 'self'.*sandbox$/,
      ),
    });
  });
});

describe('the preview of each page and mail', () => {
  const looks = ['light', 'dark'].map((look) => expect.stringMatching(`in ${look}$`));
  const titles = '[...document.querySelectorAll("iframe")].map(({ title }) => title)';
  let view: View;
  beforeAll(async () => {
    view = await open(look, true);
  });

  it.each(surfaces)('pages 3: its preview of "$name" is whole, and fits 320 px', async ({ name }) => {
    const { page, documents, problems } = view;
    for (const size of ['phone', 'wide']) {
      await page.setViewportSize(sizes.narrow);
      await page.goto(`${look}/preview?surface=${name}&size=${size}`);
      expect(await htmlFindings((await documents.at(-1)?.text()) ?? '')).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(sizes.narrow.width);
      expect(await page.evaluate(titles)).toEqual(looks);
      // A locator would bring Playwright's own script into each frame, which takes longer than to show it.
      const texts = page
        .mainFrame()
        .childFrames()
        .map((frame) => frame.evaluate('document.body.textContent'));
      expect(await Promise.all(texts)).toEqual(looks.map(() => expect.stringContaining('Acme')));
    }
    expect(problems).toEqual([]);
  });
});

it('the preview itself has no axe violations', async () => {
  const view = await open(look, true);
  for (const dark of [false, true]) {
    await view.page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    expect(await axeFindings(view, dark ? 'of looks' : 'all')).toEqual([]);
  }
});
