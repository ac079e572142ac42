import { expect, it } from 'vitest';
import { minute, second } from '../../../src/core/limits.ts';
import { totp } from '../../../src/core/members/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { digitsOf, giveSecondFactor, shownCodes, shownSecret } from '../../support/members/second-factor.ts';
import { givePasskey } from '../../support/members/soft-passkey.ts';
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

it.each([
  [
    'a client, which may act in its own name',
    'clients/+create',
    { kind: 'website', name: 'New', address: 'https://new.test/cb' },
  ],
  ['where a client leads, and how it proves itself', 'clients/conf1/+change', {}],
  ['a provider, which says who a member is', 'identity-providers/+create', { preset: 'google' }],
  ['the address, the password and the rights of a member', 'members/:member/+change', {}],
  [
    'a file, which does all of that',
    'file/+apply',
    { file: `tenants:\n  - issuer: https://${hosts.a}\n    name: Tenant A\n` },
  ],
])(
  'SF22, SF14: %s asks again too, before it is filled in and when it is sent',
  async (_what, path, values) => {
    const { browser, email, id } = await newAdmin();
    const { secret } = await giveSecondFactor(service, id);
    await give(browser, await begin(browser, email), { code: await digitsOf(service, secret) });
    const form = `${home}/${path.replace(':member', id)}`;
    const open = await browser.send(form);
    expect(open.status, open.text).toBe(200);
    service.clock.advance(5 * minute);
    const proof = `/admin/proof?next=${encodeURIComponent(form)}`;
    expect((await browser.send(form)).headers.location).toBe(proof);
    expect((await browser.send(form, { body: filledIn(open, values) })).headers.location).toBe(proof);
  },
);

it('SF22: what takes the second factor from members or administrators is as grave, and what gives it is not', async () => {
  const { browser, email, id } = await newAdmin();
  const { secret } = await giveSecondFactor(service, id);
  await give(browser, await begin(browser, email), { code: await digitsOf(service, secret) });
  service.clock.advance(5 * minute);
  const form = `${home}/+change/sign-in`;
  const open = await browser.send(form);
  const sent = async (values: Record<string, string>) =>
    (await browser.send(form, { body: filledIn(await browser.send(form), values) })).headers.location;
  expect(open.status, open.text).toBe(200);
  expect(await sent({ secondFactor: 'off' })).toMatch(/^\/admin\/proof/);
  expect(await sent({ adminSecondFactor: 'optional' })).toMatch(/^\/admin\/proof/);
  expect(await sent({ adminSecondFactor: 'required', secondFactor: 'required' })).not.toContain('proof');
  await run(service, 'tenants.change', {
    tenant: hosts.a,
    adminSecondFactor: 'optional',
    secondFactor: 'optional',
  });
});

it('SF14: an administrator without a second factor is not asked', async () => {
  const { browser, email } = await newAdmin();
  expect((await signInToPortal(browser, email)).headers.location).toBe('/admin');
  service.clock.advance(totp.stepSeconds * second * 20);
  expect((await browser.send(`${home}/keys/+rotate`)).status).toBe(200);
});

it('WA22: a passkey of an administrator opens the portal with both factors, and one of a member does not', async () => {
  await run(service, 'tenants.change', { tenant: hosts.a, passkeys: 'on', adminSecondFactor: 'required' });
  const sent = async (browser: Visitor, passkey: string) => {
    const page = await browser.send('/admin/sign-in');
    expect(page.text).toContain('username webauthn');
    const body = { token: field(page, 'token'), next: field(page, 'next'), email: '', password: '', passkey };
    return { page, answer: await browser.send('/admin/sign-in', { body }) };
  };
  const { browser, id } = await newAdmin();
  const passkey = await givePasskey(service, id);
  const page = await browser.send('/admin/sign-in');
  const answered = await sent(browser, passkey.signedFor(page));
  expect(answered.answer.headers.location).toBe('/admin');
  expect(await isIn(browser)).toBe(true);
  // What was signed works once, and for the portal alone there is nothing that a member could sign.
  const again = await sent(visitor(service, hosts.a), passkey.signedFor(page));
  expect(again.answer.status).toBe(422);
  const own = visitor(service, hosts.a);
  const memberId = await makeAdmin(service, hosts.a, 'plain@example.test', 'member');
  const ofMember = await givePasskey(service, memberId);
  const refused = await sent(own, ofMember.signedFor(await own.send('/admin/sign-in')));
  expect([refused.answer.status, await isIn(own)]).toEqual([422, false]);
  expect(refused.answer.text).toContain('That passkey didn’t work');
  await run(service, 'tenants.change', { tenant: hosts.a, adminSecondFactor: 'optional' });
});

it('SF13, SF14: an administrator who has a passkey and no app takes both steps with it', async () => {
  await run(service, 'tenants.change', { tenant: hosts.a, passkeys: 'on', adminSecondFactor: 'required' });
  const { browser, email, id } = await newAdmin();
  const passkey = await givePasskey(service, id);
  const page = await begin(browser, email);
  expect(page.text).toContain('Your second step is your passkey');
  const form = { token: field(page, 'token'), next: field(page, 'next') };
  const body = { ...form, passkey: passkey.signedFor(page) };
  expect((await browser.send('/admin/sign-in', { body })).headers.location).toBe('/admin');
  service.clock.advance(5 * minute);
  const act = `${home}/keys/+rotate`;
  const led = await browser.send(act);
  expect(led.headers.location).toBe(`/admin/proof?next=${encodeURIComponent(act)}`);
  const proof = await browser.send(String(led.headers.location));
  const proven = { token: field(proof, 'token'), next: field(proof, 'next') };
  const send = (text: string) => browser.send('/admin/proof', { body: { ...proven, passkey: text } });
  const other = await givePasskey(service, await makeAdmin(service, hosts.a, 'other@example.test'));
  const refused = await send(other.signedFor(proof));
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('That passkey didn’t work');
  const right = passkey.signedFor(refused);
  expect((await send(right)).headers.location).toBe(act);
  expect((await browser.send(act)).status).toBe(200);
  service.clock.advance(5 * minute);
  expect((await send(right)).status).toBe(422);
  await run(service, 'tenants.change', { tenant: hosts.a, adminSecondFactor: 'optional' });
});
