import { beforeAll, describe, expect, it } from 'vitest';
import { flowLifetime } from '../../../src/core/limits.ts';
import {
  back,
  expectLeads,
  invoiced,
  newPackage,
  type Ordering,
  onward,
  type Shopper,
  shopper,
} from '../../support/access/shopper.ts';
import { expectErrorPage } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer, Ask } from '../../support/http.ts';
import { wayOn } from '../../support/members/sign-up.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';
import { field, headingOf } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let browser: Shopper;
let ordering: Ordering;

beforeAll(async () => {
  browser = shopper(service, hosts.a);
  ordering = await begin(browser);
});

const begin = async (by: Shopper, email = 'u1@example.test') =>
  by.order({ packageId: await newPackage(service, by.host, invoiced), callBackUrl: back }, email);

/** Does something that must change nothing. */
const withoutEffect = async (work: () => Promise<Answer>): Promise<Answer> => {
  const before = await allRows(service);
  const answer = await work();
  expect(await allRows(service)).toEqual(before);
  return answer;
};

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const whole = (values: Record<string, string>) => new URLSearchParams(values).toString();

/** Ways to forge a form that has a secret in it: headers, and the body made of the right values. */
const forgeries: [string, Ask['headers'], (values: Record<string, string>, secret: string) => string][] = [
  ['without its secret', form, ({ action = '' }) => whole({ action })],
  ['with an empty secret', form, (values, name) => whole({ ...values, [name]: '' })],
  ['with a made-up secret', form, (values, name) => whole({ ...values, [name]: 'a.b.c' })],
  ['with a changed secret', form, (values, name) => whole({ ...values, [name]: `x${values[name]}` })],
  ['from another origin', { ...form, origin: 'https://evil.test' }, whole],
  ['from another tenant', { ...form, origin: 'https://b.test' }, whole],
  ['from the allowed site', { ...form, origin: 'https://app.test' }, whole],
  ['from another site', { ...form, 'sec-fetch-site': 'cross-site' }, whole],
  ['from another host of the site', { ...form, 'sec-fetch-site': 'same-site' }, whole],
  ['as text/plain', { 'content-type': 'text/plain' }, whole],
  ['as JSON', { 'content-type': 'application/json' }, (values) => JSON.stringify(values)],
  ['without a content type', {}, whole],
];

describe('forged forms', () => {
  it.each(forgeries)(
    'U14: a confirmation %s is 403 and orders nothing',
    async (_what, headers = {}, body) => {
      for (const action of ['confirm', 'cancel', 'address']) {
        const values = { token: field(ordering.page, 'token'), action };
        const ask = { method: 'POST', headers, body: body(values, 'token') };
        expectErrorPage(await withoutEffect(() => browser.send(ordering.path, ask)), 403);
      }
    },
  );

  it.each(forgeries)(
    'U14: an order %s is 403, and the member stays signed in',
    async (_what, headers = {}, body) => {
      for (const action of ['continue', 'sign-in', 'switch', 'cancel']) {
        const values = { order: field(ordering.page, 'order'), action };
        const ask = { method: 'POST', headers, body: body(values, 'order') };
        expectErrorPage(await withoutEffect(() => browser.send('/checkout', ask)), 403);
      }
    },
  );

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])('%s confirms nothing', async (method) => {
    const query = new URLSearchParams({ token: field(ordering.page, 'token'), action: 'confirm' });
    const answer = await withoutEffect(() => browser.send(`${ordering.path}?${query}`, { method }));
    expect(answer.status).toBe(method === 'GET' || method === 'HEAD' ? 200 : 405);
  });

  it('an action that the page does not have does nothing', async () => {
    for (const action of ['CONFIRM', 'pay', '']) {
      expectLeads(await withoutEffect(() => browser.submit(ordering, action)), ordering.path);
    }
  });

  it('the token of another checkout of the same member confirms nothing here', async () => {
    const other = await begin(browser);
    const swapped = { ...ordering, page: other.page };
    expectErrorPage(await withoutEffect(() => browser.submit(swapped, 'confirm')), 403);
  });

  it("the token of the same member's other browser, or earlier session, confirms nothing here", async () => {
    const tablet = shopper(service, hosts.a);
    await begin(tablet);
    const page = await tablet.send(ordering.path);
    expect(headingOf(page)).toBe('Review your order');
    expectErrorPage(await withoutEffect(() => browser.submit({ ...ordering, page }, 'confirm')), 403);

    await tablet.press(page, 'switch');
    const form = await tablet.follow(await tablet.send(ordering.path));
    await tablet.signIn(form, 'u1@example.test');
    expectErrorPage(await withoutEffect(() => tablet.submit({ ...ordering, page }, 'confirm')), 403);
  });
});

describe("what is another's", () => {
  it("K10: another member's checkout is not there, whatever is done with it", async () => {
    const other = shopper(service, hosts.a);
    await begin(other, 'u2@example.test');
    const missing = await other.send('/checkout/019bc186-de03-7376-8892-000000000000');
    for (const path of [ordering.path, `${ordering.path}/return`]) {
      const answer = await withoutEffect(() => other.send(path));
      expectErrorPage(answer, 404);
      // But for the reference, and the address that was asked for.
      const shown = ({ text }: Answer) => text.replace(/Reference: \w+|name="page" value="[^"]+"/g, '');
      expect(shown(answer)).toBe(shown(missing));
    }
    for (const action of ['confirm', 'cancel', 'address']) {
      expectErrorPage(await withoutEffect(() => other.submit(ordering, action)), 404);
    }
  });

  it("K10: tenant A's checkout is not there at B, for a member of the same address", async () => {
    const there = shopper(service, hosts.b);
    await begin(there);
    expectErrorPage(await withoutEffect(() => there.send(ordering.path)), 404);
    expectErrorPage(await withoutEffect(() => there.submit(ordering, 'confirm')), 404);
  });

  it("K10: tenant A's session, order and token are none at B", async () => {
    const offer = await browser.open({ packageId: await newPackage(service, hosts.a) });
    const order = field(offer, 'order');
    const there = shopper(service, hosts.b);
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    expect((await there.send(ordering.path)).headers.location).toMatch(/^\/sign-in\?flow=/);
    expectErrorPage(await withoutEffect(() => there.press(offer, 'continue')), 403);
    expectErrorPage(await withoutEffect(() => there.send(`/checkout/begin?order=${order}`)), 400);
    // At A it still works.
    expect((await browser.send(`/checkout/begin?order=${order}`)).headers.location).toMatch(/^\/checkout\/0/);
  });

  it("A11: another browser's order does not go on, and names the way to start anew", async () => {
    const packageId = await newPackage(service, hosts.a);
    const offer = await shopper(service, hosts.a).open({ packageId, onCheckoutCompletedUrl: onward });
    for (const send of [
      () => browser.press(offer, 'continue'),
      () => browser.press(offer, 'switch'),
      () => browser.send(`/checkout/begin?order=${field(offer, 'order')}`),
    ]) {
      const answer = await withoutEffect(send);
      expectErrorPage(answer, 403);
      expect(headingOf(await browser.send(String(wayOn(answer))))).toMatch(/^Subscribe to Package/);
    }
  });

  it('an order that another member has begun in this browser is not theirs to go on with', async () => {
    const mine = shopper(service, hosts.a);
    await begin(mine);
    const offer = await mine.open({ packageId: await newPackage(service, hosts.a) });
    const path = `/checkout/begin?order=${field(offer, 'order')}`;
    const first = await mine.send(path);
    expect(first.headers.location).toMatch(/^\/checkout\/0/);
    await mine.follow(await mine.press(offer, 'switch'));
    const form = await mine.follow(await mine.send('/account'));
    await mine.signIn(form, 'u2@example.test');
    expectErrorPage(await withoutEffect(() => mine.send(path)), 403);
    expectErrorPage(await withoutEffect(() => mine.send(String(first.headers.location))), 404);
  });
});

describe('an order', () => {
  it('that is sent twice, or opened again later, begins one checkout', async () => {
    const offer = await browser.open({ packageId: await newPackage(service, hosts.a) });
    const path = `/checkout/begin?order=${field(offer, 'order')}`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => browser.send(path)));
    expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1);
    expect((await withoutEffect(() => browser.send(path))).headers.location).toBe(
      answers[0]?.headers.location,
    );
  });

  it.each(['', '?order=', '?order=a.b.c', '?order=a.b.c&order=a.b.c'])(
    'that is none (%s) begins nothing',
    async (query) => {
      expectErrorPage(await withoutEffect(() => browser.send(`/checkout/begin${query}`)), 400);
    },
  );

  it('that lies around for too long is stale, and names the way to start anew', async () => {
    const packageId = await newPackage(service, hosts.a);
    const offer = await browser.open({ packageId, callBackUrl: back });
    service.clock.advance(flowLifetime);
    const answer = await withoutEffect(() => browser.press(offer, 'continue'));
    expectErrorPage(answer, 403);
    expect(wayOn(answer)).toBe(
      `/checkout?${new URLSearchParams({ packageId: String(packageId), callBackUrl: back })}`,
    );
    expectErrorPage(await browser.send(`/checkout/begin?order=${field(offer, 'order')}`), 403);
  });
});

describe('frames', () => {
  it('U24, W1: no page of the checkout lets itself be framed, or kept, or runs a script of its own', async () => {
    const mine = shopper(service, hosts.a);
    const packageId = await newPackage(service, hosts.a);
    const own = await mine.order({ packageId });
    const pages = {
      choose: await mine.open(),
      offer: await shopper(service, hosts.a).open({ packageId }),
      held: await mine.open({ packageId: 1 }),
      summary: own.page,
      address: await mine.send(`${own.path}?change=address`),
      missing: await mine.send('/checkout/x'),
      forged: await mine.send(own.path, { body: { action: 'confirm' } }),
      refused: await mine.open({ callBackUrl: 'https://evil.test' }),
      nothing: await mine.send('/checkout/cancelled'),
    };
    await mine.submit(own, 'confirm');
    const all = { ...pages, completed: await mine.send(own.path) };
    expect(Object.values(all).map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 200, 404, 403, 400, 200, 200,
    ]);
    for (const [name, { headers, text }] of Object.entries(all)) {
      const policy = String(headers['content-security-policy']);
      expect(policy, name).toContain("frame-ancestors 'none'");
      expect(policy, name).toContain("default-src 'none'");
      expect(policy, name).not.toContain('unsafe-inline');
      expect(headers['x-frame-options'], name).toBe('DENY');
      expect(headers['cache-control'], name).toBe('no-store');
      expect(headers['referrer-policy'], name).toBe('no-referrer');
      expect(text, name).not.toMatch(/<script(?![^>]*src="\/assets\/)|\son\w+=|style=/i);
    }
  });
});

describe('secrets', () => {
  it('W7: no order, token, cookie or address to lead back to is in the log', () => {
    const log = service.logLines.join('');
    expect(log).toContain('/checkout/:id');
    const secrets = [
      field(ordering.page, 'order'),
      field(ordering.page, 'token'),
      ...browser.cookies.values(),
    ];
    for (const secret of secrets) expect(log).not.toContain(secret);
    // The operator hears which site was refused, and nothing of what is behind it.
    const refused = 'leads to https://evil.test, which is not allowed';
    expect(log.replaceAll(refused, '')).not.toMatch(/app\.test|evil\.test|eyJ/);
  });
});
