import { beforeAll, describe, expect, it } from 'vitest';
import { operator, refusal, run } from '../../../support/operators/desk.ts';
import { beginWorld, newCheckout, newInvoice, type World } from '../../../support/operators/world.ts';
import { day } from '../../../support/records/records.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useService } from '../../../support/use-service.ts';

const tenant = 'world.test';
const service = useService({ data: 'security' });
let world: World;
beforeAll(async () => {
  world = await beginWorld(service, tenant);
});

const refused = async (name: string, input: object) => refusal(service, name, { tenant, ...input }, operator);

interface Subscription {
  readonly subscriptionId: number;
  readonly state: string;
  readonly activatedAt: string | null;
  readonly expiresAt: string | null;
}

describe('subscriptions', () => {
  const give = (more: object = {}) =>
    run<Subscription>(service, 'subscriptions.create', {
      tenant,
      memberId: world.memberId,
      packageId: world.packageId,
      ...more,
    });
  const change = (subscriptionId: number, what: string) =>
    run<Subscription>(service, 'subscriptions.change', { tenant, subscriptionId, change: what });

  it('run for one period of the package from now on, unless their times are given', async () => {
    const { activatedAt, expiresAt, state } = await give();
    expect(state).toBe('active');
    expect(Date.parse(String(expiresAt)) - Date.parse(String(activatedAt))).toBe(31 * day);
    const times = { activatedAt: '2026-03-01T00:00:00+02:00', expiresAt: '2026-04-01T00:00:00.000Z' };
    expect(await give(times)).toMatchObject({
      state: 'pending',
      activatedAt: '2026-02-28T22:00:00.000Z',
      expiresAt: '2026-04-01T00:00:00.000Z',
    });
    const backwards = { ...times, expiresAt: '2026-01-01T00:00:00Z' };
    const input = { memberId: world.memberId, packageId: world.packageId, ...backwards };
    expect((await refused('subscriptions.create', input)).kind).toBe('invalid');
    // Without an offset it is unclear which moment is meant.
    const local = { ...input, activatedAt: '2026-01-01T00:00' };
    expect((await refused('subscriptions.create', local)).problems).toEqual([
      'activatedAt must be a date and a time with its zone, such as 2026-01-31T12:00:00Z',
    ]);
  });

  it('wait for their payment where they are given without a start, and go the way of their machine', async () => {
    const { subscriptionId: id, ...waiting } = await give({ activatedAt: null });
    expect(waiting).toMatchObject({ state: 'pending', activatedAt: null, expiresAt: null });
    expect((await refused('subscriptions.change', { subscriptionId: id, change: 'renew' })).problems).toEqual(
      ['the subscription is pending: this cannot be done to it'],
    );
    expect(await change(id, 'activate')).toMatchObject({ state: 'active' });
    expect(await change(id, 'cancel')).toMatchObject({ state: 'cancelled' });
    expect(await change(id, 'resume')).toMatchObject({ state: 'active', cancelledAt: null });
    expect(await change(id, 'end')).toMatchObject({ state: 'ended' });
    expect((await refused('subscriptions.change', { subscriptionId: id, change: 'activate' })).kind).toBe(
      'conflict',
    );
    expect(
      (await refused('subscriptions.change', { subscriptionId: id, change: 'explode' })).problems,
    ).toEqual(['change must be one of cancel, resume, renew, activate, end']);
  });

  it('have values of the properties that are defined, and of no others', async () => {
    const { subscriptionId } = await give();
    const set = { tenant, subscriptionId, values: { seats: 4 } };
    expect(await run(service, 'subscriptions.setProperties', set)).toMatchObject({
      customPropertyValues: { seats: 4 },
    });
    const wrong = await refused('subscriptions.setProperties', {
      subscriptionId,
      values: { seats: 'four', color: 'red' },
    });
    expect(wrong.problems).toEqual([
      'the property seats must be a number',
      'the property "color" is not defined',
    ]);
    expect((await refused('properties.define', { key: 'seats', type: 'string' })).kind).toBe('invalid');
  });
});

describe('invoices and checkouts', () => {
  interface Page {
    readonly invoices: readonly { readonly number: number; readonly paidAt: string | null }[];
    readonly next: number | null;
  }

  it('invoices are listed in pages, the newest first, paid or not; one that is paid is not marked again', async () => {
    for (let count = 0; count < 3; count += 1) await newInvoice(world);
    const list = (input: object) => run<Page>(service, 'invoices.list', { tenant, ...input });
    const { invoices, next } = await list({ limit: 2 });
    expect(invoices.map(({ number }) => number)).toEqual([3, 2]);
    expect(next).toBe(2);
    expect(await list({ limit: 2, before: next })).toMatchObject({ invoices: [{ number: 1 }], next: null });

    const pay = () => run<{ paidAt: string }>(service, 'invoices.markPaid', { tenant, number: 2 });
    const { paidAt } = await pay();
    await expect(pay()).rejects.toMatchObject({
      kind: 'conflict',
      problems: [{ code: 'invoice_paid', values: { since: paidAt } }],
    });
    expect((await list({ paid: true })).invoices).toMatchObject([{ number: 2, paidAt }]);
    const numbers = async (paid: boolean) => (await list({ paid })).invoices.map(({ number }) => number);
    expect(await numbers(true)).toEqual([2]);
    expect(await numbers(false)).toEqual([3, 1]);
    expect(await list({ memberId: 'somebody else' })).toMatchObject({ invoices: [] });
  });

  it('a member is reminded of an invoice by mail, once a day, until it is paid', async () => {
    const number = await newInvoice(world);
    const remind = () => run(service, 'invoices.remind', { tenant, number });
    const reminders = async () =>
      ((await allRows(service)).mails ?? []).filter((mail) => Object(mail).name === 'invoiceReminder').length;
    await remind();
    await expect(remind()).rejects.toMatchObject({
      kind: 'conflict',
      problems: [{ code: 'invoice_reminded' }],
    });
    expect(await reminders()).toBe(1);
    await run(service, 'invoices.markPaid', { tenant, number });
    await expect(remind()).rejects.toMatchObject({ problems: [{ code: 'invoice_paid' }] });
    expect(await reminders()).toBe(1);
  });

  it('K8: checkouts show their reference as it was sent, and none of the addresses to return to', async () => {
    await newCheckout(world);
    const answer = await run(service, 'checkouts.list', { tenant, memberId: world.memberId });
    // The record of the test was begun in the past of this clock, so its time is over.
    expect(answer).toMatchObject({ checkouts: [{ reference: 'article/42', state: expect.any(String) }] });
    expect(JSON.stringify(answer)).not.toContain('https://app.test');
  });
});

describe('products, packages, channels and consents', () => {
  it('a package keeps what a change does not name', async () => {
    const before = await run<{ packages: object[] }>(service, 'packages.list', { tenant });
    const [known] = before.packages;
    const retired = { tenant, packageId: world.packageId, offered: false };
    expect(await run(service, 'packages.change', retired)).toEqual({ ...known, offered: false });
  });

  it('a package and a channel name products that the tenant has', async () => {
    const elsewhere = await run<{ id: number }>(service, 'products.create', { tenant: 'b.test', name: 'B' });
    const productIds = [world.productId, elsewhere.id];
    const problems = [`there is no product ${elsewhere.id}`];
    const channel = { channelId: 'live', name: 'Live', productIds };
    expect(await refused('channels.define', channel)).toEqual({ kind: 'invalid', problems });
    const changed = { packageId: world.packageId, productIds };
    expect(await refused('packages.change', changed)).toEqual({ kind: 'invalid', problems });
  });

  it('a consent that is retired is listed still, and comes back when it is defined anew', async () => {
    const consent = { tenant, consentId: 'letter', name: 'Letter', atSignUp: true };
    await run(service, 'consents.define', consent);
    const retired = await run(service, 'consents.retire', { tenant, consentId: 'letter' });
    expect(retired).toMatchObject({ retiredAt: expect.stringMatching(/Z$/) });
    expect(await run(service, 'consents.list', { tenant })).toEqual({ consents: [retired], next: null });
    expect(await run(service, 'consents.define', consent)).toEqual({ ...retired, retiredAt: null });
  });
});
