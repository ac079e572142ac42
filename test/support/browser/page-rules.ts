import { expect, it } from 'vitest';
import { sizes, type View } from './browser.ts';
import { outlinesOfTabs } from './keyboard.ts';
import { axeFindings, htmlFindings } from './page-checks.ts';

/** A page that the rules hold for. */
export interface RuledPage {
  /** The page, shown before the first rule is held against it. */
  view(): View;
  /** An address of the service that Node can resolve too. */
  issuer(): string;
  /** What its title ends with: the tenant. */
  readonly tenant: RegExp;
  readonly isError: boolean;
  /** The language of the page; null where it is that of the member who sees it. */
  readonly language: 'ar' | 'en' | null;
}

const looks = [
  { size: 'phone', dark: false, flipped: false, rules: 'all' },
  { size: 'phone', dark: true, flipped: true, rules: 'of looks' },
  { size: 'desk', dark: true, flipped: false, rules: 'of looks' },
] as const;

/** Whether a page is in Arabic: it says so in its name. */
export const isArabic = (name: string) => name.includes('Arabic');

/** Lays the page out from the other side, or from its own again. */
const flip = `(() => {
  const { documentElement: root } = document;
  root.dir = root.dir === 'rtl' ? 'ltr' : 'rtl';
})()`;

/** How many things Tab leads to: of radio buttons of one name, to one alone. */
const countReachable = `(() => {
  const reachable = 'a[href], button:enabled, input:not([type=hidden]), select, summary';
  const seen = [...document.querySelectorAll(reachable)].filter((one) => one.checkVisibility());
  return new Set(seen.map((one) => (one.type === 'radio' ? one.name : one))).size;
})()`;

/** The width that a page takes from right to left and from left to right; then its own direction is back. */
export const widthsByDirection = `(() => {
  const { documentElement: root } = document;
  const own = root.dir;
  const widths = {};
  for (const dir of ['rtl', 'ltr']) {
    root.dir = dir;
    widths[dir] = root.scrollWidth;
  }
  root.dir = own;
  return widths;
})()`;

/** The rules that every page keeps, as tests: weight, HTML, title, width, axe, keyboard and policy (pages 1 to 6). */
export function pageRules({ view, issuer, tenant, isError, language }: RuledPage): void {
  it('pages 2: weighs under 20 KB and takes at most two requests', async () => {
    const { documents, requests } = view();
    const last = documents.at(-1);
    const after = requests.slice(requests.lastIndexOf(last?.url() ?? '') + 1);
    expect(after.length).toBeLessThanOrEqual(1);
    const [url] = after;
    const script = url === undefined ? null : await fetch(new URL(new URL(url).pathname, issuer()));
    const scriptBytes = (await script?.bytes())?.length ?? 0;
    const weight = Buffer.byteLength((await last?.text()) ?? '') + scriptBytes;
    expect(weight).toBeGreaterThan(2_000);
    expect(weight).toBeLessThan(20_000);
  });

  it('pages 1: is valid HTML', async () => {
    expect(await htmlFindings((await view().documents.at(-1)?.text()) ?? '')).toEqual([]);
  });

  it('pages 4 to 6: has one heading, its language and direction, and a title that names the tenant and an error', async () => {
    const { page } = view();
    const [headings, lang, dir, title] = await page.evaluate<readonly [number, string, string, string]>(`[
      document.querySelectorAll('h1').length,
      document.documentElement.lang,
      document.documentElement.dir,
      document.title,
    ]`);
    expect(headings).toBe(1);
    expect(lang).toBe(language ?? lang);
    expect(lang).not.toBe('');
    expect(dir).toBe(lang === 'ar' ? 'rtl' : 'ltr');
    expect(title.startsWith('Error: ')).toBe(isError);
    expect(title).toMatch(tenant);
  });

  it('pages 3: has no axe violations, light and dark, on a phone and a desk, in either direction', async () => {
    const { page } = view();
    for (const look of looks) {
      await page.setViewportSize(sizes[look.size]);
      await page.emulateMedia({ colorScheme: look.dark ? 'dark' : 'light' });
      await page.evaluate('document.activeElement.blur()');
      if (look.flipped) await page.evaluate(flip);
      expect(await axeFindings(view(), look.rules), JSON.stringify(look)).toEqual([]);
      if (look.flipped) await page.evaluate(flip);
    }
  });

  it('pages 3: shows where the keyboard is', async () => {
    const { page } = view();
    const all = await page.evaluate<number>(countReachable);
    // From the top, wherever a page has put the focus.
    await page.evaluate('document.body.tabIndex = -1; document.body.focus()');
    const outlines = await outlinesOfTabs(page, all);
    expect(outlines).toHaveLength(all);
    for (const outline of outlines) {
      expect(outline).toMatchObject({ style: 'solid' });
      expect(outline?.width).toBeGreaterThanOrEqual(2);
    }
  });

  it('pages 3: fits 320 px, a phone and 1280 px without sideways scroll, in either direction', async () => {
    const { page } = view();
    // The page is as wide as a desk now, and the next one begins on a phone.
    for (const size of [sizes.desk, sizes.narrow, sizes.phone]) {
      await page.setViewportSize(size);
      expect(await page.evaluate(widthsByDirection)).toEqual({ rtl: size.width, ltr: size.width });
    }
  });

  it('W1: breaks no rule of its own security policy, and no script fails', () => {
    expect(view().problems).toEqual([]);
  });
}
