import { hosts } from '../fixtures.ts';
import type { Ask } from '../http.ts';
import { codeIn, linkIn } from '../mails/outbox.ts';
import type { TestService } from '../service.ts';
import { type App, apps, refreshAs } from '../tokens.ts';
import { answerOf, authorizationParameters, field, pkce, token, type Visitor, visitor } from '../visitor.ts';
import { newPassword, storedMember } from './sign-up.ts';

/** What only this member is known by: none of it is left once she is erased. */
export const personal = {
  name: 'Erika Mustermarke',
  nickName: 'Rikchen',
  firstEmail: 'erika.first@erase.test',
  email: 'erika.second@erase.test',
  wantedEmail: 'erika.third@erase.test',
  street: 'Zeichenweg 77',
  city: 'Merkstadt',
  phone: '+4915112345678',
  device: 'Erikas Fernseher',
  userAgent: 'ErikaBrowser/7.7',
  home: '203.0.113.77',
  tv: '198.51.100.55',
  app: '192.0.2.33',
} as const;

/** What a member is known by. */
export type Personal = Readonly<Record<keyof typeof personal, string>>;

/** The tenant that a member uses, and how her mails are read. */
export interface Home {
  readonly service: TestService;
  readonly host: string;
  readonly app: App;
  /** The client of her TV. */
  readonly tv: string;
  /** The text of the newest mail to an address, which has got so many by then. */
  mailTo(email: string, count: number): Promise<string>;
}

/**
 * Lets a member of the fixtures' tenant A leave her traces. The service must trust the proxy that the test is.
 *
 * @returns her id
 */
export async function liveAndLeaveTraces(service: TestService): Promise<string> {
  const mailTo = async (email: string) => {
    await service.delivered();
    return service.outbox.last(email).text;
  };
  const home = { service, host: hosts.a, app: apps.pub1, tv: apps.pub1.clientId, mailTo };
  await leaveTraces(home, personal);
  return String((await storedMember(service, hosts.a, personal.email))?.id);
}

/**
 * Lets a member do whatever leaves a trace: she signs up, mistypes, changes her address, signs in to an app and on a
 * TV, and has mails that wait. The service must trust the proxy that the caller is.
 *
 * @returns her browser
 */
export async function leaveTraces(home: Home, who: Personal): Promise<Visitor> {
  const browser = browserOf(home, who);
  await signUp(home, who, browser);
  await mistype(home, who);
  await moveHouse(home, who, browser);
  await signInToApp(home, who, browser);
  await signInOnTv(home, who, browser);
  await guessCodes(browser);
  // What is asked for and not finished: proofs that are open, and mails that wait.
  await submit(browser, '/account/email', { email: who.wantedEmail, currentPassword: newPassword });
  const forgotten = browserOf(home, who);
  const flow = field(await forgotten.send('/recover'), 'flow');
  await forgotten.send('/recover', { body: { flow, email: who.email } });
  await submit(browser, '/account/delete', { currentPassword: newPassword });
  await browser.send('/account/keep', { body: { token: field(await browser.send('/account'), 'token') } });
  return browser;
}

/** Her browser at home. */
function browserOf({ service, host }: Home, { home, userAgent }: Personal): Visitor {
  const browser = visitor(service, host);
  const headers = { 'x-forwarded-for': home, 'user-agent': userAgent };
  const send = (path: string, ask: Ask = {}) =>
    browser.send(path, { ...ask, headers: { ...headers, ...ask.headers } });
  return {
    ...browser,
    send,
    authorize: async (parameters) => {
      let answer = await send(`/api/oidc/auth?${new URLSearchParams(parameters)}`);
      while (answer.headers.location?.startsWith('/')) answer = await send(answer.headers.location);
      return answer;
    },
    signIn: (page, email, password = newPassword) =>
      send('/sign-in', { body: { flow: field(page, 'flow'), email, password } }),
  };
}

const submit = async (browser: Visitor, path: string, form: Record<string, string>) =>
  browser.send(path, { body: { token: field(await browser.send(path), 'token'), ...form } });

async function signUp({ app, mailTo }: Home, who: Personal, browser: Visitor): Promise<void> {
  const { clientId, redirectUri } = app;
  const page = await browser.authorize(
    authorizationParameters(clientId, redirectUri, pkce(), { prompt: 'create' }),
  );
  const form = { fullName: who.name, email: who.firstEmail, password: newPassword };
  // Asked for twice: the first mail was slow.
  let text = '';
  for (const times of [1, 2]) {
    await browser.send('/sign-up', { body: { flow: field(page, 'flow'), ...form } });
    text = await mailTo(who.firstEmail, times);
  }
  const path = new URL(linkIn({ text })).pathname;
  await browser.send(path, { body: { password: newPassword } });
}

async function mistype(home: Home, who: Personal): Promise<void> {
  const browser = browserOf(home, who);
  const { clientId, redirectUri } = home.app;
  const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce()));
  await browser.signIn(page, who.firstEmail, 'not her password at all');
  await browser.send('/sign-in', { body: { flow: 'of no page', email: who.firstEmail } });
  await browser.send('/api/oidc/auth?client_id=nobody');
  await browser.send('/api/oidc/token', { body: { grant_type: 'password', client_id: clientId } });
}

async function moveHouse({ mailTo }: Home, who: Personal, browser: Visitor): Promise<void> {
  const details = { fullName: who.name, nickName: who.nickName, phone: who.phone };
  await submit(browser, '/account/details', details);
  const address = {
    line1: who.street,
    city: who.city,
    postCode: '12345',
    postOffice: who.city,
    country: 'DE',
    name: who.name,
    email: who.firstEmail,
  };
  await submit(browser, '/account/address', address);
  const asked = await submit(browser, '/account/email', {
    email: who.email,
    currentPassword: newPassword,
  });
  const code = codeIn({ text: await mailTo(who.email, 1) });
  const page = await browser.send(String(asked.headers.location));
  const body = { token: field(page, 'token'), code };
  await browser.send(String(asked.headers.location), { body });
}

async function signInToApp({ service, host, app }: Home, who: Personal, browser: Visitor): Promise<void> {
  const { clientId, redirectUri } = app;
  const proof = pkce();
  const answer = await browser.authorize(authorizationParameters(clientId, redirectUri, proof));
  const code = String(answerOf(answer).get('code'));
  const headers = { 'x-forwarded-for': who.app };
  const exchange = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: proof.verifier,
  };
  const tokens = (await token(service, host, exchange, headers)).json<{ refresh_token: string }>();
  const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token };
  await token(service, host, refresh, headers);
  // An old one comes back, and one that is none.
  await token(service, host, refresh, headers);
  await refreshAs(service, host, app, tokens.refresh_token);
  await token(service, host, { ...refresh, refresh_token: 'of nobody' }, headers);
}

async function signInOnTv({ service, host, tv }: Home, who: Personal, browser: Visitor): Promise<void> {
  const headers = { 'x-forwarded-for': who.tv };
  const body = { client_id: tv, scope: 'openid offline_access', device_name: who.device };
  const codes = (await service.http(host, '/api/oidc/device/auth', { body, headers })).json<{
    device_code: string;
    user_code: string;
  }>();
  const page = await browser.send(`/device?user_code=${encodeURIComponent(codes.user_code)}`);
  await browser.send('/device/approve', { body: { confirm: field(page, 'confirm'), verdict: 'approve' } });
  const poll = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: tv,
    device_code: codes.device_code,
  };
  for (let times = 0; times < 2; times += 1) await token(service, host, poll, headers);
}

async function guessCodes(browser: Visitor): Promise<void> {
  const page = await browser.send('/device');
  const form = /name="token"/.test(page.text) ? { token: field(page, 'token') } : {};
  await browser.send('/device', { body: { ...form, user_code: '000 000' } });
}
