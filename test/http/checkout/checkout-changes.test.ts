import { describe, expect, it } from 'vitest';
import { type PackageFacts, packageDefaults } from '../../../src/core/access/package.ts';
import { changePackage } from '../../../src/operations/access/package.ts';
import { addSubscription } from '../../../src/operations/access/subscription.ts';
import { back, expectLeads, invoiced, newPackage, onward } from '../../support/access/shopper.ts';
import { countsOf, summariesOf } from '../../support/access/summaries.ts';
import { tenantOf, textOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { useService } from '../../support/use-service.ts';
import { headingOf } from '../../support/visitor.ts';

const day = 24 * 60 * 60 * 1_000;

const service = useService({ data: 'security' });
const summaries = summariesOf(() => service);

const change = (packageId: number, changes: Partial<PackageFacts>) =>
  service.store.transaction((tx) =>
    changePackage(
      tx,
      tenantOf(service, hosts.a).id,
      packageId,
      {
        ...packageDefaults,
        name: 'Changed',
        description: 'Everything there is',
        price: { amount: 19_900, currency: 'NOK' },
        period: { unit: 'month', count: 1 },
        payment: 'invoice',
        ...changes,
      },
      [],
    ),
  );

describe('what the member confirms is what the member saw', () => {
  it('a package that was given another name or other products meanwhile is shown once more', async () => {
    const { browser, packageId, ordering } = await summaries.open(invoiced);
    await change(packageId, { name: 'Much less', offered: false });
    expectLeads(await browser.submit(ordering, 'confirm'), ordering.path);
    expect(await countsOf(service, packageId)).toEqual([0, 0, 0]);
    const page = await browser.send(ordering.path);
    expect(textOf(page)).toContain('Much less');
    expectLeads(await browser.submit({ ...ordering, page }, 'confirm'), onward);
    expect(await countsOf(service, packageId)).toEqual([1, 1, 1]);
  });
});

it.each([{ taxPercent: 15 }, { taxName: 'GST' }, { renews: true }, { seats: 10 }])(
  'what the member confirms is what the member saw: %o is shown first',
  async (changes) => {
    const { browser, packageId, ordering } = await summaries.open(invoiced);
    const name = `Changed ${packageId}`;
    await change(packageId, { name });
    const page = await browser.send(ordering.path);
    await change(packageId, { name, ...changes });
    expectLeads(await browser.submit({ ...ordering, page }, 'confirm'), ordering.path);
    expect(await countsOf(service, packageId)).toEqual([0, 0, 0]);
  },
);

describe('a member who will have the package soon', () => {
  it('is told so, and pays for no time twice', async () => {
    const { browser } = await summaries.open();
    const tenantId = tenantOf(service, hosts.a).id;
    const packageId = await newPackage(service, hosts.a, invoiced);
    const ordering = await browser.order({ packageId });
    const now = service.clock.now();
    await service.store.transaction(async (tx) => {
      const { memberId } = await tx
        .selectFrom('checkouts')
        .select('memberId')
        .where('id', '=', ordering.id)
        .executeTakeFirstOrThrow();
      await addSubscription(tx, tenantId, {
        memberId,
        packageId,
        createdAt: now,
        activatedAt: now + day,
        expiresAt: now + 30 * day,
        customPropertyValues: {},
      });
    });
    expectLeads(await browser.submit(ordering, 'confirm'), ordering.path);
    expect(headingOf(await browser.send(ordering.path))).toBe('You already have this plan');
    expect(headingOf(await browser.open({ packageId }))).toBe('You already have this plan');
    expect(await countsOf(service, packageId)).toEqual([1, 0, 0]);
  });
});

describe('pressing a button many times at once', () => {
  it('cancelling fifty times cancels once, and every answer leads back', async () => {
    const { browser, ordering, packageId } = await summaries.open();
    const answers = await Promise.all(Array.from({ length: 50 }, () => browser.submit(ordering, 'cancel')));
    for (const answer of answers) expectLeads(answer, back);
    expect(await countsOf(service, packageId)).toEqual([0, 0, 0]);
  });

  it('of confirming and cancelling at once one wins, and no answer is an error', async () => {
    const { browser, ordering, packageId } = await summaries.open();
    const actions = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'confirm' : 'cancel'));
    const answers = await Promise.all(actions.map((action) => browser.submit(ordering, action)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    const [subscriptions = 0, , mails = 0] = await countsOf(service, packageId);
    expect(subscriptions).toBeLessThanOrEqual(1);
    expect(mails).toBe(subscriptions);
  });
});

describe('what a tenant does not offer', () => {
  it("K10: another tenant's package and an unknown one are 404, with what is offered", async () => {
    const other = await newPackage(service, hosts.b);
    const { browser } = await summaries.open();
    for (const packageId of [other, 999_999]) {
      const page = await browser.open({ packageId });
      expect(page.status).toBe(404);
      expect(headingOf(page)).toBe('Choose your plan');
      expect(page.text).toContain('Gold');
    }
  });
});
