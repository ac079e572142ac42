import { expect, it } from 'vitest';
import { minute, second } from '../../../src/core/limits.ts';
import { totp } from '../../../src/core/members/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { digitsOf, giveSecondFactor, shownCodes, shownSecret } from '../../support/members/second-factor.ts';
import { run } from '../../support/operators/desk.ts';
import { adminPassword, filledIn, makeAdmin, signInToPortal } from '../../support/operators/portal.ts';
import { useService } from '../../support/use-service.ts';
import { field, type Visitor, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const home = `/admin/tenants/${hosts.a}`;
let made = 0;

async function newAdmin() {
  made += 1;
  const email = `chief${made}@example.test`;
  return { email, id: await makeAdmin(service, hosts.a, email), browser: visitor(service, hosts.a) };
}

/** Gives the password at the portal, and opens the page that it leads to. */
async function begin(browser: Visitor, email: string): Promise<Answer> {
  const answer = await signInToPortal(browser, email);
  return browser.send(String(answer.headers.location));
}

const give = (browser: Visitor, page: Answer, form: Record<string, string>) =>
  browser.send('/admin/second-factor', { body: { step: field(page, 'step'), ...form } });

const isIn = async (browser: Visitor) => (await browser.send(home)).status === 200;

it('SF13: an administrator without a second factor sets one up before anything else, where the tenant demands it', async () => {
  await run(service, 'tenants.change', { tenant: hosts.a, adminSecondFactor: 'required' });
  const { browser, email } = await newAdmin();
  const page = await begin(browser, email);
  expect(page.text).toContain('Turn on two-step sign-in');
  expect(await isIn(browser)).toBe(false);
  const form = { setUp: field(page, 'setUp'), code: await digitsOf(service, shownSecret(page)) };
  expect((await give(browser, page, { ...form, setUp: 'x' })).status).toBe(422);
  const done = await give(browser, page, form);
  expect(shownCodes(done)).toHaveLength(10);
  expect(done.text).toContain('href="/admin"');
  expect(await isIn(browser)).toBe(true);
  await run(service, 'tenants.change', { tenant: hosts.a, adminSecondFactor: 'optional' });
});

it('the portal asks an administrator for the second factor each time, and trusts no browser', async () => {
  const { browser, email, id } = await newAdmin();
  const { secret } = await giveSecondFactor(service, id);
  const page = await begin(browser, email);
  expect(page.text).not.toContain('name="trust"');
  expect((await give(browser, page, { code: '000000' })).status).toBe(422);
  const answer = await give(browser, page, { code: await digitsOf(service, secret), trust: 'yes' });
  expect(answer.headers.location).toBe('/admin');
  const fresh = visitor(service, hosts.a);
  for (const [name, value] of browser.cookies) if (name.endsWith('-browser')) fresh.cookies.set(name, value);
  expect((await signInToPortal(fresh, email)).headers.location).toMatch(/^\/admin\/second-factor/);
});

it('SF15: what was proven for the members’ pages opens no portal, and the other way round', async () => {
  const { browser, email, id } = await newAdmin();
  const { secret } = await giveSecondFactor(service, id);
  const portal = await begin(browser, email);
  const signIn = await browser.authorize({
    response_type: 'code',
    client_id: 'pub1',
    redirect_uri: 'https://pub1.test/cb',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const led = await browser.signIn(signIn, email, adminPassword);
  const member = await browser.send(String(led.headers.location));
  const code = await digitsOf(service, secret);
  const atPortal = await browser.send('/admin/second-factor', {
    body: { step: field(member, 'flow'), code },
  });
  expect(atPortal.headers.location).toBe('/admin/sign-in');
  const atPages = await browser.send('/second-factor', { body: { flow: field(portal, 'step'), code } });
  expect(atPages.status).toBe(400);
  expect(await isIn(browser)).toBe(false);
});

it('SF14: a grave act asks for the second factor again after five minutes, and comes back to its form', async () => {
  const { browser, email, id } = await newAdmin();
  const { secret } = await giveSecondFactor(service, id);
  await give(browser, await begin(browser, email), { code: await digitsOf(service, secret) });
  const form = `${home}/+disable`.replace('+disable', 'channels/live/+delete');
  await run(service, 'channels.define', { tenant: hosts.a, channelId: 'live', name: 'Live', productIds: [] });
  expect((await browser.send(form)).status).toBe(200);
  const open = await browser.send(form);
  service.clock.advance(5 * minute);
  const led = await browser.send(form, { body: filledIn(open, { typed: 'Live' }) });
  expect(led.headers.location).toBe(`/admin/proof?next=${encodeURIComponent(form)}`);
  expect((await browser.send(form)).headers.location).toBe(led.headers.location);
  const proof = await browser.send(String(led.headers.location));
  const sent = { token: field(proof, 'token'), next: field(proof, 'next') };
  const wrong = await browser.send('/admin/proof', { body: { ...sent, code: '000000' } });
  expect(wrong.status).toBe(422);
  const code = await digitsOf(service, secret);
  const answer = await browser.send('/admin/proof', { body: { ...sent, code } });
  expect(answer.headers.location).toBe(form);
  const done = await browser.send(form, { body: filledIn(await browser.send(form), { typed: 'Live' }) });
  expect([done.status, done.headers.location?.includes('proof')]).toEqual([303, false]);
  // What is not grave is not asked for.
  service.clock.advance(6 * minute);
  expect((await browser.send(`${home}/+change/links`)).status).toBe(200);
});

it('SF14: who has no second factor is not asked', async () => {
  const { browser, email } = await newAdmin();
  expect((await signInToPortal(browser, email)).headers.location).toBe('/admin');
  service.clock.advance(totp.stepSeconds * second * 20);
  expect((await browser.send(`${home}/keys/+rotate`)).status).toBe(200);
});
