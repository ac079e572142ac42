import { beforeAll } from 'vitest';
import { hostedPayment } from '../support/access/hosted-payment.ts';
import { startPaymentPage } from '../support/access/payment-page.ts';
import { walkPages } from '../support/browser/page-walk.ts';
import { startSite } from '../support/browser/site.ts';
import { checkoutWalk } from '../support/browser/walks/checkout.ts';
import { useStarted } from '../support/use-service.ts';

const provider = useStarted(startPaymentPage);
const site = useStarted(() => startSite({ payments: [hostedPayment(provider.origin)] }));
const walk = checkoutWalk(site, provider);

beforeAll(walk.prepare);

walkPages({ site: () => site, part: 'checkout', ways: walk.ways, tenant: / – Acme$/ });
