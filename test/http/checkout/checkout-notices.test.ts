import { beforeAll, describe, expect, it } from 'vitest';
import { checkoutLifetime } from '../../../src/core/access/limits.ts';
import { deleteMember, disableMember } from '../../../src/operations/member/member.ts';
import { givenOnce, price, startCardShop } from '../../support/access/card.ts';
import {
  hostedName,
  paymentSecret,
  signedNotice,
  signedReturn,
} from '../../support/access/hosted-payment.ts';
import { expectLeads, onward } from '../../support/access/shopper.ts';
import type { Row } from '../../support/access/summaries.ts';
import { tenantOf } from '../../support/device.ts';
import { expectJsonError } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { allRows } from '../../support/records/rows.ts';
import type { TestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-service.ts';
import { headingOf } from '../../support/visitor.ts';

const shop = useStarted(startCardShop);
let service: TestService;

beforeAll(() => {
  ({ service } = shop);
});

const withoutEffect = async <T>(work: () => Promise<T>): Promise<T> => {
  const before = await allRows(service);
  const result = await work();
  expect(await allRows(service)).toEqual(before);
  return result;
};

describe('a notice of the provider', () => {
  it('gives the subscription once, however often it comes and even if the member comes back meanwhile', async () => {
    const { browser, packageId, paid, returnPath } = await shop.open();
    const [notices, returns] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => shop.notify(paid))),
      Promise.all(Array.from({ length: 10 }, () => browser.send(returnPath + signedReturn(paid)))),
    ]);
    for (const { status, text, headers } of notices) {
      expect([status, text, headers['cache-control']]).toEqual([200, '', 'no-store']);
    }
    for (const answer of returns) expectLeads(answer, onward);
    expect(await shop.given(packageId)).toEqual(givenOnce);
    const { checkouts = [] } = await allRows(service);
    expect((checkouts as readonly Row[]).find((row) => row.packageId === packageId)).toMatchObject({
      paymentReference: paid.kind === 'paid' ? paid.paymentReference : '',
    });
  });

  it('with a wrong signature is 400 and changes nothing', async () => {
    const { paid } = await shop.open();
    const forged = signedNotice(paid, 'another secret');
    const path = `/checkout/payments/${hostedName}`;
    for (const send of [
      () => shop.notify(paid, { secret: 'another secret' }),
      () => service.http(hosts.a, path, { body: '{}', method: 'POST' }),
      () => service.http(hosts.a, path, { method: 'POST' }),
      () =>
        service.http(hosts.a, path, {
          method: 'POST',
          headers: signedNotice(paid).headers,
          body: forged.body.replace('49900', '49901'),
        }),
    ]) {
      expectJsonError(await withoutEffect(send), 400, 'invalid_request');
    }
  });

  it('of another price is 409, is logged, and changes nothing', async () => {
    const { paid, ordering } = await shop.open();
    const lines = service.logLines.length;
    const wrong = { ...paid, price: { ...price, amount: 100 } };
    expectJsonError(await withoutEffect(() => shop.notify(wrong)), 409, 'invalid_request');
    const log = service.logLines.slice(lines).join('');
    expect(log).toContain('a payment is not of the price of its checkout');
    expect(log).toContain(ordering.id);
    expect((await shop.notify(paid)).status).toBe(200);
  });

  it('of a second payment for the same checkout is taken in and logged, and gives nothing more', async () => {
    const { packageId, paid, ordering } = await shop.open();
    await shop.notify(paid);
    const lines = service.logLines.length;
    await shop.notify(paid);
    expect(service.logLines.slice(lines).join('')).not.toContain('paid twice');
    const second = { ...paid, paymentReference: 'another payment' };
    expect((await withoutEffect(() => shop.notify(second))).status).toBe(200);
    const log = service.logLines.slice(lines).join('');
    expect(log).toContain('a checkout was paid twice');
    expect(log).toContain(ordering.id);
    expect(await shop.given(packageId)).toEqual(givenOnce);
  });

  it('of a payment that failed is taken in, and changes nothing', async () => {
    const { ordering } = await shop.open();
    const unpaid = { kind: 'unpaid', checkoutId: ordering.id } as const;
    expect((await withoutEffect(() => shop.notify(unpaid))).status).toBe(200);
  });

  it.each(['free', 'invoice', 'seashells', '__proto__'])('for the method %s is 404', async (method) => {
    const { paid } = await shop.open();
    expectJsonError(await withoutEffect(() => shop.notify(paid, { method })), 404, 'invalid_request');
  });

  it('K10: at another tenant, or of a checkout that is not there, is 404 and changes nothing', async () => {
    const { paid } = await shop.open();
    expectJsonError(await withoutEffect(() => shop.notify(paid, { host: hosts.b })), 404, 'invalid_request');
    const unknown = { ...paid, checkoutId: 'unknown' };
    expectJsonError(await withoutEffect(() => shop.notify(unknown)), 404, 'invalid_request');
  });

  it('H4, H7: comes by POST, and is not long', async () => {
    const path = `/checkout/payments/${hostedName}`;
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await service.http(hosts.a, path, { method })).status, method).toBe(405);
    }
    const body = 'x'.repeat(20_000);
    expect((await service.http(hosts.a, path, { method: 'POST', body })).status).toBe(413);
  });

  it('W7: neither its signature nor what it says is in the log', async () => {
    const { paid } = await shop.open();
    await shop.notify(paid);
    const log = service.logLines.join('');
    expect(log).toContain('/checkout/payments/:method');
    expect(log).not.toContain(signedNotice(paid).headers['x-signature']);
    expect(log).not.toContain('payment of ');
    expect(log).not.toContain(paymentSecret);
  });
});

describe('a payment that comes late', () => {
  it('is honoured after the checkout was cancelled', async () => {
    const { browser, packageId, ordering, paid } = await shop.open();
    await browser.submit(ordering, 'cancel');
    expect((await shop.notify(paid)).status).toBe(200);
    expect(await shop.given(packageId)).toEqual(givenOnce);
    expect(headingOf(await browser.send(ordering.path))).toBe('You are subscribed');
  });

  it('is honoured after the checkout has expired', async () => {
    const { browser, packageId, paid, returnPath } = await shop.open();
    service.clock.advance(2 * checkoutLifetime);
    expectLeads(await browser.send(returnPath + signedReturn(paid)), onward);
    expect(await shop.given(packageId)).toEqual(givenOnce);
  });

  it('for a package that the member got meanwhile makes it longer', async () => {
    const { browser, packageId, paid } = await shop.open();
    const second = await browser.order({ packageId });
    await shop.notify(paid);
    expect((await shop.notify({ ...paid, checkoutId: second.id })).status).toBe(200);
    const { subscriptions = [] } = await allRows(service);
    const [first, next] = (subscriptions as readonly Row[]).filter((row) => row.packageId === packageId);
    expect(next?.activatedAt).toBe(first?.expiresAt);
  });

  it('is honoured for a member who was disabled, and without a mail for one who was deleted', async () => {
    const disabled = await shop.open('u2@example.test');
    const deleted = await shop.open('u2@example.test');
    const { id: tenantId } = tenantOf(service, hosts.a);
    const { checkouts = [] } = await allRows(service);
    const memberId = String(
      (checkouts as readonly Row[]).find((row) => row.packageId === disabled.packageId)?.memberId,
    );
    const now = service.clock.now();
    await service.store.transaction((tx) => disableMember(tx, tenantId, memberId, now));
    expect((await shop.notify(disabled.paid)).status).toBe(200);
    expect(await shop.given(disabled.packageId)).toEqual(givenOnce);
    await service.store.transaction((tx) => deleteMember(tx, tenantId, memberId, now));
    expect((await shop.notify(deleted.paid)).status).toBe(200);
    expect(await shop.given(deleted.packageId)).toEqual({ ...givenOnce, mails: 0 });
  });
});
