import { beforeAll, describe, expect, it } from 'vitest';
import { banner } from '../../src/operations/development/banner.ts';
import type { View } from '../support/browser/browser.ts';
import { axeFindings, htmlFindings } from '../support/browser/page-checks.ts';
import { widthsByDirection } from '../support/browser/page-rules.ts';
import { startSite } from '../support/browser/site.ts';
import { onPhone, press, rehearsalWalk } from '../support/browser/walks/rehearsal.ts';
import { goWay } from '../support/browser/way.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
const walk = rehearsalWalk(site);

beforeAll(walk.prepare);

describe('the rehearsal room', () => {
  it.each(Object.entries(walk.ways))(
    'pages 1, 3: "%s" is valid, has no axe violations in either look, and fits 320 to 1920 px',
    async (_, way) => {
      const view = await site.browser.open({ size: 'desk' });
      await goWay(view, site, way);
      const { page, close, problems } = view;
      const sent = await page.request.get(page.url());
      expect(await htmlFindings(await sent.text())).toEqual([]);
      for (const dark of [false, true]) {
        await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
        expect(await axeFindings(view, dark ? 'of looks' : 'all')).toEqual([]);
      }
      for (const width of [320, 390, 820, 1440, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate(widthsByDirection)).toEqual({ rtl: width, ltr: width });
      }
      expect(problems.filter((problem) => !problem.includes('Autofocus'))).toEqual([]);
      await close();
    },
  );

  it('leads a newcomer from the banner to a TV that is signed in, with the wire beside it, in five clicks', async () => {
    const { issuer, service, browser } = site;
    const printed = banner({ dataFolder: '', mail: { smtpUrl: null, from: '' } }, [{ name: 'Acme', issuer }]);
    const [address = ''] = printed.match(/http\S+\/rehearsal/) ?? [];
    const view = await browser.open({ size: 'desk' });
    const { page } = view;
    await page.request.post(`${issuer}/rehearsal/tv`, { data: { do: 'off' } });
    let clicks = 0;
    const click = async (button: ReturnType<View['page']['getByRole']>) => {
      clicks += 1;
      await button.click();
    };
    clicks += 1;
    await page.goto(address);
    await click(page.getByRole('button', { name: 'Turn on the TV' }));
    await click(page.getByRole('button', { name: 'Be Ada' }));
    await click(onPhone(view).getByRole('button', { name: 'Approve' }));
    await page.locator('#life-device [data-state=approved].now').waitFor();
    // The TV polls by itself, when its time has come.
    service.clock.advance(5_000);
    await page.locator('#screen').getByText('Ada').waitFor();
    expect(await page.locator('#screen').textContent()).toContain('Welcome');
    expect(clicks).toBeLessThanOrEqual(5);
    const wire = page.locator('#log .msg');
    await expect.poll(() => wire.last().textContent()).toContain('The member’s data');
    const told = (await wire.allTextContents()).join('\n');
    for (const line of [
      /device\/auth/,
      /it shows \d{3} \d{3}/,
      /the first poll after that gets the tokens/,
    ]) {
      expect(told).toMatch(line);
    }
    expect(await page.locator('#life-device [data-from=approved][data-to=used].lit').count()).toBe(1);
  });

  it('shows what a poll did at once, keeps the focus, and does not open the phone anew', async () => {
    const view = await site.browser.open({ size: 'desk' });
    const { page, close } = view;
    await goWay(view, site, walk.ways['TV, with a phone'] ?? fail());
    await onPhone(view).locator('body').evaluate('document.body.dataset.kept = "yes"');
    const early = page.getByRole('button', { name: 'Two polls at once' });
    await early.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Two polls at once: this one came').last().waitFor();
    expect(await early.evaluate('document.activeElement.value')).toBe('pollTwice');
    expect(await onPhone(view).locator('body').getAttribute('data-kept')).toBe('yes');
    await page.locator('#life-device').getByText('↻ poll ×2').waitFor();
    await close();
  });

  it('pages 1: works without JavaScript: a form leads back to its page, which shows what it did', async () => {
    const view = await site.browser.open({ size: 'desk', javaScript: false });
    const { page, close } = view;
    await page.goto(`${site.issuer}/rehearsal`);
    const isOn = await page.getByRole('button', { name: 'Turn off' }).count();
    if (isOn > 0) await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Turn on the TV' }).click();
    expect(page.url()).toBe(`${site.issuer}/rehearsal`);
    await page.getByRole('button', { name: 'Be Cy' }).click();
    await onPhone(view).getByRole('button', { name: 'Reject' }).click();
    await onPhone(view).getByText('Nothing was shared').waitFor();
    await page.getByRole('button', { name: /^Poll now/ }).click();
    expect(await page.locator('#screen').textContent()).toContain('Not signed in');
    expect(await page.locator('#log').textContent()).toContain('The member said no.');
    await page.getByRole('button', { name: '+15 min' }).click();
    expect(await page.locator('#clock').textContent()).toContain('+15 min');
    await page.getByRole('button', { name: 'Back to now' }).click();
    await close();
  });

  it('pages 13: breaks the address on the TV before its path alone, however narrow the page', async () => {
    const view = await site.browser.open({ size: 'narrow' });
    await goWay(view, site, walk.ways['TV, with its code'] ?? fail());
    const lines = await view.page.evaluate(`[...document.querySelector('#screen b').childNodes]
      .filter(({ data }) => data !== undefined)
      .map((text) => {
        const range = document.createRange();
        range.selectNode(text);
        return [text.data, range.getClientRects().length];
      })`);
    expect(lines).toEqual([
      [new URL(site.issuer).host, 1],
      ['/device', 1],
    ]);
    await view.close();
  });

  it('shows a QR code that someone changed as the phone would', async () => {
    const view = await site.browser.open({ size: 'desk' });
    await goWay(view, site, walk.ways['TV, with a phone'] ?? fail());
    await press(view, 'Tampered QR address');
    await onPhone(view).getByText('This code doesn’t work').first().waitFor();
    await view.close();
  });
});

function fail(): never {
  throw new Error('there is no such page');
}
