// The pictures of docs/images: which page each shows, and how.

import { developmentPassword } from '../../src/operations/development/members.ts';
import type { View } from '../../test/support/browser/browser.ts';
import { registerClients, type Site } from '../../test/support/browser/site.ts';
import { television } from '../../test/support/browser/television.ts';
import { signInTv } from '../../test/support/browser/walks/account.ts';
import { onPhone, press } from '../../test/support/browser/walks/rehearsal.ts';
import type { Walk, Way } from '../../test/support/browser/way.ts';
import { portalOf } from '../../test/support/operators/portal.ts';
import { fillTenant } from './crowd.ts';
import { partOf } from './parts.ts';
import { repeatedRandom } from './random.ts';

/** The port that the documents name. */
const port = 3_000;

export interface DocumentPicture {
  /** The file in docs/images, without `.png`. */
  readonly file: string;
  /** A page of the part below. */
  readonly page: string;
  readonly size: 'phone' | 'desk';
  readonly dark?: true;
}

export const documentPictures: readonly DocumentPicture[] = [
  { file: 'sign-in', page: 'sign-in', size: 'phone' },
  { file: 'sign-in-desk', page: 'sign-in', size: 'desk' },
  { file: 'device-approve', page: 'device approval', size: 'phone' },
  { file: 'device-approve-dark', page: 'device approval', size: 'phone', dark: true },
  { file: 'device-done-dark', page: 'device approved', size: 'desk', dark: true },
  { file: 'account', page: 'account', size: 'desk' },
  { file: 'checkout', page: 'checkout', size: 'desk' },
  { file: 'portal-overview', page: 'overview', size: 'desk' },
  { file: 'portal-member', page: 'member', size: 'desk' },
  { file: 'portal-client', page: 'client', size: 'desk' },
  // The last ones: they put the data back, and what the others show would be gone.
  { file: 'rehearsal', page: 'rehearsal', size: 'desk' },
  { file: 'rehearsal-dark', page: 'rehearsal', size: 'desk', dark: true },
];

/** Whose pages are shown: with two subscriptions and a TV. */
const member = 'ada@example.com';
/** The browser in which the TVs were approved. */
const phone =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36';
/** Has an address that an invoice can be made out to. */
const buyer = 'finn@example.com';

/** Pages with the names and records that a reader should see. */
function documentWalk(site: Site): Walk {
  /** A page of the portal, for the system's administrator. */
  const portal = (path: () => Promise<string> | string): Way => ({
    email: null,
    go: async ({ context, page }) => {
      const { host } = new URL(site.issuer);
      const { cookies } = await portalOf(site.service, host, 'sam@example.com', developmentPassword);
      await context.addCookies(
        [...cookies].map(([name, value]) => ({ name, value, url: site.issuer, httpOnly: true })),
      );
      await page.goto(`${site.issuer}/admin/tenants/${host}${await path()}`);
    },
  });
  const living = { device_name: 'Living room', device_model: 'Telly 9' };
  const approval = async ({ page }: View) => {
    const tv = await television(site.issuer, 'play');
    await page.goto((await tv.requestCode(living)).verification_uri_complete);
  };
  return {
    prepare: async () => {
      await registerClients(site.service, [
        { clientId: 'play', name: 'Acme Play', type: 'public', deviceFlow: true },
      ]);
      for (const email of [member, 'ida@example.com']) await signInTv(site, email, 'play', living);
      const { tenantId } = await ownerOf(site, member);
      await site.service.store.transaction(async (tx) => {
        await tx.updateTable('sessions').set({ userAgent: phone }).execute();
        await fillTenant(tx, tenantId, site.service.clock.now());
      });
    },
    ways: {
      'sign-in': { email: null, go: ({ page }) => page.goto(site.authorization()) },
      'device approval': { email: member, go: approval },
      'device approved': {
        email: member,
        go: async (view) => {
          await approval(view);
          await view.page.click('button[value=approve]');
        },
      },
      rehearsal: {
        email: null,
        go: async (view) => {
          const { page } = view;
          await page.request.post(`${site.issuer}/rehearsal/reset`, { data: {} });
          // As wide as its three columns want to be, and as high.
          await page.setViewportSize({ width: 1_440, height: 980 });
          await page.goto(`${site.issuer}/rehearsal`);
          await press(view, 'Turn on the TV');
          await press(view, 'Be Ada');
          await onPhone(view).getByRole('button', { name: 'Approve' }).waitFor();
          site.service.clock.advance(5_000);
          await page.locator('.msg').getByText('As it should be').waitFor();
          site.service.clock.advance(2_000);
          await press(view, 'Poll now (too early)');
          await page.locator('.msg').getByText('after the last poll').waitFor();
          await page.evaluate('scrollTo(0, 0)');
          await page.mouse.move(0, 0);
        },
      },
      account: { email: member, go: ({ page }) => page.goto(`${site.issuer}/account`) },
      checkout: {
        email: buyer,
        go: async ({ page }) => {
          const { tenantId } = await ownerOf(site, buyer);
          const packageId = await site.service.store.transaction((tx) =>
            tx
              .selectFrom('packages')
              .select('id')
              .where('tenantId', '=', tenantId)
              .where('name', '=', 'Acme Everything')
              .executeTakeFirstOrThrow(),
          );
          await page.goto(`${site.issuer}/checkout?packageId=${packageId.id}&ui_locales=en`);
          await page.click('button[value=continue]');
        },
      },
      overview: portal(() => ''),
      member: portal(async () => `/members/${(await ownerOf(site, member)).id}`),
      client: portal(() => '/clients/web'),
    },
  };
}

/** A member of the tenant of the site. */
function ownerOf({ service, issuer }: Site, email: string) {
  return service.store.transaction((tx) =>
    tx
      .selectFrom('members')
      .innerJoin('tenants', 'tenants.id', 'members.tenantId')
      .select(['members.id', 'tenantId'])
      .where('members.email', '=', email)
      .where('issuer', '=', issuer)
      .executeTakeFirstOrThrow(),
  );
}

export const documents = partOf('documents', documentWalk, async () => ({
  port,
  random: repeatedRandom('docs/images'),
}));
