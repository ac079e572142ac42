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
}

/** The width that a page takes from right to left and from left to right; then its own direction is back. */
const widthsByDirection = `(() => {
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
export function pageRules({ view, issuer, tenant, isError }: RuledPage): void {
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

  it('pages 4 to 6: has one heading and a title that names the tenant, and says so if it is an error', async () => {
    const { page } = view();
    expect(await page.evaluate(`document.querySelectorAll('h1').length`)).toBe(1);
    const title = await page.title();
    expect(title.startsWith('Error: ')).toBe(isError);
    expect(title).toMatch(tenant);
  });

  it('pages 3: fits 320 px, a phone and 1280 px without sideways scroll, in either direction', async () => {
    const { page } = view();
    for (const size of [sizes.narrow, sizes.phone, sizes.desk]) {
      await page.setViewportSize(size);
      expect(await page.evaluate(widthsByDirection)).toEqual({ rtl: size.width, ltr: size.width });
    }
  });

  it('pages 3: has no axe violations, light and dark, on a phone and a desk', async () => {
    const { page } = view();
    for (const [size, dark, rules] of [
      ['phone', false, 'all'],
      ['phone', true, 'of looks'],
      ['desk', true, 'of looks'],
    ] as const) {
      await page.setViewportSize(sizes[size]);
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      expect(await axeFindings(view(), rules), `${size} ${dark}`).toEqual([]);
    }
  });

  it('pages 3: shows where the keyboard is', async () => {
    const { page } = view();
    const reachable = 'a[href], button, input:not([type=hidden]), select, summary';
    const all = await page.evaluate<number>(`document.querySelectorAll('${reachable}').length`);
    const outlines = await outlinesOfTabs(page, all);
    expect(outlines).toHaveLength(all);
    for (const outline of outlines) {
      if (outline === null) continue;
      expect(outline.style).toBe('solid');
      expect(outline.width).toBeGreaterThanOrEqual(2);
    }
  });

  it('W1: breaks no rule of its own security policy, and no script fails', () => {
    expect(view().problems).toEqual([]);
  });
}
