import { expect } from 'vitest';
import type { Answer } from '../http.ts';
import { codeIn, linkIn } from '../mails/outbox.ts';
import type { TestService } from '../service.ts';
import { apps } from '../tokens.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  type Pkce,
  pkce,
  token,
  type Visitor,
  visitor,
} from '../visitor.ts';

/** A password that the rules take. */
export const newPassword = 'kvist og eld i skogen';

/** What a visitor types into the form. */
export interface Details {
  readonly fullName?: string;
  readonly email: string;
  readonly password?: string;
}

/** A visitor at a page that a client opened, with what the client needs at the end. */
export interface Newcomer {
  readonly browser: Visitor;
  readonly page: Answer;
  readonly proof: Pkce;
  readonly state: string;
}

/** Opens the sign-up page of a client, in a browser of its own or the one given. */
export async function atSignUp(
  service: TestService,
  host: string,
  more: Record<string, string> = {},
  browser = visitor(service, host),
): Promise<Newcomer> {
  const proof = pkce();
  const state = more.state ?? `state ${proof.verifier}`;
  const { clientId, redirectUri } = apps.pub1;
  const parameters = { prompt: 'create', state, ...more };
  const page = await browser.authorize(authorizationParameters(clientId, redirectUri, proof, parameters));
  return { browser, page, proof, state };
}

/** Fills in the sign-up form of a page and sends it. */
export function submitSignUp(
  browser: Visitor,
  page: Answer,
  { fullName = 'Ada Berg', email, password = newPassword }: Details,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return browser.send('/sign-up', {
    body: { flow: field(page, 'flow'), fullName, email, password },
    headers,
  });
}

/** A visitor who signed up and has a mail, but has not proven the address yet. */
export interface Applicant extends Newcomer {
  /** The page that asks for the digits. */
  readonly verify: Answer;
  /** The path of the mail's link. */
  readonly link: string;
  /** The six digits of the mail, as it shows them. */
  readonly code: string;
}

/** Signs up for pub1 as far as the mail. */
export async function applied(
  service: TestService,
  host: string,
  details: Details,
  more: Record<string, string> = {},
): Promise<Applicant> {
  const newcomer = await atSignUp(service, host, more);
  const answer = await submitSignUp(newcomer.browser, newcomer.page, details);
  expect(answer.status, answer.text).toBe(303);
  const verify = await newcomer.browser.send(String(answer.headers.location));
  await service.delivered();
  const mail = service.outbox.last(details.email);
  return { ...newcomer, verify, link: new URL(linkIn(mail)).pathname, code: codeIn(mail) };
}

/** Types digits into the page that asks for them. */
export function submitCode(browser: Visitor, verify: Answer, code: string): Promise<Answer> {
  return browser.send('/sign-up/verify', { body: { proof: field(verify, 'proof'), code } });
}

/** Presses the button of the page that a mail's link opens, with the password of the sign-up. */
export function pressConfirm(browser: Visitor, link: string, password = newPassword): Promise<Answer> {
  return browser.send(link, { body: { password } });
}

/** Holds an answer to the end of the flow: the client's own state, and a code that its verifier redeems. */
export async function expectArrival(
  service: TestService,
  host: string,
  answer: Answer,
  { proof, state }: Newcomer,
): Promise<string> {
  expect(answer.status, answer.text).toBe(303);
  expect(answer.headers.location).toMatch(/^https:\/\/pub1\.test\/cb\?/);
  expect(answerOf(answer).get('state')).toBe(state);
  const exchanged = await token(service, host, {
    grant_type: 'authorization_code',
    client_id: 'pub1',
    code: String(answerOf(answer).get('code')),
    code_verifier: proof.verifier,
  });
  expect(exchanged.status, exchanged.text).toBe(200);
  return exchanged.json<{ access_token: string }>().access_token;
}

/** The member with this address, as it is stored; undefined if there is none. */
export function storedMember(service: TestService, host: string, email: string) {
  const tenantId = String(service.tenants.byHost(host)?.id);
  return service.store.transaction((tx) =>
    tx
      .selectFrom('members')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('normalisedEmail', '=', email)
      .executeTakeFirst(),
  );
}

/** How many members there are, on all tenants. */
export async function countMembers({ store }: TestService): Promise<number> {
  const { count } = await store.transaction((tx) =>
    tx
      .selectFrom('members')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
  );
  return count;
}

/** The texts of a page's problems. */
export function problemsOf({ text }: Answer): readonly string[] {
  const summary = /<div class="summary"[\s\S]*?<\/div>/.exec(text)?.[0] ?? '';
  return [...summary.matchAll(/<a href="#[^"]*"[^>]*>([^<]*)<\/a>/g)].map(([, label]) => String(label));
}

/** Where the button of an error page leads; null if it has none. */
export function wayOn({ text }: Answer): string | null {
  const link = /<a class="button primary" href="([^"]*)"/.exec(text)?.[1];
  return link?.replaceAll('&amp;', '&') ?? null;
}

/** Holds an answer to the page of a link or a code that is over. */
export function expectUsed({ status, text }: Answer): void {
  expect(status).toBe(410);
  expect(text).toContain('<title>Error: This link no longer works – Tenant A</title>');
}

/** Holds an answer to the page of a link that says what it has done, which is no error (pages 20). */
export function expectWorkDone(answer: Answer, done: string): void {
  expect(answer.status).toBe(410);
  expect(answer.text).toContain(`<title>${done} – Tenant A</title>`);
  expect(answer.text).toContain('This link works once, and it has already been used.');
  expect(wayOn(answer)).toMatch(/^\/(?:sign-in|account)/);
}
