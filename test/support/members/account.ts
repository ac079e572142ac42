import { expect } from 'vitest';
import { passwords } from '../fixtures.ts';
import type { Answer, Ask } from '../http.ts';
import type { TestService } from '../service.ts';
import { field, type Visitor, visitor } from '../visitor.ts';

/** A member's browser in the account area of one tenant. */
export interface AccountVisitor extends Visitor {
  /** Fills in the form of a page and sends it with the page's own token. */
  submit(path: string, form?: Record<string, string>, ask?: Ask): Promise<Answer>;
}

export const chromeOnAndroid =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36';

/** A browser in which a member is signed in to the account pages. */
export async function accountOf(
  service: TestService,
  host: string,
  email = 'u1@example.test',
  { password, userAgent = chromeOnAndroid }: { password?: string; userAgent?: string } = {},
): Promise<AccountVisitor> {
  const browser = visitor(service, host);
  const send = (path: string, ask: Ask = {}) =>
    browser.send(path, { ...ask, headers: { 'user-agent': userAgent, ...ask.headers } });
  let page = await send('/account');
  while (page.headers.location?.startsWith('/')) page = await send(page.headers.location);
  const form = {
    flow: field(page, 'flow'),
    email,
    password: password ?? passwordFor(host, email),
  };
  const answer = await send('/sign-in', { body: form });
  expect(answer.headers.location, answer.text).toBe('/account');
  return {
    ...browser,
    send,
    submit: async (path, more = {}, ask = {}) =>
      send(path, { body: { token: field(await send(path), 'token'), ...more }, ...ask }),
  };
}

function passwordFor(host: string, email: string): string {
  const known: Record<string, string> = passwords[host as keyof typeof passwords] ?? {};
  return known[email] ?? 'memberdoor-development';
}

/** Holds an answer to leading on to a page. */
export function expectLeadsTo(answer: Answer, location: string): void {
  expect({ status: answer.status, location: answer.headers.location }, answer.text).toEqual({
    status: 303,
    location,
  });
}

/** Holds an answer to leading to a page that says what was done, which its address does not (pages 20). */
export function expectDone(answer: Answer, page: string, what: string): void {
  expectLeadsTo(answer, page);
  const cookie = (answer.headers['set-cookie'] ?? []).find((line) => /^[^=]*memberdoor-done=/.test(line));
  // What it was done to, and how it is taken back, stands between.
  expect(decodeURIComponent(cookie?.split(/[=;]/)[1] ?? '').replace(/~\S*/, '')).toBe(`${what} ${page}`);
}

/** The values of a hidden field on a page, in order. */
export function valuesOf(page: Answer, name: string): readonly string[] {
  return [...page.text.matchAll(new RegExp(`name="${name}" value="([^"]*)"`, 'g'))].map(([, value]) =>
    String(value),
  );
}
