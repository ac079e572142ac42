import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Branding, neutralBranding } from '../../src/core/members/branding.ts';
import { registerClient } from '../../src/operations/client/client.ts';
import { globexLogo, tvLogo, webLogo } from '../../src/operations/development/clients.ts';
import { changeTenant } from '../../src/operations/tenant/tenant.ts';
import { sizes, type View } from '../support/browser/browser.ts';
import { send } from '../support/browser/forms.ts';
import { axeFindings, htmlFindings } from '../support/browser/page-checks.ts';
import { hostedPages, resume, startSite } from '../support/browser/site.ts';
import { inBase64, largestLogo } from '../support/members/pages/logos.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
let view: View;

beforeAll(async () => {
  view = await site.browser.open();
  await site.service.store.transaction((tx) =>
    registerClient(tx, tenantId(), { ...branded, redirectUris: [redirectUri()] }, site.service.clock.now()),
  );
});
beforeEach(() => view.renew());

/** A word mark: four times as wide as it is high. */
const wideLogo = inBase64(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 24"><path d="M0 0h96v24H0z" fill="#7c2d12"/></svg>',
);
const branded = {
  clientId: 'branded',
  name: 'Northern Light Player',
  type: 'public',
  thirdParty: true,
  logo: largestLogo('client'),
} as const;

const redirectUri = () => new URL(site.authorization()).searchParams.get('redirect_uri') ?? '';

const tenantId = () => {
  const tenant = site.service.tenants.byHost(new URL(site.issuer).host);
  if (tenant === null) throw new Error('Acme is missing');
  return tenant.id;
};

const brand = (branding: Branding) =>
  site.service.store.transaction(async (tx) => {
    await changeTenant(tx, tenantId(), branding);
    await site.service.tenants.reload(tx);
  });

let people = 0;

const acme: Branding = { ...neutralBranding, name: 'Acme' };

const brands: Readonly<Record<string, Branding>> = {
  black: { ...acme, brandColor: '#000000' },
  'the palest gray': { ...acme, brandColor: '#949494', logo: webLogo },
  orange: { ...acme, brandColor: '#ea580c', logo: globexLogo },
  navy: { ...acme, brandColor: '#0b1f4b', logo: largestLogo('tenant') },
  'pure red': { ...acme, brandColor: '#ff0000', logo: wideLogo },
  'middle green': { ...acme, brandColor: '#2e8b57', logo: tvLogo },
};

const pages: Readonly<Record<string, () => Promise<unknown>>> = {
  'sign-in': () => view.page.goto(site.authorization({ client_id: 'branded' })),
  'sign-in with a problem': async () => {
    await view.page.goto(site.authorization({ client_id: 'branded' }));
    // Another address each time, because wrong passwords of one address are limited.
    people += 1;
    await send(view.page, { '#email': `person-${people}@example.com`, '#password': 'not the password' });
  },
  consent: async () => {
    await resume(view, site);
    await view.page.goto(site.authorization({ client_id: 'branded', scope: 'openid email' }));
  },
  'device approval': async () => hostedPages['device approval']?.(view, site),
  'device approved': async () => hostedPages['device approved']?.(view, site),
};

const loaded = 'Array.from(document.images, ({ complete, naturalWidth }) => complete && naturalWidth > 0)';

describe.each(Object.entries(brands))('pages 3, 5: a tenant whose colour is %s', (_name, branding) => {
  beforeAll(() => brand(branding));

  it.each(Object.keys(pages))('has no axe violations on the page "%s", light and dark', async (pageName) => {
    await pages[pageName]?.();
    await view.page.waitForLoadState();
    expect(await view.page.evaluate(loaded)).not.toContain(false);
    for (const [size, dark, rules] of [
      ['phone', false, 'all'],
      ['desk', true, 'of looks'],
    ] as const) {
      await view.page.setViewportSize(sizes[size]);
      await view.page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      expect(await axeFindings(view, rules), `${size}, ${dark ? 'dark' : 'light'}`).toEqual([]);
    }
    await view.page.setViewportSize(sizes.narrow);
    expect(await view.page.evaluate('document.documentElement.scrollWidth')).toBe(sizes.narrow.width);
    const html = (await view.documents.at(-1)?.text()) ?? '';
    expect(await htmlFindings(html)).toEqual([]);
    expect(view.problems).toEqual([]);
  });
});

describe('pages 2: the largest logos', () => {
  it('leave the sign-in page under 20 KB, also with a problem on it', async () => {
    await brand({ ...acme, brandColor: '#0b1f4b', logo: largestLogo('tenant') });
    await pages['sign-in with a problem']?.();
    const [html = '', script] = await Promise.all([
      view.documents.at(-1)?.text(),
      site.service.http(
        new URL(site.issuer).host,
        (await view.page.locator('script').getAttribute('src')) ?? '',
      ),
    ]);
    // The app's stands on the page itself, the tenant's has an address.
    expect(html.includes(largestLogo('client'))).toBe(true);
    expect(new Set(view.requests.filter((url) => url.includes('/brand/'))).size).toBe(1);
    expect(Buffer.byteLength(html) + Buffer.byteLength(script.text)).toBeLessThan(20_000);
    expect(new Set(view.requests.filter((url) => url.includes('/assets/'))).size).toBe(1);
  });
});
