// The pages of the checkout, and how a browser comes to see each.
import { packageDefaults } from '../../../../src/core/access/package.ts';
import { addPackage, addProduct } from '../../../../src/operations/access/package.ts';
import { changeTenant } from '../../../../src/operations/tenant/tenant.ts';
import { hostedName } from '../../access/hosted-payment.ts';
import type { PaymentPage } from '../../access/payment-page.ts';
import { tenantOf } from '../../device.ts';
import type { View } from '../browser.ts';
import { send } from '../forms.ts';
import type { Site } from '../site.ts';
import type { Walk, Way, Ways } from '../way.ts';

/** A packageId by what the package is there for. */
type Packages = Readonly<Record<'invoice' | 'free' | 'posted' | 'card' | 'long', number>>;

/** The packages of the development start, one that is paid by card, and one with texts that no line can hold. */
async function addPackages({ service, app, issuer }: Site): Promise<Packages> {
  const tenant = tenantOf(service, new URL(issuer).host);
  return service.store.transaction(async (tx) => {
    await changeTenant(tx, tenant.id, { returnOrigins: [app.origin] });
    await service.tenants.reload(tx);
    const known = await tx.selectFrom('packages').selectAll().where('tenantId', '=', tenant.id).execute();
    const idOf = (name: string) => known.find((row) => row.name === name)?.id ?? 0;
    const productId = await addProduct(tx, tenant.id, 'Concerts');
    const longId = await addProduct(tx, tenant.id, 'W'.repeat(100));
    const facts = { ...packageDefaults, period: { unit: 'month', count: 3 } } as const;
    return {
      invoice: idOf('Acme Everything'),
      free: idOf('Daily News'),
      posted: idOf('Sunday Magazine'),
      card: await addPackage(
        tx,
        tenant.id,
        {
          ...facts,
          name: 'Acme Live',
          description: 'Concerts, as they happen.',
          payment: hostedName,
          price: { amount: 49_900, currency: 'NOK' },
        },
        [productId],
      ),
      long: await addPackage(
        tx,
        tenant.id,
        {
          ...facts,
          name: `The ${'very'.repeat(20)} Long Name`,
          description: `<b>Now</b> {{7*7}} <%= 1 %> ${'\u0643\u062a\u0627\u0628 '.repeat(6)}`.padEnd(
            900,
            'W',
          ),
          payment: 'invoice',
          price: { amount: 123_456_789_00, currency: 'CHF' },
          seats: 10_000,
        },
        [productId, longId],
      ),
    };
  });
}

/** Reads English and has an address. */
const english = 'ida@example.com';

const then = (way: Way, go: (view: View) => Promise<unknown>): Way => ({
  ...way,
  go: async (view) => {
    await way.go(view);
    await go(view);
  },
});

const press =
  (value: string, fields: Readonly<Record<string, string>> = {}) =>
  ({ page }: View) =>
    send(page, fields, `button[value=${value}]`);

/** @param provider the page of the provider that takes cards for this site */
export function checkoutWalk(site: Site, provider: PaymentPage): Walk {
  let packages: Packages;
  const prepare = async () => {
    packages = await addPackages(site);
  };

  const checkoutUrl = (more: Record<string, string | number> = {}) =>
    `${site.issuer}/checkout?${new URLSearchParams({
      reference: 'article-7',
      onCheckoutCompletedUrl: `${site.app.origin}/article`,
      callBackUrl: `${site.app.origin}/offers`,
      ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, String(value)])),
    })}`;

  const opened = (email: string | null, more: () => Record<string, string | number>): Way => ({
    email,
    go: ({ page }) => page.goto(checkoutUrl(more())),
  });

  /** The checkout's own page, begun by the member. */
  const ordered = (email: string, more: () => Record<string, string | number>): Way => ({
    email,
    go: async ({ page }) => {
      await page.goto(checkoutUrl(more()));
      await send(page, {}, 'button[value=continue]');
      await page.waitForURL(/\/checkout\/[0-9a-f]{8}-/);
    },
  });

  /** What was ordered by invoice says how to pay; a member without a post code gives one on the way. */
  const byInvoice = (email: string, packageId: () => number, prepare = async (_: View) => {}): Way =>
    then(
      ordered(email, () => ({ packageId: packageId() })),
      async (view) => {
        const { page } = view;
        const own = page.url();
        await prepare(view);
        await press('confirm')(view);
        await page.goto(own);
      },
    );

  const openInvoice = async ({ page }: View) => {
    await send(page, {}, 'a[href^="/account/invoices/"]');
    await page.waitForURL(/\/account\/invoices\//);
  };

  /** Each page of the checkout, and how a browser comes to see it. */
  const ways: Ways = {
    choose: opened(null, () => ({})),
    'choose, Arabic': opened(null, () => ({ ui_locales: 'ar' })),
    'choose, one is had and one is gone': opened('ada@example.com', () => ({ packageId: 999_999 })),
    offer: opened(null, () => ({ packageId: packages.invoice })),
    'offer, Arabic': opened(null, () => ({ packageId: packages.invoice, ui_locales: 'ar' })),
    'offer, long': opened(null, () => ({ packageId: packages.long, ui_locales: 'de' })),
    'offer, signed in': opened(english, () => ({ packageId: packages.free })),
    'sign-up on the way': then(
      opened(null, () => ({ packageId: packages.invoice })),
      press('sign-up'),
    ),
    held: opened('ada@example.com', () => ({ packageId: packages.invoice })),
    address: ordered('bo@example.com', () => ({ packageId: packages.posted })),
    'address with an error': then(
      ordered('bo@example.com', () => ({ packageId: packages.posted })),
      press('address', { '#country': 'Atlantis' }),
    ),
    'address, to be changed': then(
      ordered('finn@example.com', () => ({ packageId: packages.posted, ui_locales: 'en' })),
      ({ page }) => send(page, {}, 'a[href*="change=address"]'),
    ),
    summary: ordered('finn@example.com', () => ({ packageId: packages.invoice, ui_locales: 'en' })),
    'summary, Arabic': ordered('finn@example.com', () => ({ packageId: packages.invoice, ui_locales: 'ar' })),
    'summary, long': ordered('finn@example.com', () => ({ packageId: packages.long, ui_locales: 'de' })),
    'summary, free': ordered(english, () => ({ packageId: packages.free })),
    'summary, payment error': then(
      ordered(english, () => ({ packageId: packages.card })),
      async (view) => {
        provider.answerWith({ status: 500, body: '' });
        await press('confirm')(view);
        provider.answerWith(null);
      },
    ),
    completed: then(
      ordered('max@example.com', () => ({ packageId: packages.free })),
      async (view) => {
        const { page } = view;
        const own = page.url();
        await press('confirm')(view);
        await page.goto(own);
      },
    ),
    'completed, by invoice': byInvoice('finn@example.com', () => packages.invoice),
    'invoice, long': then(
      byInvoice('finn@example.com', () => packages.long),
      openInvoice,
    ),
    'invoice, Arabic': then(
      byInvoice('huda@example.com', () => packages.invoice, press('address', { '#postCode': '00000' })),
      openInvoice,
    ),
    cancelled: then(
      ordered(english, () => ({ packageId: packages.free })),
      async (view) => {
        const { page } = view;
        const own = page.url();
        await press('cancel')(view);
        await page.goto(own);
      },
    ),
    waiting: then(
      ordered(english, () => ({ packageId: packages.card })),
      ({ page }) => page.goto(`${page.url().split('?')[0]}/return`),
    ),
    'refused address, an error': opened(null, () => ({
      packageId: packages.free,
      callBackUrl: `https://evil.test/${'path/'.repeat(40)}`,
    })),
  };
  return { prepare, ways };
}
