import { expect } from 'vitest';
import { type PackageFacts, packageDefaults } from '../../../src/core/access/package.ts';
import { addPackage, addProduct } from '../../../src/operations/access/package.ts';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import { tenantOf } from '../device.ts';
import type { Answer, Ask } from '../http.ts';
import type { TestService } from '../service.ts';
import { field, type Visitor, visitor } from '../visitor.ts';

/** Where the fixtures' tenants let a checkout lead back to. */
export const onward = 'https://app.test/article?id=7&part=%C3%A5#more';
export const back = 'https://app.test/offers';

/** A browser on its way through the checkout of one tenant. */
export interface Shopper extends Visitor {
  /** GET /checkout with these parameters. */
  open(query?: Record<string, string | number>): Promise<Answer>;
  /** Presses a button of a page that holds an order. */
  press(page: Answer, action: string, ask?: Ask): Promise<Answer>;
  /** From the checkout page through sign-in to the checkout's own page. */
  order(query: Record<string, string | number>, email?: string): Promise<Ordering>;
  /** Presses a button of a checkout's own page, with the page's own token. */
  submit(ordering: Ordering, action: string, more?: Record<string, string>, ask?: Ask): Promise<Answer>;
  /** Follows our own redirects to a page, or to where they leave. */
  follow(answer: Answer): Promise<Answer>;
}

/** A checkout that was begun, with the page it shows. */
export interface Ordering {
  readonly id: string;
  readonly path: string;
  readonly page: Answer;
}

/** @param browser one without a session unless given */
export function shopper(service: TestService, host: string, browser = visitor(service, host)): Shopper {
  const open = (query: Record<string, string | number> = {}) =>
    browser.send(
      `/checkout?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]))}`,
    );
  const press = (page: Answer, action: string, ask: Ask = {}) =>
    browser.send('/checkout', { body: { order: field(page, 'order'), action }, ...ask });
  const follow = async (first: Answer) => {
    let answer = first;
    while (answer.headers.location?.startsWith('/')) answer = await browser.send(answer.headers.location);
    return answer;
  };
  return {
    ...browser,
    open,
    press,
    follow,
    order: async (query, email = 'u1@example.test') => {
      const page = await open(query);
      let next: Answer;
      if (page.text.includes('value="sign-in"')) {
        const form = await follow(await press(page, 'sign-in'));
        const begin = await browser.signIn(form, email);
        expect(begin.headers.location, begin.text).toMatch(/^\/checkout\/begin\?order=/);
        next = await browser.send(String(begin.headers.location));
      } else {
        const begin = await press(page, 'continue');
        next = await browser.send(String(begin.headers.location));
      }
      const path = String(next.headers.location);
      expect(path, next.text).toMatch(/^\/checkout\/[0-9a-f-]{36}/);
      return { id: idIn(path), path, page: await browser.send(path) };
    },
    submit: ({ path, page }, action, more = {}, ask = {}) =>
      browser.send(path, {
        body: { token: field(page, 'token'), seen: seenOn(page), action, ...more },
        ...ask,
      }),
  };
}

/** What the summary says of the offer; the address form has none. */
const seenOn = ({ text }: Answer) => /name="seen" value="([^"]*)"/.exec(text)?.[1] ?? '';

const idIn = (path: string) => path.replace('/checkout/', '').replace(/\?.*/, '');

let packages = 0;

/** Adds a package that no member has yet, for one test. @returns its packageId */
export async function newPackage(
  service: TestService,
  host: string,
  changes: Partial<PackageFacts> = {},
): Promise<number> {
  packages += 1;
  const { id } = tenantOf(service, host);
  const facts: PackageFacts = {
    ...packageDefaults,
    name: `Package ${packages}`,
    description: 'Everything there is',
    price: { amount: 0, currency: 'NOK' },
    period: { unit: 'month', count: 1 },
    payment: 'free',
    ...changes,
  };
  return service.store.transaction(async (tx) => {
    const productId = await addProduct(tx, id, `Product ${packages}`);
    return addPackage(tx, id, facts, [productId]);
  });
}

/** A package that is invoiced. */
export const invoiced = { price: { amount: 19_900, currency: 'NOK' }, payment: 'invoice' } as const;

/** Sets where a tenant's checkouts may lead back to, as an operator would. */
export async function allowReturns(
  service: TestService,
  host: string,
  origins: readonly string[],
): Promise<void> {
  await service.store.transaction(async (tx) => {
    await changeTenant(tx, tenantOf(service, host).id, { returnOrigins: origins });
    await service.tenants.reload(tx);
  });
}

/** Holds an answer to leading on to exactly this address. */
export function expectLeads(answer: Answer, location: string): void {
  expect({ status: answer.status, location: answer.headers.location }, answer.text).toEqual({
    status: 303,
    location,
  });
}
