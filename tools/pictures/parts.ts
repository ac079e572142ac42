// The pages that pictures are taken of, in parts that each have a service of their own.

import { mailNames } from '../../src/operations/mail/mail.ts';
import { offerSetup } from '../../src/operations/service/first-admin.ts';
import { hostedPayment } from '../../test/support/access/hosted-payment.ts';
import { startPaymentPage } from '../../test/support/access/payment-page.ts';
import { startBrowser, type TestBrowser, type View } from '../../test/support/browser/browser.ts';
import { hostedPages, type Site, startSite } from '../../test/support/browser/site.ts';
import { accountWalk } from '../../test/support/browser/walks/account.ts';
import { checkoutWalk } from '../../test/support/browser/walks/checkout.ts';
import { deviceWalk } from '../../test/support/browser/walks/device.ts';
import { startMailReader } from '../../test/support/browser/walks/mails.ts';
import { outboxWalk } from '../../test/support/browser/walks/outbox.ts';
import { portalWalk } from '../../test/support/browser/walks/portal.ts';
import { rehearsalWalk } from '../../test/support/browser/walks/rehearsal.ts';
import { goWay, type Walk } from '../../test/support/browser/way.ts';
import { pngLogo } from '../../test/support/members/pages/logos.ts';
import { memberPages } from '../../test/support/members/pages/member-pages.ts';
import { tenantRecord } from '../../test/support/records/records.ts';
import { startTestService } from '../../test/support/service.ts';

type SiteOptions = Parameters<typeof startSite>[0];

/** A part whose service runs. */
export interface Gallery {
  readonly browser: TestBrowser;
  /** Brings a view that is new to a page. */
  show(view: View, name: string): Promise<void>;
  stop(): Promise<unknown>;
}

export interface Part {
  readonly name: string;
  /** The names of its pages. */
  readonly pages: readonly string[];
  /** Whether its pages are in English alone. */
  readonly isEnglish: boolean;
  /** @param language what its members read; null leaves each the own one */
  start(language: string | null): Promise<Gallery>;
}

/** Pages of Acme. A walk is made of a site that is empty until it starts, as in the tests. */
export function partOf(
  name: string,
  walkOf: (site: Site) => Walk,
  options: () => Promise<SiteOptions & { stop?(): Promise<unknown> }> = async () => ({}),
): Part {
  const site = {} as Site;
  const { ways, prepare } = walkOf(site);
  return {
    name,
    pages: Object.keys(ways),
    isEnglish: name === 'portal' || name === 'rehearsal',
    start: async (language) => {
      const { stop, ...chosen } = await options();
      Object.assign(site, await startSite(chosen));
      await prepare();
      if (language !== null) await speak(site, language);
      return {
        browser: site.browser,
        show: async (view, page) => {
          const way = ways[page];
          if (way === undefined) throw new Error(`there is no page ${page}`);
          await goWay(view, site, way);
        },
        stop: () => Promise.all([site.stop(), stop?.()]),
      };
    },
  };
}

/** Lets every member read this language, so that their pages are in it. */
async function speak({ service, sessions }: Site, locale: string): Promise<void> {
  await service.store.transaction((tx) => tx.updateTable('members').set({ locale }).execute());
  sessions.clear();
}

/** The hosted pages and those of sign-up and recovery, as a walk. */
function membersWalk(site: Site): Walk {
  const ways = Object.entries({ ...hostedPages, ...memberPages }).map(
    ([name, go]) => [name, { email: null, go: (view: View) => go(view, site) }] as const,
  );
  return { prepare: async () => {}, ways: Object.fromEntries(ways) };
}

function checkoutPart(): Part {
  const provider = {} as Awaited<ReturnType<typeof startPaymentPage>>;
  return partOf(
    'checkout',
    (site) => checkoutWalk(site, provider),
    async () => {
      Object.assign(provider, await startPaymentPage());
      return { payments: [hostedPayment(provider.origin)], stop: provider.stop };
    },
  );
}

/** The pages of the first administrator, each on a form that was not used before. */
const setupPages: Readonly<Record<string, (view: View) => Promise<unknown>>> = {
  form: async () => {},
  'form with an error': ({ page }) => page.click('button.primary'),
  done: async ({ page }) => {
    await page.fill('#tenantName', 'Example Post');
    await page.fill('#issuer', `http://localhost:${new URL(page.url()).port}`);
    await page.fill('#fullName', 'Olga Operator');
    await page.fill('#email', 'olga@example.test');
    await page.fill('#password', 'kvist og eld i skogen');
    await page.click('button.primary');
  },
};

const setupPart: Part = {
  name: 'setup',
  pages: Object.keys(setupPages),
  isEnglish: false,
  start: async () => {
    const service = await startTestService({ data: 'nothing', setupOffered: true });
    const browser = await startBrowser();
    return {
      browser,
      show: async (view, page) => {
        const link = await offerSetup(service.store, service.deps);
        await view.page.goto(`http://localhost:${service.port}/setup/${link}`);
        await setupPages[page]?.(view);
        await view.page.waitForLoadState();
      },
      stop: () => Promise.all([browser.close(), service.stop()]),
    };
  },
};

/** Each mail, of a tenant with a logo. */
const mailsPart: Part = {
  name: 'mails',
  pages: mailNames,
  isEnglish: false,
  start: async (language) => {
    const tag = language ?? 'en';
    const tenant = tenantRecord('a', { name: 'Acme', corners: 'soft', font: 'system', languages: [] });
    const [browser, reader] = await Promise.all([
      startBrowser(),
      startMailReader({ ...tenant, logo: pngLogo() }, [tag]),
    ]);
    return {
      browser,
      show: async ({ page }, name) => {
        await page.goto(`${reader.origin}/${name}-${tag}`);
      },
      stop: () => Promise.all([browser.close(), reader.stop()]),
    };
  },
};

export const parts: readonly Part[] = [
  partOf('members', membersWalk),
  partOf('device', deviceWalk),
  partOf('account', accountWalk),
  checkoutPart(),
  partOf('outbox', outboxWalk),
  partOf('portal', portalWalk),
  partOf('rehearsal', rehearsalWalk),
  setupPart,
  mailsPart,
];
