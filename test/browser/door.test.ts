import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Branding } from '../../src/core/members/branding.ts';
import { changeTenant } from '../../src/operations/tenant/tenant.ts';
import { sizes, type View } from '../support/browser/browser.ts';
import { axeFindings } from '../support/browser/page-checks.ts';
import { startSite, submitSignIn } from '../support/browser/site.ts';
import { plainJpeg } from '../support/members/pages/logos.ts';
import { openVerify } from '../support/members/pages/member-pages.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
let view: View;

beforeAll(async () => {
  view = await site.browser.open({ own: true });
});
beforeEach(() => view.renew());

const brand = (branding: Partial<Branding>) =>
  site.service.store.transaction(async (tx) => {
    await changeTenant(tx, String(site.service.tenants.byHost(new URL(site.issuer).host)?.id), branding);
    await site.service.tenants.reload(tx);
  });

const boxOf = async (selector: string) => {
  const box = await view.page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not on the page`);
  return box;
};

describe('pages 5: the cover', () => {
  const sentence = 'Every match, every story, on every screen you own.';

  it('stands beside the way in from 60rem on, and nothing but its sentence is on it', async () => {
    const { page } = view;
    await page.goto(site.authorization());
    await page.setViewportSize({ width: 959, height: 900 });
    expect(await page.getByText(sentence).isVisible()).toBe(false);
    expect((await boxOf('.cover')).y).toBeLessThan((await boxOf('main')).y);
    await page.setViewportSize({ width: 960, height: 900 });
    expect(await page.getByText(sentence).isVisible()).toBe(true);
    const cover = await boxOf('.cover');
    expect([cover.x, cover.y, cover.height]).toEqual([0, 0, 900]);
    expect((await boxOf('main')).x).toBeGreaterThanOrEqual(cover.width);
    // Where lines run from right to left it is at the right.
    await page.evaluate('document.documentElement.dir = "rtl"');
    const mirrored = await boxOf('.cover');
    expect(mirrored.x + mirrored.width).toBe(960);
  });

  it('goes along with a page that is longer than the window', async () => {
    const { page } = view;
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto(site.authorization({ prompt: 'create' }));
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    expect((await boxOf('.poster')).y).toBe(0);
    const cover = await boxOf('.cover');
    expect(cover.y + cover.height).toBeCloseTo(400, 0);
  });

  it('W1: shows a picture that we serve, and breaks no rule of the policy', async () => {
    const { page } = view;
    await brand({ coverPicture: plainJpeg });
    await page.setViewportSize(sizes.desk);
    const shown = page.waitForResponse(/\/brand\/[^/]+\.jpg$/);
    await page.goto(site.authorization());
    expect((await shown).status()).toBe(200);
    expect(await axeFindings(view)).toEqual([]);
    expect(view.problems).toEqual([]);
    await brand({ coverPicture: null });
  });
});

describe('what was chosen and typed on the way', () => {
  it('pages 4: a language from the foot of a page stays, to the account and back out again', async () => {
    const { page } = view;
    await page.goto(`${site.issuer}/account`);
    await page.locator('.foot summary').click();
    await page.getByRole('button', { name: 'Norsk bokmål' }).click();
    await page.getByRole('heading', { name: 'Logg inn' }).waitFor();
    await submitSignIn(view, 'cy@example.com');
    await page.waitForURL('**/account');
    const lang = () => page.evaluate<string>('document.documentElement.lang');
    expect(await lang()).toBe('nb');
    await page.goto(`${site.issuer}/nothing`);
    expect(await lang()).toBe('nb');
  });

  it('pages 9, 20: Enter signs in, and the way for a forgotten password comes behind it, with the address', async () => {
    const { page } = view;
    await page.goto(site.authorization());
    await page.fill('#email', 'dee@example.com');
    await page.fill('#password', 'half a passw');
    // The button that shows the password, the one that signs in, and this one.
    for (const key of ['Tab', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL('**/recover?*');
    expect(await page.inputValue('#email')).toBe('dee@example.com');
    await page.goBack();
    await submitSignIn(view, 'dee@example.com');
    await page.waitForURL('**/callback?*');
  });

  it('pages 20: a mail can be sent again once the time on its page is over', async () => {
    const { page } = view;
    await page.clock.install();
    await openVerify(view, site);
    const again = page.getByRole('button', { name: 'Send it again' });
    expect(await again.isDisabled()).toBe(true);
    await page.clock.runFor(18_000);
    // The clock of the page goes on by itself while the machine is busy.
    await page.getByText(/You can send it again in 0:(?:4[0-2]|3\d)\./).waitFor();
    await page.clock.runFor(45_000);
    expect(await again.isEnabled()).toBe(true);
    expect(await page.getByText('You can send it again').isVisible()).toBe(false);
    site.service.clock.advance(60_000);
    await again.click();
    await page.getByText(/You can send it again in (?:1:00|0:5\d)\./).waitFor();
    expect(view.problems).toEqual([]);
  });
});

it('pages 19: on a tablet the way in stands in the middle, its mark above it and its foot below', async () => {
  const { page } = view;
  await page.setViewportSize({ width: 820, height: 1_180 });
  await page.goto(site.authorization());
  const [mark, main, foot] = [await boxOf('.cover'), await boxOf('main'), await boxOf('.foot')];
  expect(mark.y).toBeGreaterThan(100);
  expect(mark.y + mark.height).toBeLessThanOrEqual(main.y);
  expect(1_180 - (foot.y + foot.height)).toBeCloseTo(mark.y, -2);
  await page.setViewportSize(sizes.phone);
  expect((await boxOf('.cover')).y).toBe(0);
});
