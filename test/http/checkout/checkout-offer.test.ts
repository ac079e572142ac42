import { beforeAll, describe, expect, it } from 'vitest';
import { referenceLength } from '../../../src/core/access/limits.ts';
import { back, expectLeads, invoiced, newPackage, onward, shopper } from '../../support/access/shopper.ts';
import { textOf } from '../../support/device.ts';
import { expectErrorPage } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';
import { field, headingOf } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let packageId: number;
let withdrawnId: number;

beforeAll(async () => {
  packageId = await newPackage(service, hosts.a, { ...invoiced, name: 'Silver <b>' });
  withdrawnId = await newPackage(service, hosts.a, { name: 'Withdrawn', offered: false });
});

const visitor = () => shopper(service, hosts.a);

describe('a visitor who is not signed in', () => {
  it('decision 40: sees one offer: name, description, products and price; nothing is written but a cookie', async () => {
    const before = await allRows(service);
    const browser = visitor();
    const page = await browser.open({ packageId, reference: 'article-7', onCheckoutCompletedUrl: onward });
    expect(page.status).toBe(200);
    expect(headingOf(page)).toBe('Subscribe to Silver &lt;b&gt;');
    expect(textOf(page).replaceAll('\u00a0', ' ')).toMatch(
      /NOK 199 per month Everything there is Product \d+ Your order Silver <b>.* NOK 199\.00 Total Due by January 29, 2026 NOK 199\.00 Ends on February 15, 2026\. It does not renew automatically\. Continue I have an account Cancel/,
    );
    expect([...browser.cookies.keys()]).toEqual(['__Host-memberdoor-browser']);
    expect(await allRows(service)).toEqual(before);
  });

  it('decision 40: goes through sign-in or sign-up to the checkout; nothing is written on the way', async () => {
    const before = await allRows(service);
    for (const [action, heading] of [
      ['sign-in', 'Sign in'],
      ['sign-up', 'Create an account'],
    ] as const) {
      const browser = visitor();
      const answer = await browser.press(await browser.open({ packageId }), action);
      expect(answer.status).toBe(303);
      const page = await browser.follow(answer);
      expect(headingOf(page)).toBe(heading);
      // The steps of the checkout stay where they were.
      expect(page.text).toMatch(
        /<li>1 Plan<\/li>\s*<li aria-current="step">2 Account<\/li>\s*<li>3 Pay<\/li>/,
      );
      expect([...browser.cookies.keys()]).toEqual(['__Host-memberdoor-browser']);
    }
    expect(await allRows(service)).toEqual(before);
  });

  it('decision 40: signed in, is at the checkout of this very order', async () => {
    const browser = visitor();
    const query = { packageId, reference: 'article-7', onCheckoutCompletedUrl: onward, callBackUrl: back };
    const { id, page } = await browser.order(query);
    expect(headingOf(page)).toBe('Review your order');
    const { checkouts = [] } = await allRows(service);
    expect(checkouts.filter((row) => (row as { id: string }).id === id)).toMatchObject([
      { packageId, reference: 'article-7', onCheckoutCompletedUrl: onward, callBackUrl: back, state: 'open' },
    ]);
  });

  it('is led on by Cancel, or to a page that says that nothing was ordered', async () => {
    const browser = visitor();
    expectLeads(await browser.press(await browser.open({ packageId, callBackUrl: back }), 'cancel'), back);
    const query = { packageId, onCheckoutCompletedUrl: onward };
    const page = await browser.follow(await browser.press(await browser.open(query), 'cancel'));
    expect(headingOf(page)).toBe('Nothing was ordered');
    const again = /<a class="button primary" href="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');
    expect(headingOf(await browser.send(String(again)))).toBe('Subscribe to Silver &lt;b&gt;');
  });

  it('a button that the page does not have leads back to the offer', async () => {
    const browser = visitor();
    const page = await browser.open({ packageId });
    expectLeads(await browser.press(page, 'APPROVE'), `/checkout?packageId=${packageId}`);
  });
});

describe('without a package, or with one that is not offered', () => {
  it.each<[string, () => Record<string, string | number>, boolean]>([
    ['no package is named', () => ({}), false],
    ['one is named that was withdrawn', () => ({ packageId: withdrawnId }), true],
    ['one is named that never was', () => ({ packageId: 999_999 }), true],
    ['what is named is no number', () => ({ packageId: '1 or 1=1' }), false],
  ])('decision 40: all that is offered is shown, where %s', async (_what, query, isGone) => {
    const page = await visitor().open(query());
    expect(headingOf(page)).toBe('Choose your plan');
    const names = [...page.text.matchAll(/<label for="plan-\d+"><bdi>([^<]*)</g)].map(([, name]) => name);
    expect(names).toEqual(['Gold', 'Silver &lt;b&gt;']);
    expect(page.text.includes('no longer available')).toBe(isGone);
  });

  it("K10: another tenant's package is none here", async () => {
    const elsewhere = await newPackage(service, hosts.b, { name: 'Only at B' });
    const page = await visitor().open({ packageId: elsewhere });
    expect(headingOf(page)).toBe('Choose your plan');
    expect(page.text).not.toContain('Only at B');
  });

  it('a package whose payment method the service does not have is not offered', async () => {
    const seashells = await newPackage(service, hosts.b, {
      ...invoiced,
      name: 'Shell',
      payment: 'seashells',
    });
    const page = await shopper(service, hosts.b).open({ packageId: seashells });
    expect(headingOf(page)).toBe('Choose your plan');
    expect(page.text).not.toContain('Shell');
  });

  it('choosing one keeps the rest of the request, and each choice is an order of its own', async () => {
    const browser = visitor();
    const page = await browser.open({ reference: 'r', callBackUrl: back, ui_locales: 'de' });
    expect(page.text).toContain(`<a href="${back}">`);
    const choose = async (chosen: number | string) => {
      const body = { order: field(page, 'order'), packageId: String(chosen), action: 'sign-in' };
      return browser.send('/checkout', { body });
    };
    const form = await browser.follow(await choose(packageId));
    await browser.follow(await browser.signIn(form, 'u2@example.test'));
    const continued = async (chosen: number | string) => {
      const body = { order: field(page, 'order'), packageId: String(chosen), action: 'continue' };
      const begin = await browser.send('/checkout', { body });
      return String((await browser.send(String(begin.headers.location))).headers.location);
    };
    const [first, again, other] = [
      await continued(packageId),
      await continued(packageId),
      await continued(1),
    ];
    expect(again).toBe(first);
    expect(first).toMatch(/^\/checkout\/[0-9a-f-]{36}\?ui_locales=de$/);
    // The other one is had already: by its own order, not by the first one's.
    expect(other).not.toBe(first);
    const { checkouts = [] } = await allRows(service);
    expect(checkouts.filter((row) => first.includes((row as { id: string }).id))).toMatchObject([
      { packageId, reference: 'r', callBackUrl: back },
    ]);
  });

  it.each(['', '0', '999999', '__proto__', '1x'])(
    'choosing %j, which is none of them, chooses anew',
    async (chosen) => {
      const browser = visitor();
      const page = await browser.open({ reference: 'r' });
      const body = { order: field(page, 'order'), packageId: chosen, action: 'sign-in' };
      expectLeads(await browser.send('/checkout', { body }), '/checkout?reference=r');
      expectErrorPage(await browser.send(`/checkout/begin?order=${field(page, 'order')}`), 400);
    },
  );
});

describe('a member who has the package', () => {
  it('is told until when and led on; it is not offered again', async () => {
    const browser = visitor();
    await browser.order({ packageId });
    const gold = 1;
    for (const page of [
      await browser.open({ packageId: gold, onCheckoutCompletedUrl: onward }),
      await browser.follow(await browser.press(await browser.open({ packageId: gold }), 'continue')),
    ]) {
      expect(headingOf(page)).toBe('You already have this plan');
      expect(page.text).toContain('You have Gold until February 14, 2026.');
      expect(page.text).not.toMatch(/value="(?:confirm|continue)"/);
    }
    const page = await browser.open({ packageId: gold, onCheckoutCompletedUrl: onward });
    expect(page.text).toContain(`href="${onward.replaceAll('&', '&amp;')}"`);
    expect(textOf(await browser.open())).toContain('You already have this until February 14, 2026');
  });

  it('who ordered before signing in sees it then', async () => {
    const browser = visitor();
    const form = await browser.follow(await browser.press(await browser.open({ packageId: 1 }), 'sign-in'));
    const before = (await allRows(service)).checkouts;
    const page = await browser.follow(await browser.signIn(form, 'u1@example.test'));
    expect(headingOf(page)).toBe('You already have this plan');
    expect((await allRows(service)).checkouts).toEqual(before);
    expect(page.text).toContain('href="/account"');
  });
});

describe('the language', () => {
  it('pages 4: chosen on the offer goes along through sign-in to the summary', async () => {
    const browser = visitor();
    const page = await browser.open({ packageId, ui_locales: 'nb', callBackUrl: back });
    expect(headingOf(page)).toBe('Abonner på Silver &lt;b&gt;');
    const form = await browser.follow(await browser.press(page, 'sign-in'));
    expect(headingOf(form)).toBe('Logg inn');
    const summary = await browser.follow(await browser.signIn(form, 'u2@example.test'));
    expect(headingOf(summary)).toBe('Se over bestillingen');
  });

  it('pages 4: the switcher keeps the request', async () => {
    const page = await visitor().open({ packageId, reference: 'r', callBackUrl: back });
    const switcher = /<footer[\s\S]*<\/footer>/.exec(page.text)?.[0] ?? '';
    const shown = /<input type="hidden" name="page" value="([^"]*)"/.exec(switcher)?.[1] ?? '';
    const { pathname, searchParams } = new URL(shown.replaceAll('&amp;', '&'), 'https://a.test');
    expect(pathname).toBe('/checkout');
    expect(Object.fromEntries(searchParams)).toEqual({
      packageId: String(packageId),
      reference: 'r',
      callBackUrl: back,
    });
  });
});

describe('what cannot be understood', () => {
  it.each([
    'packageId=1&packageId=2',
    'reference=a&reference=b',
    'callBackUrl=https%3A%2F%2Fapp.test&callBackUrl=https%3A%2F%2Fevil.test',
    'onCheckoutCompletedUrl=https%3A%2F%2Fapp.test&onCheckoutCompletedUrl=https%3A%2F%2Fapp.test',
    'ui_locales=nb&ui_locales=de',
    'packageId=%',
    'reference=%ff',
    `onCheckoutCompletedUrl=https://app.test/${'a'.repeat(2_000)}&callBackUrl=https://app.test/${'b'.repeat(2_000)}&reference=${'c'.repeat(400)}`,
  ])('decision 11: %.80s is a page that says so', async (query) => {
    const before = await allRows(service);
    for (const path of ['/checkout', '/checkout/cancelled']) {
      const answer = await visitor().send(`${path}?${query}`);
      expectErrorPage(answer, 400);
      expect(answer.text).not.toContain('href="http');
    }
    expect(await allRows(service)).toEqual(before);
  });

  it('decision 11: empty parameters count as absent, unknown ones are ignored', async () => {
    const page = await visitor().send(
      `/checkout?packageId=${packageId}&reference=&callBackUrl=&utm_source=x`,
    );
    expect(headingOf(page)).toBe('Subscribe to Silver &lt;b&gt;');
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('%s is not served', async (method) => {
    for (const path of ['/checkout', '/checkout/begin', '/checkout/cancelled', '/checkout/x']) {
      expect((await visitor().send(path, { method })).status, path).toBe(405);
    }
  });
});

describe('reference', () => {
  const stored = async (reference: string) => {
    const browser = visitor();
    const { id, page } = await browser.order({ packageId, reference }, 'u2@example.test');
    const { checkouts = [] } = await allRows(service);
    const row = checkouts.find((one) => (one as { id: string }).id === id) as { reference: string };
    return { kept: row.reference, page, offer: await browser.open({ packageId, reference }) };
  };

  it.each([
    '<svg onload=alert(1)>',
    'javascript:alert(1)',
    'https://evil.test/article',
    '{{7*7}} <%= 1 %>',
    '"><script>alert(1)</script>',
  ])('K8: %s is kept as it is, and nowhere a link or markup', async (reference) => {
    const { kept, page, offer } = await stored(reference);
    expect(kept).toBe(reference);
    for (const { text } of [page, offer]) {
      expect(text).not.toMatch(/<svg onload|<script>|href="(?:javascript|https:\/\/evil)/);
    }
    // The member does not see it at all.
    expect(page.text).not.toContain('evil.test');
  });

  it('K8: control characters and line ends become spaces, and the rest is cut to its length', async () => {
    expect((await stored('a\r\nSet-Cookie: x=1\u0000\u2028b')).kept).toBe('a Set-Cookie: x=1 b');
    expect((await stored('\u{1f98a}'.repeat(700))).kept).toBe('\u{1f98a}'.repeat(referenceLength));
    expect((await stored(' ')).kept).toBeNull();
  });

  it('K8: one of 100 KB is not even read', async () => {
    expect((await visitor().open({ packageId, reference: 'x'.repeat(100_000) })).status).toBe(431);
  });
});

it('pages 21: what costs nothing is free in its order too, beside its name and in the sum', async () => {
  const free = await newPackage(service, hosts.a, { name: 'Taste', price: { amount: 0, currency: 'NOK' } });
  const text = textOf(await visitor().open({ packageId: free }));
  expect(text).toMatch(/Free Everything there is .* Your order Taste .* Free Due today Free Ends on/);
  expect(text).not.toContain('0.00');
});
