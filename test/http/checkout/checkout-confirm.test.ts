import { describe, expect, it } from 'vitest';
import {
  type Invoicing,
  inGroups,
  invoicingDefaults,
  paymentReference,
} from '../../../src/core/access/invoicing.ts';
import { checkoutLifetime } from '../../../src/core/access/limits.ts';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import { back, expectLeads, invoiced, onward } from '../../support/access/shopper.ts';
import {
  countsOf,
  givenOf,
  type Row,
  rowsOf,
  type Summary,
  summariesOf,
} from '../../support/access/summaries.ts';
import { tenantOf, textOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { day } from '../../support/records/records.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';
import { headingOf } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const summaries = summariesOf(() => service);

const query = { reference: 'r', onCheckoutCompletedUrl: onward, callBackUrl: back };

describe('confirming', () => {
  it('decision 40: gives the subscription, the invoice and the mail, and leads on', async () => {
    const { browser, packageId, ordering } = await summaries.open(invoiced);
    const before = service.clock.now();
    expectLeads(await browser.submit(ordering, 'confirm'), onward);
    const { subscriptions, invoices, mails } = await givenOf(service, packageId);
    const [subscription] = subscriptions;
    expect(subscription).toMatchObject({ state: 'active', endedAt: null });
    expect(Number(subscription?.activatedAt)).toBeGreaterThanOrEqual(before);
    const issuedAt = Number(subscription?.activatedAt);
    expect(invoices).toMatchObject([
      {
        packageName: expect.stringMatching(/^Package/),
        amount: 19_900,
        currency: 'NOK',
        issuedAt,
        dueAt: issuedAt + 14 * day,
        paidAt: null,
        memberId: subscription?.memberId,
      },
    ]);
    expect(JSON.parse(String(invoices[0]?.addressee))).toMatchObject({
      name: 'Recipient 1',
      line1: 'Street 1',
      country: 'NO',
      email: 'post1@example.test',
    });
    expect(mails).toMatchObject([{ to: 'u1@example.test', language: 'en' }]);
    const text = String(mails[0]?.text).replaceAll('\u00a0', ' ');
    for (const line of [
      'Price: NOK 199.00 per month',
      'Runs until: February 15, 2026',
      `Invoice: ${invoices[0]?.number}`,
      'Amount: NOK 199.00',
      `Reference: ${inGroups(paymentReference(Number(invoices[0]?.number)))}`,
      'Due on: January 29, 2026',
      `https://a.test/account/invoices/${invoices[0]?.number}`,
    ]) {
      expect(text).toContain(line);
    }
    expect((await rowsOf(service, 'checkouts', packageId))[0]).toMatchObject({
      state: 'completed',
      subscriptionId: subscription?.id,
    });
  });

  it('says how many seats are ordered: with the plan, the order, the mail and the invoice', async () => {
    const { browser, packageId, ordering } = await summaries.open({ ...invoiced, seats: 10 });
    expect((await browser.open({ packageId })).text).toContain('10 seats for people you choose');
    expect(ordering.page.text).toContain('<span class="soft">10 seats</span>');
    expectLeads(await browser.submit(ordering, 'confirm'), onward);
    await service.delivered();
    expect(service.outbox.last('u1@example.test').text).toMatch(/Subscription: Package \d+, 10 seats\n/);
    const { invoices } = await givenOf(service, packageId);
    expect(invoices).toMatchObject([{ seats: 10 }]);
    const invoice = await browser.send(`/account/invoices/${invoices[0]?.number}`);
    expect(invoice.text).toContain('<span class="soft">10 seats</span>');
  });

  it('pages 18: leads a buyer of seats on to inviting people: at the end, in the mail and on the card', async () => {
    const { browser, packageId, ordering } = await summaries.open({ ...invoiced, seats: 10 });
    await browser.submit(ordering, 'confirm');
    await service.delivered();
    const { subscriptions } = await givenOf(service, packageId);
    const seats = `/account/seats/${subscriptions[0]?.id}`;
    const done = await browser.send(ordering.path);
    expect(done.text).toContain(`<a class="button secondary" href="${seats}">Invite people</a>`);
    const again = await browser.open({ packageId });
    expect(again.text).toContain('You already have this');
    expect(again.text).toContain(`<a class="button secondary" href="${seats}">Invite people</a>`);
    const mail = service.outbox.last('u1@example.test');
    expect(mail.text).toContain(`Invite people\nhttps://a.test${seats}\n`);
    expect(mail.html).toContain(`href="https://a.test${seats}"`);
    expect(textOf(await browser.send('/account/subscriptions'))).toContain('Invite people');
    expect((await browser.send(seats)).status).toBe(200);
  });

  it('says nothing of inviting people to a buyer of a plan without seats', async () => {
    const { browser, ordering } = await summaries.open(invoiced);
    await browser.submit(ordering, 'confirm');
    await service.delivered();
    expect((await browser.send(ordering.path)).text).not.toContain('Invite people');
    expect(service.outbox.last('u1@example.test').text).not.toContain('Invite people');
  });

  it('an invoice says how it is paid, and what of it is tax, as that was when it was written', async () => {
    const { id } = tenantOf(service, hosts.a);
    const setInvoicing = (invoicing: Partial<Invoicing>) =>
      service.store.transaction(async (tx) => {
        await changeTenant(tx, id, { invoicing });
        await service.tenants.reload(tx);
      });
    const payTo = { payee: 'A Ltd', account: 'NO93 8601 1117 947', bic: 'DNBANOKK', note: 'VAT 12' };
    await setInvoicing({ ...payTo, dueDays: 30 });
    const { browser, packageId, ordering } = await summaries.open({
      ...invoiced,
      taxName: 'GST',
      taxPercent: 8.1,
    });
    await browser.submit(ordering, 'confirm');
    await setInvoicing(invoicingDefaults);
    const [row] = (await givenOf(service, packageId)).invoices;
    expect(row).toMatchObject({ taxName: 'GST', taxRate: 810 });
    expect(JSON.parse(String(row?.payTo))).toEqual(payTo);
    expect(Number(row?.dueAt) - Number(row?.issuedAt)).toBe(30 * day);
  });

  it('a free package has no invoice, and its mail says that it is free', async () => {
    const { browser, packageId, ordering } = await summaries.open();
    expect(ordering.page.text).toContain('Nothing to pay');
    await browser.submit(ordering, 'confirm');
    expect(await countsOf(service, packageId)).toEqual([1, 0, 1]);
    const text = String((await givenOf(service, packageId)).mails[0]?.text);
    expect(text).toContain('Price: Free\n');
    expect(text).not.toMatch(/Invoice|Due/);
  });

  it('decision 40: 20 at once from one page give one subscription, one invoice, one mail, and one answer', async () => {
    const { browser, packageId, ordering } = await summaries.open(invoiced);
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.submit(ordering, 'confirm')));
    for (const answer of answers) expectLeads(answer, onward);
    expect(await countsOf(service, packageId)).toEqual([1, 1, 1]);
  });

  it('decision 40: from two tabs, of one order and of two, one package is given once', async () => {
    const { browser, packageId, ordering } = await summaries.open(invoiced);
    const sameOrder = { ...ordering, page: await browser.send(ordering.path) };
    const otherOrder = await browser.order({ ...query, packageId });
    expect(otherOrder.id).not.toBe(ordering.id);
    const [first, second] = [
      await browser.submit(ordering, 'confirm'),
      await browser.submit(sameOrder, 'confirm'),
    ];
    expectLeads(first, onward);
    expectLeads(second, onward);
    const third = await browser.submit(otherOrder, 'confirm');
    expectLeads(third, otherOrder.path);
    expect(headingOf(await browser.follow(third))).toBe('You already have this plan');
    expect(await countsOf(service, packageId)).toEqual([1, 1, 1]);
  });

  it('pages 7: by the back button and again leads to the same place; the page says that it is done', async () => {
    const { browser, packageId, ordering } = await summaries.open(invoiced);
    await browser.submit(ordering, 'confirm');
    service.clock.advance(3 * checkoutLifetime);
    expectLeads(await browser.submit(ordering, 'confirm'), onward);
    const page = await browser.send(ordering.path);
    expect(headingOf(page)).toBe('You are subscribed');
    expect(textOf(page)).toMatch(/How to pay Amount NOK.199\.00 Due date .*Reference RF\d\d \d/);
    expect(page.text).toContain(`href="${onward.replaceAll('&', '&amp;')}"`);
    // Cancelling comes too late, and says so by what is there.
    expectLeads(await browser.submit(ordering, 'cancel'), ordering.path);
    expect(await countsOf(service, packageId)).toEqual([1, 1, 1]);
  });

  it('invoice numbers count up by one within a tenant, also when many order at once', async () => {
    const orders: Summary[] = [];
    for (const email of ['u1@example.test', 'u2@example.test', 'u1@example.test', 'u2@example.test']) {
      orders.push(await summaries.open(invoiced, email));
    }
    await Promise.all(orders.map(({ browser, ordering }) => browser.submit(ordering, 'confirm')));
    const { invoices = [] } = await allRows(service);
    const { id } = tenantOf(service, hosts.a);
    const numbers = (invoices as readonly Row[])
      .filter(({ tenantId }) => tenantId === id)
      .map(({ number }) => Number(number))
      .sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });
});

describe('turning back', () => {
  it('orders nothing, and the checkout cannot be confirmed after it', async () => {
    const { browser, packageId, ordering } = await summaries.open(invoiced);
    expectLeads(await browser.submit(ordering, 'cancel'), back);
    expectLeads(await browser.submit(ordering, 'cancel'), back);
    const answer = await browser.submit(ordering, 'confirm');
    expectLeads(answer, ordering.path);
    const page = await browser.follow(answer);
    expect(headingOf(page)).toBe('Nothing was ordered');
    const again = /<a class="button primary" href="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
    expect(headingOf(await browser.send(String(again)))).toMatch(/^Subscribe to Package/);
    expect(await countsOf(service, packageId)).toEqual([0, 0, 0]);
  });

  it('a checkout that was open too long orders nothing, and offers to start anew', async () => {
    const { browser, packageId, ordering } = await summaries.open(invoiced);
    service.clock.advance(checkoutLifetime);
    const page = await browser.send(ordering.path);
    expect(headingOf(page)).toBe('This order has expired');
    expect(page.text).toContain(`href="/checkout?packageId=${packageId}&amp;`);
    expectLeads(await browser.submit(ordering, 'confirm'), ordering.path);
    expectLeads(await browser.submit(ordering, 'cancel'), back);
    expect(await countsOf(service, packageId)).toEqual([0, 0, 0]);
  });
});
