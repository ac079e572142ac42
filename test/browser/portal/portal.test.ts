import { beforeAll, describe, expect, it } from 'vitest';
import { sizes, type View } from '../../support/browser/browser.ts';
import { outlinesOfTabs } from '../../support/browser/keyboard.ts';
import { axeFindings, htmlFindings } from '../../support/browser/page-checks.ts';
import { startSite } from '../../support/browser/site.ts';
import { portalWalk } from '../../support/browser/walks/portal.ts';
import { goWay } from '../../support/browser/way.ts';
import { useStarted } from '../../support/use-service.ts';

const site = useStarted(startSite);
const walk = portalWalk(site);
let view: View;

const cutOff = `[...document.querySelectorAll('main :is(a, button, input, summary)')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().left < 0)
  .map(({ textContent }) => textContent)`;

/** The choices and buttons of one word that stand on more than one line. */
const brokenWords = `[...document.querySelectorAll('.choice label, .acts .button')].filter((label) => {
  const text = label.firstChild;
  if (!label.checkVisibility() || text === null || /\\s/.test(text.textContent.trim())) return false;
  const range = document.createRange();
  range.selectNodeContents(text);
  return range.getClientRects().length > 1;
}).map((label) => label.textContent)`;

beforeAll(async () => {
  await walk.prepare();
  view = await site.browser.open({ size: 'desk' });
});

describe.each(Object.entries(walk.ways))('the portal page "%s"', (name, way) => {
  beforeAll(async () => {
    // The page of an import at work asks how far it is: what is asked here is of the next page alone.
    await view.page.goto('about:blank');
    await view.renew();
    await goWay(view, site, way);
  });

  it('weighs under 60 KB and takes at most two requests', async () => {
    const { documents, requests } = view;
    const after = requests.slice(requests.lastIndexOf(documents.at(-1)?.url() ?? '') + 1);
    expect(after.length).toBeLessThanOrEqual(1);
    const script = await site.service.http(new URL(site.issuer).host, new URL(after[0] ?? '').pathname);
    const html = (await documents.at(-1)?.text()) ?? '';
    expect(Buffer.byteLength(html) + Buffer.byteLength(script.text)).toBeLessThan(60_000);
  });

  it('pages 1: is valid HTML', async () => {
    expect(await htmlFindings((await view.documents.at(-1)?.text()) ?? '')).toEqual([]);
  });

  it('pages 4 to 6: is in English, has one heading, and a title that says so if it is an error', async () => {
    const { page } = view;
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    expect(await page.evaluate(`document.querySelectorAll('h1').length`)).toBe(1);
    expect(await page.title()).toMatch(
      name.includes('error') ? /^Error: .+ – Acme$/ : /^(?!Error).+ – Acme$/,
    );
    if (/with an error/.test(name)) {
      const target = await page.locator('.summary a').first().getAttribute('href');
      expect(await page.locator(String(target)).count()).toBe(1);
    }
  });

  it('pages 3: has no axe violations and no sideways scroll, from 320 px to a desk, light and dark', async () => {
    const { page } = view;
    for (const [size, dark] of [
      ['desk', false],
      ['narrow', true],
      ['phone', false],
    ] as const) {
      await page.setViewportSize(sizes[size]);
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      expect([size, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        size,
        sizes[size].width,
      ]);
      // What hangs out at the start cannot be scrolled to.
      expect(await page.evaluate(cutOff), size).toEqual([]);
      if (size !== 'phone') expect(await axeFindings(view), `${size} ${dark}`).toEqual([]);
    }
  });

  it('pages 3: breaks no word that is a choice or a button, on a phone and on a desk', async () => {
    const { page } = view;
    for (const size of ['phone', 'desk'] as const) {
      await page.setViewportSize(sizes[size]);
      expect(await page.evaluate(brokenWords), size).toEqual([]);
    }
  });

  it('pages 3: shows where the keyboard is', async () => {
    const { page } = view;
    const reachable = 'a[href], button, input:not([type=hidden]), select, textarea';
    const all = await page.evaluate<number>(`document.querySelectorAll('${reachable}').length`);
    const presses = Math.min(all, 30);
    const outlines = await outlinesOfTabs(page, presses);
    expect(outlines).toHaveLength(presses);
    for (const outline of outlines) {
      if (outline !== null) expect(outline).toMatchObject({ style: 'solid', width: 3 });
    }
  });

  it('W1: breaks no rule of its own security policy, and no script fails', () => {
    expect(view.problems).toEqual([]);
  });
});
