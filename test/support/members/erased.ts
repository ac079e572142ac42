import { hosts } from '../fixtures.ts';
import type { Ask } from '../http.ts';
import type { TestService } from '../service.ts';
import { apps, refreshAs } from '../tokens.ts';
import { answerOf, authorizationParameters, field, pkce, token, type Visitor, visitor } from '../visitor.ts';
import { codeIn, linkIn } from './outbox.ts';
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

/**
 * Lets a member do whatever leaves a trace: she signs up, mistypes, changes her address, signs in to an app and on a
 * TV, and has mails that wait. The service must trust the proxy that the test is.
 *
 * @returns her id
 */
export async function liveAndLeaveTraces(service: TestService): Promise<string> {
  const browser = from(visitor(service, hosts.a), personal.home);
  await signUp(service, browser);
  await mistype(service);
  await moveHouse(service, browser);
  await signInToApp(service, browser);
  await signInOnTv(service, browser);
  await guessCodes(browser);
  // What is asked for and not finished: proofs that are open, and mails that wait.
  await submit(browser, '/account/email', { email: personal.wantedEmail, currentPassword: newPassword });
  const forgotten = from(visitor(service, hosts.a), personal.home);
  const flow = field(await forgotten.send('/recover'), 'flow');
  await forgotten.send('/recover', { body: { flow, email: personal.email } });
  await submit(browser, '/account/delete', { currentPassword: newPassword });
  await browser.send('/account/keep', { body: { token: field(await browser.send('/account'), 'token') } });
  return String((await storedMember(service, hosts.a, personal.email))?.id);
}

/** A browser at an address. */
function from(browser: Visitor, address: string): Visitor {
  const headers = { 'x-forwarded-for': address, 'user-agent': personal.userAgent };
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

async function signUp(service: TestService, browser: Visitor): Promise<void> {
  const { clientId, redirectUri } = apps.pub1;
  const page = await browser.authorize(
    authorizationParameters(clientId, redirectUri, pkce(), { prompt: 'create' }),
  );
  const form = { fullName: personal.name, email: personal.firstEmail, password: newPassword };
  // Asked for twice: the first mail was slow.
  for (let times = 0; times < 2; times += 1) {
    await browser.send('/sign-up', { body: { flow: field(page, 'flow'), ...form } });
  }
  await service.delivered();
  const path = new URL(linkIn(service.outbox.last(personal.firstEmail))).pathname;
  await browser.send(path, { body: { password: newPassword } });
}

async function mistype(service: TestService): Promise<void> {
  const browser = from(visitor(service, hosts.a), personal.home);
  const { clientId, redirectUri } = apps.pub1;
  const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce()));
  await browser.signIn(page, personal.firstEmail, 'not her password at all');
  await browser.send('/sign-in', { body: { flow: 'of no page', email: personal.firstEmail } });
  await browser.send('/api/oidc/auth?client_id=nobody');
  await browser.send('/api/oidc/token', { body: { grant_type: 'password', client_id: 'pub1' } });
}

async function moveHouse(service: TestService, browser: Visitor): Promise<void> {
  const details = {
    fullName: personal.name,
    nickName: personal.nickName,
    phone: personal.phone,
    line1: personal.street,
    city: personal.city,
    postCode: '12345',
    postOffice: personal.city,
    country: 'DE',
    name: personal.name,
    email: personal.firstEmail,
  };
  await submit(browser, '/account/details', details);
  const asked = await submit(browser, '/account/email', {
    email: personal.email,
    currentPassword: newPassword,
  });
  await service.delivered();
  const page = await browser.send(String(asked.headers.location));
  const body = { token: field(page, 'token'), code: codeIn(service.outbox.last(personal.email)) };
  await browser.send(String(asked.headers.location), { body });
}

async function signInToApp(service: TestService, browser: Visitor): Promise<void> {
  const { clientId, redirectUri } = apps.pub1;
  const proof = pkce();
  const answer = await browser.authorize(authorizationParameters(clientId, redirectUri, proof));
  const code = String(answerOf(answer).get('code'));
  const headers = { 'x-forwarded-for': personal.app };
  const exchange = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: proof.verifier,
  };
  const tokens = (await token(service, hosts.a, exchange, headers)).json<{ refresh_token: string }>();
  const refresh = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token };
  await token(service, hosts.a, refresh, headers);
  // An old one comes back, and one that is none.
  await token(service, hosts.a, refresh, headers);
  await refreshAs(service, hosts.a, apps.pub1, tokens.refresh_token);
  await token(service, hosts.a, { ...refresh, refresh_token: 'of nobody' }, headers);
}

async function signInOnTv(service: TestService, browser: Visitor): Promise<void> {
  const headers = { 'x-forwarded-for': personal.tv };
  const body = { client_id: 'pub1', scope: 'openid offline_access', device_name: personal.device };
  const codes = (await service.http(hosts.a, '/api/oidc/device/auth', { body, headers })).json<{
    device_code: string;
    user_code: string;
  }>();
  const page = await browser.send(`/device?user_code=${encodeURIComponent(codes.user_code)}`);
  await browser.send('/device/approve', { body: { confirm: field(page, 'confirm'), verdict: 'approve' } });
  const poll = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: 'pub1',
    device_code: codes.device_code,
  };
  for (let times = 0; times < 2; times += 1) await token(service, hosts.a, poll, headers);
}

async function guessCodes(browser: Visitor): Promise<void> {
  const page = await browser.send('/device');
  const form = /name="token"/.test(page.text) ? { token: field(page, 'token') } : {};
  await browser.send('/device', { body: { ...form, user_code: '000 000' } });
}
