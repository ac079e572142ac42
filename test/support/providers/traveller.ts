import { expect } from 'vitest';
import {
  type ProviderRegistration,
  registerProvider,
} from '../../../src/operations/providers/identity-provider.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';
import { authorizationParameters, pkce, type Visitor, visitor } from '../visitor.ts';
import { type ForeignProvider, foreignClientId, type Said } from './foreign-provider.ts';

/** The host of Acme, which members sign in to with accounts of others. */
export const acmeOf = ({ port }: Pick<TestService, 'port'>) => `localhost:${port}`;

/** Registers a provider of Acme's; `foreign` unless it is called otherwise. */
export async function registerAt(
  service: TestService,
  provider: Pick<ForeignProvider, 'issuer'>,
  more: Partial<ProviderRegistration> = {},
): Promise<void> {
  const { store, tenants, vault, clock } = service;
  const registration = {
    key: 'foreign',
    preset: 'oidc',
    name: 'Foreign',
    issuer: provider.issuer,
    clientId: foreignClientId,
    secret: 'secret-at-foreign',
    trustsVerifiedEmail: true,
    ...more,
  } as const;
  const tenantId = String(tenants.byHost(acmeOf(service))?.id);
  await store.transaction((tx) => registerProvider(tx, tenantId, registration, { vault, now: clock.now() }));
}

/** Follows our own redirects, as a browser does. */
export async function follow(browser: Visitor, answer: Answer): Promise<Answer> {
  let last = answer;
  while (last.headers.location?.startsWith('/')) last = await browser.send(last.headers.location);
  return last;
}

/** The sign-in page of Acme's client that makes accounts, or of the one that makes none. */
export async function atSignInOf(
  service: TestService,
  { clientId = 'spa', browser = visitor(service, acmeOf(service)), more = {} }: AtSignIn = {},
): Promise<{ readonly browser: Visitor; readonly page: Answer }> {
  const redirectUri =
    clientId === 'spa' ? 'http://localhost:9879/callback' : 'http://localhost:9880/callback';
  const parameters = authorizationParameters(clientId, redirectUri, pkce(), more);
  return { browser, page: await browser.authorize(parameters) };
}

interface AtSignIn {
  readonly clientId?: 'spa' | 'reader';
  readonly browser?: Visitor;
  readonly more?: Record<string, string>;
}

/** Where the button of a page leads that continues with a provider. */
function buttonOf({ text }: Answer, key = 'foreign'): string {
  const href = new RegExp(`href="(/sign-in/with/${key}\\?[^"]*)"`).exec(text)?.[1];
  if (href === undefined) throw new Error(`the page has no button of ${key}: ${text}`);
  return href.replaceAll('&amp;', '&');
}

/** Leaves to a provider from a page. @returns where the browser was sent */
export async function leaveFrom(browser: Visitor, page: Answer, key = 'foreign'): Promise<string> {
  const answer = await browser.send(buttonOf(page, key));
  expect(answer.status, answer.text).toBe(303);
  return String(answer.headers.location);
}

/** Comes back from a provider with what it said. */
export const comeBack = (browser: Visitor, said: URLSearchParams, key = 'foreign'): Promise<Answer> =>
  browser.send(`/sign-in/from/${key}?${said}`);

/** The whole way from a sign-in page to a provider and back. */
export async function travel(
  service: TestService,
  provider: ForeignProvider,
  said: Said = {},
  options: AtSignIn = {},
): Promise<{ readonly browser: Visitor; readonly answer: Answer }> {
  const { browser, page } = await atSignInOf(service, options);
  const sentTo = await leaveFrom(browser, page);
  return { browser, answer: await comeBack(browser, provider.approve(sentTo, said)) };
}

/** The links that there are, by the subject at the provider. */
export async function linksIn({ store }: TestService): Promise<readonly (readonly [string, string])[]> {
  const rows = await store.transaction((tx) =>
    tx
      .selectFrom('linkedAccounts')
      .innerJoin('members', 'members.id', 'linkedAccounts.memberId')
      .select(['linkedAccounts.subject as subject', 'members.normalisedEmail as email'])
      .orderBy('linkedAccounts.id')
      .execute(),
  );
  return rows.map(({ subject, email }) => [subject, email] as const);
}
