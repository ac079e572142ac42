import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  allowReturns,
  back,
  expectLeads,
  newPackage,
  onward,
  type Shopper,
  shopper,
} from '../../support/access/shopper.ts';
import { expectErrorPage } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { allRows } from '../../support/records/rows.ts';
import { serviceForTest, useService } from '../../support/use-service.ts';
import { headingOf } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
/** A member's, signed in by the first order. */
let member: Shopper;

beforeAll(() => {
  member = shopper(service, hosts.a);
});
afterEach(() => allowReturns(service, hosts.a, ['https://app.test']));

const parameters = ['onCheckoutCompletedUrl', 'callBackUrl'] as const;

/** Addresses that lead elsewhere, or that two readers could read differently. */
const refused = [
  'https://evil.test',
  '//evil.test',
  '/\\evil.test',
  '\\\\evil.test',
  'https:evil.test',
  'https:/evil.test',
  '/..//evil.test',
  '/.//evil.test',
  '/%2e%2e//evil.test',
  '%09//evil.test',
  '\t//evil.test',
  'https://app.test@evil.test',
  'https://app.test:pass@evil.test',
  'https://app.test.evil.test',
  'https://app.testevil.test',
  'https://evil.test?app.test',
  'https://evil.test?https://app.test',
  'https://evil.test#https://app.test',
  'https://evil.test\\@app.test',
  'https://app.test\\@evil.test',
  'https://app.test:443@evil.test',
  'https://app.test:8443/',
  'http://app.test/',
  'HTTPS://app.test/',
  'https://APP.test/',
  'https:///app.test/',
  'https://user@app.test/',
  'https://app.test/\r\nSet-Cookie: x=1',
  'https://app.test/\u0000',
  'https://app.test/ x',
  'https://app.test\u3002evil.test',
  'https://www.app.test/',
  '/article',
  'app.test',
  'javascript:alert(1)//https://app.test',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  `https://app.test/${'x'.repeat(2_048)}`,
];

/** Whatever a browser could follow or run of a page: everything but the text that is shown. */
const activeParts = ({ text }: Answer) =>
  text.replace(/<style>[\s\S]*?<\/style>/, '').replaceAll(/>[^<]*</g, '><');

describe.each(parameters)('%s', (parameter) => {
  it.each(refused)('K2: %j is a page that stays, with the address as text alone', async (address) => {
    const before = await allRows(service);
    const browser = shopper(service, hosts.a);
    for (const path of ['/checkout', '/checkout/cancelled']) {
      const query = new URLSearchParams({ packageId: '1', [parameter]: address });
      const answer = await browser.send(`${path}?${query}`);
      expectErrorPage(answer, 400);
      expect(answer.text).toContain(`The address in ${parameter}`);
      expect(activeParts(answer)).not.toMatch(/evil|app\.test|alert|vbscript/);
      expect(answer.text).not.toContain('Allowed');
      expect(answer.headers['content-security-policy']).toContain("form-action 'self';");
    }
    expect(await allRows(service)).toEqual(before);
  });

  it('K2: with no list at all no address is followed', async () => {
    await allowReturns(service, hosts.a, []);
    expectErrorPage(await shopper(service, hosts.a).open({ [parameter]: 'https://app.test/' }), 400);
  });

  it("K2: another tenant's list is none here", async () => {
    await allowReturns(service, hosts.b, ['https://b-app.test']);
    expectErrorPage(await shopper(service, hosts.a).open({ [parameter]: 'https://b-app.test/' }), 400);
    expect((await shopper(service, hosts.b).open({ [parameter]: 'https://b-app.test/' })).status).toBe(200);
  });
});

it('K2: on a development tenant the page says what would be allowed', async () => {
  const development = await serviceForTest({ data: 'development' });
  const browser = shopper(development, `localhost:${development.port}`);
  const answer = await browser.open({ callBackUrl: 'https://evil.test/' });
  expectErrorPage(answer, 400);
  expect(answer.text).toContain('<code>https://evil.test/</code>');
  expect(answer.text).toContain('<code>http://localhost:9876</code>');
});

describe('an allowed address', () => {
  it.each([
    onward,
    'https://app.test/',
    'https://app.test/?a=1&a=2#x',
    'https://app.test/a%2Fb/../c',
    'https://app.test//evil.test',
  ])('K1, K6: %s is followed after completion and after cancelling, with nothing added', async (address) => {
    const browser = member;
    const expected = new URL(address).href;
    const query = { onCheckoutCompletedUrl: address, callBackUrl: address };
    const first = await browser.order({ ...query, packageId: await newPackage(service, hosts.a) });
    const completed = await browser.submit(first, 'confirm');
    const second = await browser.order({ ...query, packageId: await newPackage(service, hosts.a) });
    const cancelled = await browser.submit(second, 'cancel');
    for (const answer of [completed, cancelled]) {
      expectLeads(answer, expected);
      // What the browser is told on the way out: no referrer, no cookie for anybody, nothing to keep.
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.text).toBe('');
    }
  });

  it('W1: the forms of a checkout may lead there, and nowhere else', async () => {
    await allowReturns(service, hosts.a, ['https://app.test', 'https://shop.test']);
    const browser = member;
    const packageId = await newPackage(service, hosts.a);
    const policyOf = ({ headers }: Answer) =>
      /form-action ([^;]*)/.exec(String(headers['content-security-policy']))?.[1];
    const offer = await browser.open({ packageId, callBackUrl: back });
    expect(policyOf(offer)).toBe("'self' https://app.test");
    const { page } = await browser.order({
      packageId,
      callBackUrl: back,
      onCheckoutCompletedUrl: 'https://shop.test/done',
    });
    expect(policyOf(page)).toBe("'self' https://shop.test https://app.test");
    expect(policyOf((await browser.order({ packageId })).page)).toBe("'self'");
  });
});

describe('an address that was taken off the list after the page was opened', () => {
  const begun = async () => {
    const browser = member;
    const packageId = await newPackage(service, hosts.a);
    const query = { packageId, onCheckoutCompletedUrl: onward, callBackUrl: back };
    return { browser, query, ordering: await browser.order(query) };
  };
  const takeOff = () => allowReturns(service, hosts.a, ['https://other.test']);

  it('K2: is not followed after completion: our own page is shown, without a way there', async () => {
    const { browser, ordering } = await begun();
    await takeOff();
    const answer = await browser.submit(ordering, 'confirm');
    expectLeads(answer, ordering.path);
    const page = await browser.follow(answer);
    expect(headingOf(page)).toBe('You are subscribed');
    expect(page.text).not.toContain('app.test');
    expect(page.text).toContain('href="/account"');
    expect(page.headers['content-security-policy']).toContain("form-action 'self';");
    expect(headingOf(await browser.open({ packageId: 1 }))).toBe('You already have this plan');
  });

  it('K2: is not followed after cancelling a checkout', async () => {
    const { browser, ordering } = await begun();
    await takeOff();
    const page = await browser.follow(await browser.submit(ordering, 'cancel'));
    expect(headingOf(page)).toBe('Nothing was ordered');
    expect(page.text).not.toContain('app.test');
  });

  it('K2: is not followed by Cancel on the offer', async () => {
    const { browser } = await begun();
    const offer = await browser.open({ packageId: await newPackage(service, hosts.a), callBackUrl: back });
    await takeOff();
    const page = await browser.follow(await browser.press(offer, 'cancel'));
    expect(headingOf(page)).toBe('Nothing was ordered');
    expect(page.text).not.toContain('app.test');
  });

  it('K2: is not on the page of a member who has the package already', async () => {
    const { browser } = await begun();
    const packageId = 1;
    const offer = await browser.open({ packageId, onCheckoutCompletedUrl: onward });
    await takeOff();
    const page = await browser.follow(await browser.press(offer, 'continue'));
    expect(headingOf(page)).toBe('You already have this plan');
    expect(page.text).not.toContain('app.test');
  });
});
