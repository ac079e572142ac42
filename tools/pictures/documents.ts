// The pictures of docs/images: which page each shows, and how.

import { developmentPassword } from '../../src/operations/development/members.ts';
import { registerClients, type Site } from '../../test/support/browser/site.ts';
import { television } from '../../test/support/browser/television.ts';
import type { Walk, Way } from '../../test/support/browser/way.ts';
import { portalOf } from '../../test/support/operators/portal.ts';
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
  { file: 'device-approve', page: 'device approval', size: 'phone' },
  { file: 'device-approve-dark', page: 'device approval', size: 'phone', dark: true },
  { file: 'portal-client', page: 'client', size: 'desk' },
];

/** Pages with the names and records that a reader should see. */
function documentWalk(site: Site): Walk {
  /** A page of the portal, for the system's administrator. */
  const portal = (path: string): Way => ({
    email: null,
    go: async ({ context, page }) => {
      const { host } = new URL(site.issuer);
      const { cookies } = await portalOf(site.service, host, 'sam@example.com', developmentPassword);
      await context.addCookies(
        [...cookies].map(([name, value]) => ({ name, value, url: site.issuer, httpOnly: true })),
      );
      await page.goto(`${site.issuer}/admin/tenants/${host}${path}`);
    },
  });
  return {
    prepare: () =>
      registerClients(site.service, [
        { clientId: 'play', name: 'Acme Play', type: 'public', deviceFlow: true },
      ]),
    ways: {
      'sign-in': { email: null, go: ({ page }) => page.goto(site.authorization()) },
      'device approval': {
        email: 'ada@example.com',
        go: async ({ page }) => {
          const tv = await television(site.issuer, 'play');
          const asked = { device_name: 'Living room', device_model: 'Telly 9' };
          await page.goto((await tv.requestCode(asked)).verification_uri_complete);
        },
      },
      client: portal('/clients/web'),
    },
  };
}

export const documents = partOf('documents', documentWalk, async () => ({
  port,
  random: repeatedRandom('docs/images'),
}));
