import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Price } from '../../../src/core/access/package.ts';
import type { Subscription } from '../../../src/core/access/subscription.ts';
import { addPackage, addProduct } from '../../../src/operations/access/package.ts';
import {
  addSubscription,
  changeSubscription,
  type SubscriptionChange,
} from '../../../src/operations/access/subscription.ts';
import { listPackages } from '../../../src/storage/access/package.ts';
import { findClient, updateClient } from '../../../src/storage/clients/client.ts';
import { codesFor, pageOf, setLimits, tenantOf, textOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { type AccountVisitor, accountOf, expectDone, expectLeadsTo } from '../../support/members/account.ts';
import { packageRecord } from '../../support/records/access-records.ts';
import { allRows } from '../../support/records/rows.ts';
import { apps, claimsOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, tokensFor } from '../../support/visitor.ts';

const url = '/account/subscriptions';
const day = 24 * 60 * 60 * 1_000;

const service = useService({ data: 'security' });
let browser: AccountVisitor;
let memberId: string;

beforeAll(async () => {
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
  browser = await accountOf(service, hosts.a);
  memberId = String(claimsOf((await tokensFor(service, hosts.a, {}, browser)).access_token).sub);
});

/** A member without a subscription, an order or an invoice. */
beforeEach(async () => {
  await service.store.transaction(async (tx) => {
    for (const table of ['invoices', 'checkouts', 'subscriptions'] as const) {
      await tx.deleteFrom(table).where('memberId', '=', memberId).execute();
    }
  });
});

/** The package of this name, whose name is its products' too; adds it where there is none. @returns its id */
const packageOf = (name: string, price: Price, count = 1, renews = true) =>
  service.store.transaction(async (tx) => {
    const { id } = tenantOf(service, hosts.a);
    const known = (await listPackages(tx, id)).find((one) => one.name === name);
    if (known !== undefined) return known.id;
    const payment = price.amount === 0 ? 'free' : 'invoice';
    const { id: _, tenantId, products, ...facts } = packageRecord({ name, price, payment });
    const productIds = [await addProduct(tx, id, `${name} One`), await addProduct(tx, id, `${name} Two`)];
    return addPackage(tx, id, { ...facts, renews, period: { unit: 'month', count } }, productIds);
  });

type Times = Pick<Subscription, 'activatedAt' | 'expiresAt'>;

/** A period that begins and ends this many days from now. */
const inDays = (from: number, to: number): Times => ({
  activatedAt: service.clock.now() + from * day,
  expiresAt: service.clock.now() + to * day,
});

/** Gives the member a subscription, and does something to it. */
const give = async (packageId: number, times: Times, change?: SubscriptionChange, owner = memberId) =>
  service.store.transaction(async (tx) => {
    const { id: tenantId } = tenantOf(service, hosts.a);
    const createdAt = service.clock.now();
    const facts = { memberId: owner, packageId, createdAt, customPropertyValues: {}, ...times };
    const id = await addSubscription(tx, tenantId, facts);
    if (change !== undefined) await changeSubscription(tx, tenantId, id, change, service.clock.now());
    return id;
  });

const nok = { amount: 19_900, currency: 'NOK' };

/** Each card's text, in the order of the page. */
const cardsOf = ({ text }: Answer) =>
  [...text.matchAll(/<section class="card plan">[\s\S]*?<\/section>/g)].map(([html]) =>
    textOf({ text: html } as Answer).trim(),
  );

const press = (id: number | string, action: string) =>
  browser.submit(url, { subscription: String(id), action });

describe('the list of subscriptions', () => {
  it('pages 18: has every one, running ones first, and says in words what each does', async () => {
    const packageId = await packageOf('Platinum', nok);
    await give(packageId, inDays(-40, -1));
    await give(packageId, inDays(-40, 20), 'end');
    await give(packageId, inDays(5, 35));
    await give(packageId, { activatedAt: null, expiresAt: null });
    await give(packageId, inDays(-10, 20), 'cancel');
    await give(packageId, inDays(-10, 21));
    const shown = cardsOf(await browser.send(url)).map((text) => text.replace(/ Includes.*/, ''));
    expect(shown).toEqual([
      'Active Platinum Renews on February 5, 2026 · NOK 199.00 per month',
      'Cancelled Platinum Ends on February 4, 2026',
      'Waiting for payment Platinum Begins when your payment arrives',
      'Not started yet Platinum Begins on January 20, 2026',
      'Ended Platinum Ended on January 15, 2026',
      'Ended Platinum Ended on January 14, 2026',
    ]);
  });

  it('pages 18: one that is not renewed says when it ends, and no price', async () => {
    await give(await packageOf('Once', nok, 1, false), inDays(-1, 20));
    const [text] = cardsOf(await browser.send(url));
    expect(text).toMatch(/^Active Once Ends on February 4, 2026 Includes/);
  });

  it('pages 21: tells its days as they are where the member lives, and as those of UTC where that is not known', async () => {
    const { expiresAt, ...times } = inDays(-1, 20);
    const packageId = await packageOf('Nightly', nok, 1, false);
    await give(packageId, { ...times, expiresAt: Number(expiresAt) + 11.5 * 60 * 60 * 1_000 });
    const endsFor = async (addressCountry: string | null) => {
      await service.store.transaction((tx) =>
        tx.updateTable('members').set({ addressCountry }).where('id', '=', memberId).execute(),
      );
      return /Ends on ([^.]+?) Includes/.exec(cardsOf(await browser.send(url))[0] ?? '')?.[1];
    };
    expect(await endsFor('NO')).toBe('February 5, 2026');
    expect(await endsFor(null)).toBe('February 4, 2026');
  });

  it('the clock says what it does, and no job', async () => {
    await give(await packageOf('Clock', nok), inDays(-1, 1));
    service.clock.advance(2 * day);
    const [text] = cardsOf(await browser.send(url));
    expect(text).toContain('Ended on January 16, 2026');
    expect(text).not.toContain('Cancel');
  });

  it('pages 20: says what a member without any has, and leads on to the plans', async () => {
    await packageOf('Offered', nok);
    for (const path of [url, '/account']) {
      const page = await browser.send(path);
      expect(textOf(page)).toContain('You have no subscription yet. See plans');
      expect(page.text).toContain('href="/checkout"');
    }
  });

  it('pages 18: names what a subscription is renewed for, as often as that is', async () => {
    await give(await packageOf('Seldom', { amount: 29_900, currency: 'NOK' }, 3), inDays(-1, 1));
    for (const path of [url, '/account']) {
      expect(textOf(await browser.send(path))).toMatch(/Renews on [^·]+ · NOK 299.00 per 3 months/);
    }
  });
});

describe('in a browser that an app led here which may not sell', () => {
  /** The app asks for the sign-in, as it does each time that it leads to the service. */
  const comeFrom = async (clientId: string, redirectUri: string) => {
    await browser.authorize(authorizationParameters(clientId, redirectUri, pkce(), { prompt: 'login' }));
  };

  it('pages 12: no account page names a price or leads to a checkout, until another app leads here', async () => {
    const offered = 'Offered to everybody';
    await packageOf(offered, { amount: 77_700, currency: 'NOK' });
    await give(await packageOf('Held', nok, 3), inDays(-1, 1));
    await comeFrom('nosign', 'https://nosign.test/cb');
    const menu = (await browser.send('/account')).text;
    const paths = [...menu.matchAll(/href="(\/account\/\w+)"/g)].map(([, path]) => String(path));
    expect(paths).toContain(url);
    for (const path of ['/account', ...paths]) {
      const page = await browser.send(path);
      expect(page.text).not.toMatch(/checkout|subscribe/i);
      // Ids are of any digits: the price is looked for in what is read.
      expect(textOf(page)).not.toMatch(/777|199|NOK|month/);
      expect(page.text).not.toContain(offered);
    }
    expect(cardsOf(await browser.send(url))[0]).toContain(
      'Includes Held One and Held Two Cancel subscription',
    );
    await comeFrom('conf1', apps.conf1.redirectUri);
    expect((await browser.send('/account')).text).toContain('href="/checkout"');
  });

  it('pages 12: the same holds once a TV of such an app was opened', async () => {
    await packageOf('Offered', nok);
    const other = await accountOf(service, hosts.a, 'u2@example.test');
    expect((await other.send('/account')).text).toContain('href="/checkout"');
    await service.store.transaction(async (tx) => {
      const client = await findClient(tx, tenantOf(service, hosts.a).id, 'pub2');
      if (client !== null) await updateClient(tx, { ...client, signupDisabled: true });
    });
    const { user_code: userCode } = await codesFor(service, hosts.a, apps.pub2);
    await other.send(pageOf(userCode));
    expect((await other.send('/account')).text).not.toContain('checkout');
  });
});

describe('cancelling', () => {
  const held = () => service.store.transaction((tx) => tx.selectFrom('subscriptions').selectAll().execute());
  const stored = async (id: number) => (await held()).find((row) => row.id === id);

  it('pages 18: says until when it runs before it asks, and goes on until then', async () => {
    const id = await give(await packageOf('Silver', nok), inDays(-1, 20));
    const before = await stored(id);
    const [asking] = cardsOf(await browser.send(url));
    expect(asking).toContain('Cancel subscription You keep access until');
    expectDone(await press(id, 'cancel'), url, 'cancelled');
    const page = await browser.send(url);
    // What can be taken back has its button on the next page (pages 22).
    expect(textOf(page)).toContain('Your subscription is cancelled. Keep it');
    expect(cardsOf(page)[0]).toMatch(/^Cancelled Silver Ends on /);
    const after = await stored(id);
    expect(after).toEqual({ ...before, state: 'cancelled', cancelledAt: expect.any(Number) });
    expect(textOf(await browser.send('/account'))).toContain('Silver');
  });

  it('sent twice, cancels once', async () => {
    const id = await give(await packageOf('Twice', nok), inDays(-1, 20));
    await press(id, 'cancel');
    const once = await stored(id);
    expectDone(await press(id, 'cancel'), url, 'cancelled');
    expect(await stored(id)).toEqual(once);
  });

  it('can be taken back while the period runs', async () => {
    const id = await give(await packageOf('Back', nok), inDays(-1, 20));
    const before = await stored(id);
    await press(id, 'cancel');
    expectDone(await press(id, 'resume'), url, 'resumed');
    expect(textOf(await browser.send(url))).toContain('Your subscription continues.');
    expect(await stored(id)).toEqual({ ...before, state: 'active' });
  });

  it('ends one that has not begun at once, and says so before', async () => {
    const id = await give(await packageOf('Later', nok), inDays(5, 35));
    expect(cardsOf(await browser.send(url))[0]).toContain('It has not started yet, so it ends right away.');
    await press(id, 'cancel');
    expect(await stored(id)).toMatchObject({ state: 'ended', endedAt: expect.any(Number) });
    expect(cardsOf(await browser.send(url))[0]).not.toContain('Cancel');
  });

  it.each(['cancel', 'resume'])(
    '%s changes nothing of one that ended while the page was open',
    async (action) => {
      const id = await give(await packageOf('Open', nok), inDays(-1, 1), 'cancel');
      const token = field(await browser.send(url), 'token');
      service.clock.advance(2 * day);
      const answer = await browser.send(url, { body: { token, subscription: String(id), action } });
      expectLeadsTo(answer, url);
      const { expiresAt, cancelledAt } = (await stored(id)) ?? {};
      expect([expiresAt, cancelledAt]).not.toContain(null);
      expect(cardsOf(await browser.send(url))[0]).toMatch(/^Ended Open Ended on/);
    },
  );

  it("X1: another member's id, another tenant's, a made-up one and another action are 404 and change nothing", async () => {
    const packageId = await packageOf('Mine', nok);
    const own = await give(packageId, inDays(-1, 20));
    const other = await accountOf(service, hosts.a, 'u2@example.test');
    const { sub } = claimsOf((await tokensFor(service, hosts.b)).access_token);
    const foreign = (await held()).filter((row) => row.memberId !== memberId);
    expect(foreign.map((row) => row.memberId)).toContain(sub);
    // The pages of the other member are there, and have buttons.
    expect(cardsOf(await other.send(url)).join()).toContain('Cancel');
    const before = await allRows(service, ['sessions']);
    for (const id of [...foreign.map((row) => row.id), 'x', '', '-1', '1e3', '9'.repeat(40), 987_654]) {
      for (const action of ['cancel', 'resume']) expect((await press(id, action)).status, `${id}`).toBe(404);
    }
    for (const action of ['end', 'renew', 'activate', ''])
      expect((await press(own, action)).status).toBe(404);
    expect(await allRows(service, ['sessions'])).toEqual(before);
  });
});
