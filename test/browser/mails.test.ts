import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailNames } from '../../src/operations/mail/mail.ts';
import type { TestApp } from '../support/browser/app.ts';
import { sizes, startBrowser, type TestBrowser, type View } from '../support/browser/browser.ts';
import { axeFindings } from '../support/browser/page-checks.ts';
import { startMailReader } from '../support/browser/walks/mails.ts';
import { pngLogo } from '../support/members/pages/logos.ts';
import { tenantRecord } from '../support/records/records.ts';

let browser: TestBrowser;
/** A tenant with a logo that mails show and a colour that white is hardly read on, and one with neither. */
let branded: TestApp;
let plain: TestApp;
let view: View;

beforeAll(async () => {
  const brand = { name: 'Nordlys Søndag', brandColor: '#8a6d00', logo: pngLogo(), languages: [] };
  [browser, branded, plain] = await Promise.all([
    startBrowser(),
    startMailReader(tenantRecord('a', brand), ['en']),
    startMailReader(tenantRecord('b', { logo: null, brandColor: '#0b1f4b', languages: [] }), ['ar']),
  ]);
  view = await browser.open();
});
afterAll(async () => {
  await browser.close();
  await Promise.all([branded.stop(), plain.stop()]);
});

describe.each([
  { language: 'en', dir: 'ltr', of: () => branded },
  { language: 'ar', dir: 'rtl', of: () => plain },
])('the mails in $language', ({ language, dir, of }) => {
  it.each(mailNames)('pages 3: %s is read in light and dark, and fits a phone', async (name) => {
    const { page, problems } = view;
    await view.renew();
    await page.goto(`${of().origin}/${name}-${language}`);
    for (const dark of [false, true]) {
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      // A mail stands within the page of the program that shows it, which has the landmarks.
      const found = (await axeFindings(view, dark ? 'of looks' : 'all')).filter(
        (one) => !/^(?:landmark-one-main|region):/.test(one),
      );
      expect(found, `dark: ${dark}`).toEqual([]);
      const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(ground).toBe(dark ? 'rgb(13, 15, 20)' : 'rgb(247, 248, 250)');
    }
    await page.setViewportSize(sizes.narrow);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(sizes.narrow.width);
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).direction')).toBe(dir);
    expect(problems).toEqual([]);
  });
});
