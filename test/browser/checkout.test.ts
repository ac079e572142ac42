import { beforeAll, expect, it } from 'vitest';
import { hostedPayment } from '../support/access/hosted-payment.ts';
import { startPaymentPage } from '../support/access/payment-page.ts';
import { walkPages } from '../support/browser/page-walk.ts';
import { startSite } from '../support/browser/site.ts';
import { checkoutWalk } from '../support/browser/walks/checkout.ts';
import { goWay } from '../support/browser/way.ts';
import { useStarted } from '../support/use-service.ts';

const provider = useStarted(startPaymentPage);
const site = useStarted(() => startSite({ payments: [hostedPayment(provider.origin)] }));
const walk = checkoutWalk(site, provider);

beforeAll(walk.prepare);

walkPages({ site: () => site, part: 'checkout', ways: walk.ways, tenant: / – Acme$/ });

it('pages 19: below a page that is one card the foot begins where the card does', async () => {
  const view = await site.browser.open({ size: 'desk' });
  const { held } = walk.ways;
  if (held === undefined) throw new Error('there is no page of a plan that a member has');
  await goWay(view, site, held);
  const left = async (selector: string) => (await view.page.locator(selector).first().boundingBox())?.x;
  expect(await left('.foot a')).toBe(await left('main.sheet'));
});
