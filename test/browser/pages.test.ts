import { beforeAll, describe, expect, it } from 'vitest';
import { sizes, type View } from '../support/browser/browser.ts';
import { outlinesOfTabs } from '../support/browser/keyboard.ts';
import { axeFindings, htmlFindings } from '../support/browser/page-checks.ts';
import { hostedPages, startSite } from '../support/browser/site.ts';
import { memberPages } from '../support/members/pages/member-pages.ts';
import { pageWeight } from '../support/members/pages/page-weight.ts';
import { useStarted } from '../support/use-service.ts';

const pages = { ...hostedPages, ...memberPages };

const site = useStarted(startSite);
let view: View;

beforeAll(async () => {
  view = await site.browser.open();
});

const looks = [
  { size: 'phone', dark: false, flipped: false, rules: 'all' },
  { size: 'phone', dark: true, flipped: true, rules: 'of looks' },
  { size: 'desk', dark: true, flipped: false, rules: 'of looks' },
] as const;

const languageOf = (name: string) => (name.includes('Arabic') ? ['ar', 'rtl'] : ['en', 'ltr']);

interface Root {
  readonly lang: string | null;
  readonly dir: string | null;
  readonly headings: number;
}

/** Lays the page out as if its language ran this way. */
const direct = (direction: string | undefined) =>
  view.page.evaluate(`document.documentElement.dir = '${direction}'`);

async function show(name: string, { size, dark, flipped }: (typeof looks)[number]) {
  await view.page.setViewportSize(sizes[size]);
  await view.page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  const own = languageOf(name)[1];
  await direct(flipped ? { ltr: 'rtl', rtl: 'ltr' }[String(own)] : own);
  await view.page.evaluate('document.activeElement.blur()');
}

describe.each(Object.keys(pages))('the page "%s"', (name) => {
  beforeAll(async () => {
    await view.renew();
    await pages[name]?.(view, site);
    await view.page.waitForLoadState();
  });
  it('pages 2: weighs under 20 KB and takes at most two requests', async () => {
    const { documents, requests } = view;
    const own = requests.filter((url) => url.startsWith(site.issuer));
    const last = own.lastIndexOf(documents.at(-1)?.url() ?? '');
    const after = own.slice(last + 1);
    expect(after.length).toBeLessThanOrEqual(1);
    const html = (await documents.at(-1)?.text()) ?? '';
    expect(await pageWeight(site.service, new URL(site.issuer).host, html)).toBeLessThan(20_000);
  });

  it('pages 1: is valid HTML', async () => {
    expect(await htmlFindings((await view.documents.at(-1)?.text()) ?? '')).toEqual([]);
  });

  it('pages 4, 5: names the tenant in its title, its language and its direction', async () => {
    const { page } = view;
    const isError = /error|wrong|nothing|stale|not found/.test(name);
    expect(await page.title()).toMatch(isError ? /^Error: .+ – Acme$/ : /^(?!Error).+ – Acme$/);
    const { lang, dir, headings } = await page.evaluate<Root>(`({
      lang: document.documentElement.getAttribute('lang'),
      dir: document.documentElement.getAttribute('dir'),
      headings: document.querySelectorAll('h1').length,
    })`);
    expect([lang, dir]).toEqual(languageOf(name));
    expect(headings).toBe(1);
  });

  it('pages 3: shows where the keyboard is', async () => {
    const { page } = view;
    const reachable = 'a[href], button:enabled, input:not([type=hidden]), summary';
    const all = await page.evaluate<number>(
      `[...document.querySelectorAll('${reachable}')].filter((one) => one.checkVisibility()).length`,
    );
    // From the top, wherever a page has put the focus.
    await page.evaluate('document.body.tabIndex = -1; document.body.focus()');
    const outlines = await outlinesOfTabs(page, all);
    expect(outlines).toHaveLength(all);
    for (const outline of outlines) {
      expect(outline).toMatchObject({ style: 'solid' });
      expect(outline?.width).toBeGreaterThanOrEqual(2);
    }
  });

  it('pages 3: fits 320 px without sideways scroll', async () => {
    const { page } = view;
    await page.setViewportSize(sizes.narrow);
    for (const dir of ['rtl', 'ltr']) {
      await direct(dir);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(sizes.narrow.width);
    }
  });

  it('pages 3: has no axe violations, light and dark, on a phone and a desk, in either direction', async () => {
    for (const look of looks) {
      await show(name, look);
      expect(await axeFindings(view, look.rules), JSON.stringify(look)).toEqual([]);
    }
  });

  it('W1: breaks no rule of its own security policy, and no script fails', () => {
    expect(view.problems).toEqual([]);
  });
});
