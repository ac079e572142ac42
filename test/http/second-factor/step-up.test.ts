import { beforeAll, expect, it } from 'vitest';
import { minute } from '../../../src/core/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { digitsOf, giveSecondFactor, shownCodes, shownSecret } from '../../support/members/second-factor.ts';
import { givePasskey } from '../../support/members/soft-passkey.ts';
import { run } from '../../support/operators/desk.ts';
import { apps, claimsOf, credentialsOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  headingOf,
  pkce,
  type Tokens,
  token,
  type Visitor,
  visitor,
} from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const { conf2 } = apps;
const password = 'kvist og eld i skogen';
const two = 'urn:memberdoor:2';
const essential = { claims: JSON.stringify({ id_token: { acr: { essential: true, value: two } } }) };
let made = 0;

beforeAll(async () => {
  await run(service, 'clients.change', { tenant: hosts.a, clientId: conf2.clientId, claimsParameter: true });
});

/** A member who is signed in by the password alone. */
async function signedIn() {
  made += 1;
  const email = `step${made}@example.test`;
  const facts = { tenant: hosts.a, email, fullName: 'Step Up', password };
  const { id } = await run<{ id: string }>(service, 'members.create', facts);
  const browser = visitor(service, hosts.a);
  await browser.signIn((await ask(browser)).answer, email, password);
  return { id, email, browser };
}

async function ask(browser: Visitor, more: Record<string, string> = {}) {
  const proof = pkce();
  const parameters = authorizationParameters(conf2.clientId, conf2.redirectUri, proof, more);
  return { answer: await browser.authorize(parameters), proof };
}

const give = (browser: Visitor, page: Answer, form: Record<string, string>) =>
  browser.send('/second-factor', { body: { flow: field(page, 'flow'), ...form } });

/** What the id_token says that an answer leads to. */
async function saidOf(answer: Answer, { verifier }: ReturnType<typeof pkce>) {
  const code = answerOf(answer).get('code') ?? '';
  const exchanged = await token(service, hosts.a, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: conf2.redirectUri,
    ...credentialsOf(conf2),
  });
  return claimsOf(exchanged.json<Tokens>().id_token);
}

it.each([
  ['an essential acr', essential],
  ['acr_values', { acr_values: two }],
])(
  'I67: %s leads who is signed in with one factor to the second one, and comes back with both',
  async (_what, more) => {
    const { id, browser } = await signedIn();
    const { secret } = await giveSecondFactor(service, id);
    const { answer: page, proof } = await ask(browser, more);
    expect(headingOf(page)).toBe('Two-step sign-in');
    expect(page.text).not.toContain('name="trust"');
    expect((await give(browser, page, { code: '000000' })).status).toBe(422);
    const before = browser.cookies.get('__Host-memberdoor-session');
    const back = await give(browser, page, { code: await digitsOf(service, secret) });
    expect(await saidOf(back, proof)).toMatchObject({ acr: two, amr: ['pwd', 'otp', 'mfa'] });
    expect(browser.cookies.get('__Host-memberdoor-session')).not.toBe(before);
    // Once is enough in a session.
    const again = await ask(browser, more);
    expect(await saidOf(again.answer, again.proof)).toMatchObject({ acr: two });
  },
);

it('I67: an essential acr lets a member without a second factor set one up, and acr_values let her on without', async () => {
  const { browser } = await signedIn();
  const wished = await ask(browser, { acr_values: two });
  expect(await saidOf(wished.answer, wished.proof)).toMatchObject({ acr: 'urn:memberdoor:1', amr: ['pwd'] });
  const { answer: page, proof } = await ask(browser, essential);
  const form = { setUp: field(page, 'setUp'), code: await digitsOf(service, shownSecret(page)) };
  const codes = await give(browser, page, form);
  expect(shownCodes(codes)).toHaveLength(10);
  const next = /class="button primary" href="([^"]*)"/.exec(codes.text)?.[1] ?? '';
  const back = await browser.send(next.replaceAll('&amp;', '&'));
  expect(await saidOf(back, proof)).toMatchObject({ acr: two });
});

it('I67: prompt=none is interaction_required where the second factor is missing, and turning back is access_denied', async () => {
  const { id, browser } = await signedIn();
  await giveSecondFactor(service, id);
  const silent = await ask(browser, { ...essential, prompt: 'none' });
  expect(answerOf(silent.answer).get('error')).toBe('interaction_required');
  const { answer: page } = await ask(browser, essential);
  const cancelled = await give(browser, page, { action: 'cancel' });
  expect(answerOf(cancelled).get('error')).toBe('access_denied');
});

it('I67, I16: max_age asks a strong session for a new sign-in, with both factors again', async () => {
  const { id, email, browser } = await signedIn();
  const { secret } = await giveSecondFactor(service, id);
  await give(browser, (await ask(browser, essential)).answer, { code: await digitsOf(service, secret) });
  service.clock.advance(10 * minute);
  const { answer: page, proof } = await ask(browser, { ...essential, max_age: '60' });
  expect(page.text).toContain('<h1>Sign in</h1>');
  const led = await browser.signIn(page, email, password);
  const asked = await browser.send(String(led.headers.location));
  const back = await give(browser, asked, { code: await digitsOf(service, secret) });
  const said = await saidOf(back, proof);
  expect(said).toMatchObject({ acr: two });
  expect(Number(said.auth_time)).toBeGreaterThan(service.clock.now() / 1_000 - 60);
});

it('SF18: no second factor is set up in a session that was left open: its member signs in once more first', async () => {
  const { email, browser } = await signedIn();
  service.clock.advance(5 * minute);
  const { answer: page, proof } = await ask(browser, essential);
  expect(page.text).toContain('<h1>Sign in</h1>');
  const opened = await browser.send(`/second-factor?flow=${field(page, 'flow')}`);
  expect(opened.headers.location).toMatch(/^\/sign-in\?flow=/);
  const led = await browser.signIn(page, email, password);
  const setUp = await browser.send(String(led.headers.location));
  const form = { setUp: field(setUp, 'setUp'), code: await digitsOf(service, shownSecret(setUp)) };
  const codes = await give(browser, setUp, form);
  const next = /class="button primary" href="([^"]*)"/.exec(codes.text)?.[1] ?? '';
  expect(await saidOf(await browser.send(next.replaceAll('&amp;', '&')), proof)).toMatchObject({ acr: two });
});

it.each([
  ['an essential acr', essential],
  ['acr_values', { acr_values: two }],
])('I67: %s leads who has a passkey and no app to the passkey', async (_what, more) => {
  await run(service, 'tenants.change', { tenant: hosts.a, passkeys: 'on' });
  const { id, browser } = await signedIn();
  const passkey = await givePasskey(service, id);
  const { answer: page, proof } = await ask(browser, more);
  expect(page.text).toContain('Your second step is your passkey');
  expect(page.text).not.toContain('name="setUp"');
  expect((await give(browser, page, { code: '000000' })).status).toBe(422);
  const body = { flow: field(page, 'flow'), passkey: passkey.signedFor(page) };
  const back = await browser.send('/sign-in', { body });
  expect(await saidOf(back, proof)).toMatchObject({ acr: two, amr: ['hwk', 'user'] });
});
