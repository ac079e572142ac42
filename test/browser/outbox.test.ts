import { beforeAll, describe, expect, it } from 'vitest';
import { sizes } from '../support/browser/browser.ts';
import { axeFindings, htmlFindings } from '../support/browser/page-checks.ts';
import { startSite } from '../support/browser/site.ts';
import { outboxWalk } from '../support/browser/walks/outbox.ts';
import { goWay, type Way } from '../support/browser/way.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
const walk = outboxWalk(site);

beforeAll(walk.prepare);

describe('the outbox', () => {
  it.each(Object.entries(walk.ways))(
    'pages 1, 3: "%s" is valid, has no axe violations, and fits 320 px',
    async (_, way) => {
      const view = await site.browser.open({ size: 'desk' });
      await goWay(view, site, way);
      const { page, close, documents, problems } = view;
      const [own] = documents.filter((shown) => shown.url() === page.url());
      expect(await htmlFindings((await own?.text()) ?? '')).toEqual([]);
      for (const dark of [false, true]) {
        await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
        expect(await axeFindings(view, dark ? 'of looks' : 'all')).toEqual([]);
      }
      await page.setViewportSize(sizes.narrow);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(sizes.narrow.width);
      expect(problems).toEqual([]);
      await close();
    },
  );

  it('shows a mail with its styles, copies its code, and leads on from its button', async () => {
    const view = await site.browser.open({ size: 'desk' });
    const { page, close } = view;
    await goWay(view, site, walk.ways.mail as Way);
    await view.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy: Code' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('123 456');
    const button = page.frameLocator('iframe').getByRole('link', { name: 'Confirm' }).first();
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await button.click();
    await page.waitForURL('**/sign-up/confirm/the-secret');
    await close();
  });
});
