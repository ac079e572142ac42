import { checkoutsPerHour } from '../../../src/core/access/limits.ts';
import type { PackageFacts } from '../../../src/core/access/package.ts';
import { countingWindow } from '../../../src/core/limits.ts';
import { hosts } from '../fixtures.ts';
import { allRows } from '../records/rows.ts';
import type { TestService } from '../service.ts';
import { back, newPackage, type Ordering, onward, type Shopper, shopper } from './shopper.ts';

/** A signed-in member at the summary of a package that no member has yet. */
export interface Summary {
  readonly browser: Shopper;
  readonly packageId: number;
  readonly ordering: Ordering;
}

/** Members of tenant A at summaries, in one browser for each member: signing in is slow. */
export interface Summaries {
  open(changes?: Partial<PackageFacts>, email?: string): Promise<Summary>;
  /** Uses new browsers from now on, after one was signed out. */
  forget(): void;
}

export function summariesOf(service: () => TestService): Summaries {
  const browsers = new Map<string, Shopper>();
  let opened = 0;
  return {
    open: async (changes = {}, email = 'u1@example.test') => {
      // No member of a test may reach the limit before the test itself does.
      opened += 1;
      if (opened % (checkoutsPerHour / 2) === 0) service().clock.advance(countingWindow.hour);
      const browser = browsers.get(email) ?? shopper(service(), hosts.a);
      browsers.set(email, browser);
      const packageId = await newPackage(service(), hosts.a, changes);
      const query = { packageId, reference: 'r', onCheckoutCompletedUrl: onward, callBackUrl: back };
      return { browser, packageId, ordering: await browser.order(query, email) };
    },
    forget: () => browsers.clear(),
  };
}

/** A row as it is stored. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows of a table that are of a package. */
export async function rowsOf(
  service: TestService,
  table: string,
  packageId: number,
): Promise<readonly Row[]> {
  const rows = (await allRows(service))[table] as readonly Row[];
  return rows.filter((row) => row.packageId === packageId);
}

/** What there is of a package: checkouts, subscriptions, invoices, and the mails that were sent. */
export async function givenOf(service: TestService, packageId: number) {
  await service.delivered();
  const subscriptions = await rowsOf(service, 'subscriptions', packageId);
  const ids = subscriptions.map(({ id }) => id);
  const { invoices = [], packages = [] } = await allRows(service);
  const name = (packages as readonly Row[]).find(({ id }) => id === packageId)?.name;
  return {
    checkouts: await rowsOf(service, 'checkouts', packageId),
    subscriptions,
    invoices: (invoices as readonly Row[]).filter(({ subscriptionId }) => ids.includes(subscriptionId)),
    mails: service.outbox.sent.filter(
      (mail) =>
        ['subscribed', 'invoice'].includes(mail.name) && mail.text.includes(`Subscription: ${name}\n`),
    ),
  };
}

/** How many subscriptions, invoices and mails there are of a package. */
export async function countsOf(service: TestService, packageId: number): Promise<readonly number[]> {
  const { subscriptions, invoices, mails } = await givenOf(service, packageId);
  return [subscriptions.length, invoices.length, mails.length];
}
