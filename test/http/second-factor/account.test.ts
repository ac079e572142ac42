import { expect, it } from 'vitest';
import { minute, second } from '../../../src/core/limits.ts';
import { totp } from '../../../src/core/members/limits.ts';
import { findSecondFactor } from '../../../src/storage/members/second-factor.ts';
import { hosts } from '../../support/fixtures.ts';
import { type AccountVisitor, accountOf, expectDone } from '../../support/members/account.ts';
import { digitsOf, giveSecondFactor, shownCodes, shownSecret } from '../../support/members/second-factor.ts';
import { askedIn, givePasskey, softPasskey } from '../../support/members/soft-passkey.ts';
import { run } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';
import { field, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const password = 'kvist og eld i skogen';
const url = '/account/two-step';
let made = 0;

interface Own {
  readonly id: string;
  readonly email: string;
  readonly account: AccountVisitor;
}

async function newMember(): Promise<Own> {
  made += 1;
  const email = `own${made}@example.test`;
  const facts = { tenant: hosts.a, email, fullName: 'Two Steps', password };
  const { id } = await run<{ id: string }>(service, 'members.create', facts);
  return { id, email, account: await accountOf(service, hosts.a, email, { password }) };
}

const factorOf = ({ id }: Pick<Own, 'id'>) => service.store.transaction((tx) => findSecondFactor(tx, id));

const mailsTo = async (email: string) => {
  await service.delivered();
  return service.outbox.sent.filter(({ to }) => to === email).map(({ name }) => name);
};

it('is turned on by the password and the digits of the app, and a mail says so', async () => {
  const own = await newMember();
  expect((await own.account.send('/account/sessions')).text).toContain('href="/account/two-step"');
  const page = await own.account.send(url);
  const secret = shownSecret(page);
  expect(page.text).toContain(`otpauth://totp/`);
  const sent = { token: field(page, 'token'), setUp: field(page, 'setUp') };
  const code = await digitsOf(service, secret);
  const before = own.account.cookies.get('__Host-memberdoor-session');
  for (const form of [
    { code, currentPassword: '' },
    { code, currentPassword: 'not the password' },
    { code: '000000', currentPassword: password },
  ]) {
    const refused = await own.account.send(url, { body: { ...sent, ...form } });
    expect([refused.status, shownSecret(refused)]).toEqual([422, secret]);
  }
  expect(await factorOf(own)).toBeNull();
  const done = await own.account.send(url, { body: { ...sent, code, currentPassword: password } });
  expect(shownCodes(done)).toHaveLength(10);
  // The cookie changes where a session grows stronger (A8).
  expect(own.account.cookies.get('__Host-memberdoor-session')).not.toBe(before);
  expect((await own.account.send(url)).text).toContain('10 left');
  expect(await mailsTo(own.email)).toContain('secondFactorOn');
});

it('SF11: another secret is not put in the place of one that is on by the password alone', async () => {
  const own = await newMember();
  const page = await own.account.send(url);
  const { secret } = await giveSecondFactor(service, own.id);
  const before = await factorOf(own);
  const body = {
    token: field(page, 'token'),
    setUp: field(page, 'setUp'),
    code: await digitsOf(service, shownSecret(page)),
    currentPassword: password,
  };
  expect((await own.account.send(url, { body })).headers.location).toBe(url);
  expect((await factorOf(own))?.secret.equals(before?.secret ?? Buffer.alloc(0))).toBe(true);
  expect(secret).not.toBe(shownSecret(page));
});

it('SF12: is turned off, and given new recovery codes, by the password and a code together', async () => {
  const own = await newMember();
  const { secret, codes } = await giveSecondFactor(service, own.id);
  const code = await digitsOf(service, secret);
  for (const page of ['codes', 'off']) {
    for (const form of [
      { code, currentPassword: 'not the password' },
      { code: '000000', currentPassword: password },
      { code: '', currentPassword: password },
    ]) {
      const refused = await own.account.submit(`${url}/${page}`, form);
      expect([422, 429]).toContain(refused.status);
    }
    await run(service, 'members.unlock', { tenant: hosts.a, memberId: own.id });
  }
  expect((await factorOf(own))?.recoveryHashes).toHaveLength(10);
  const renewed = shownCodes(await own.account.submit(`${url}/codes`, { code, currentPassword: password }));
  expect(renewed).toHaveLength(10);
  // SP 800-63B-4 §4.2.1.1: the member is told of new recovery codes.
  expect(await mailsTo(own.email)).toContain('recoveryCodesRenewed');
  const byOld = await own.account.submit(`${url}/off`, { code: codes[0] ?? '', currentPassword: password });
  expect(byOld.status).toBe(422);
  const byNew = await own.account.submit(`${url}/off`, { code: renewed[0] ?? '', currentPassword: password });
  expectDone(byNew, '/account/sessions', 'twoStepOff');
  expect(await factorOf(own)).toBeNull();
  expect(await mailsTo(own.email)).toContain('secondFactorOff');
  const { entries } = await run<{ entries: readonly { event: { event: string } | null }[] }>(
    service,
    'members.timeline',
    { tenant: hosts.a, memberId: own.id, part: 'sign_ins' },
  );
  const told = entries.flatMap(({ event }) => event?.event ?? []);
  expect(told).toEqual(
    expect.arrayContaining(['recovery_codes_renewed', 'recovery_code_used', 'second_factor_off']),
  );
});

const passkeys = '/account/passkeys';

/** Makes a passkey on the page that asks for one. */
async function make({ account }: Pick<Own, 'account'>, from: string) {
  const page = await account.send(from);
  const said = { ...askedIn(page), origin: 'https://a.test', domain: 'a.test' };
  const body = { token: field(page, 'token'), passkey: softPasskey().made(said) };
  return account.send(`${passkeys}/new`, { body });
}

it('SF20: a passkey, which is two factors, is made by both where there are two, and not by the password alone', async () => {
  await run(service, 'tenants.change', { tenant: hosts.a, passkeys: 'on' });
  const own = await newMember();
  const { secret } = await giveSecondFactor(service, own.id);
  // The session is a moment old, and knows the password alone.
  expect((await own.account.send(`${passkeys}/new`)).headers.location).toBe(`${passkeys}/confirm`);
  const page = await own.account.send(`${passkeys}/confirm`);
  const confirm = (form: Record<string, string>) =>
    own.account.send(`${passkeys}/confirm`, {
      body: { token: field(page, 'token'), currentPassword: password, ...form },
    });
  expect(page.text).toContain('name="code"');
  expect((await confirm({})).status).toBe(422);
  expect((await confirm({ code: '000000' })).status).toBe(422);
  const led = await confirm({ code: await digitsOf(service, secret) });
  expect(led.headers.location).toMatch(/^\/account\/passkeys\/new\?proof=/);
  const made = await make(own, String(led.headers.location));
  expect(made.headers.location, made.text).toBe(passkeys);
});

it('WA20: what the page of a new passkey asks to be signed opens no such page again', async () => {
  const own = await newMember();
  const page = await own.account.send(`${passkeys}/new`);
  const { challenge } = askedIn(page);
  service.clock.advance(5 * minute);
  const again = await own.account.send(`${passkeys}/new?proof=${encodeURIComponent(challenge)}`);
  expect(again.headers.location).toBe(`${passkeys}/confirm`);
});

it('SF21: a password that was not looked at is not among the proofs of a session, for operators too', async () => {
  const own = await newMember();
  const passkey = await givePasskey(service, own.id);
  await run(service, 'tenants.change', { tenant: hosts.a, passkeys: 'on' });
  const browser = visitor(service, hosts.a);
  const way = await browser.send('/sign-in');
  const signIn = await browser.send(String(way.headers.location));
  const body = { flow: field(signIn, 'flow'), passkey: passkey.signedFor(signIn) };
  expect((await browser.send('/sign-in', { body })).headers.location).toBe('/account');
  const proof = await browser.send('/account/data');
  const page = await browser.send(url);
  const done = await browser.send(url, {
    body: {
      token: field(page, 'token'),
      setUp: field(page, 'setUp'),
      code: await digitsOf(service, shownSecret(page)),
      currentPassword: 'not the password',
      passkey: passkey.signedFor(proof),
    },
  });
  expect(shownCodes(done)).toHaveLength(10);
  const named = { tenant: hosts.a, memberId: own.id };
  const { sessions } = await run<{ sessions: readonly { amr: string[]; strongAt: string | null }[] }>(
    service,
    'sessions.list',
    named,
  );
  expect(sessions.map(({ amr, strongAt }) => [amr.join(' '), strongAt !== null]).sort()).toEqual([
    ['hwk user otp mfa', true],
    ['pwd', false],
  ]);
});

it('is turned off by an operator for a member who lost everything: a mail says so, and the audit names the operator', async () => {
  const own = await newMember();
  await giveSecondFactor(service, own.id);
  const named = { tenant: hosts.a, memberId: own.id };
  const shown = await run<{ standing: { secondFactorSince: string | null } }>(service, 'members.read', named);
  expect(shown.standing.secondFactorSince).toEqual(expect.any(String));
  await run(service, 'members.resetSecondFactor', named);
  expect(await factorOf(own)).toBeNull();
  expect(await mailsTo(own.email)).toContain('secondFactorReset');
  await expect(run(service, 'members.resetSecondFactor', named)).rejects.toThrow();
});

it('F14: nothing of it is left of a member who is erased, and her own file tells that she has it', async () => {
  const own = await newMember();
  const { secret } = await giveSecondFactor(service, own.id);
  service.clock.advance(totp.stepSeconds * second);
  const data = await own.account.submit('/account/data', { currentPassword: password });
  expect(data.text).toContain('"recoveryCodesLeft":10');
  expect(data.text).not.toContain(secret);
  await run(service, 'members.delete', { tenant: hosts.a, memberId: own.id });
  expect(await factorOf(own)).toBeNull();
});

it('is not offered where the tenant turned it off, but a member who has it can turn it off', async () => {
  const [without, own] = [await newMember(), await newMember()];
  const { secret } = await giveSecondFactor(service, own.id);
  await run(service, 'tenants.change', { tenant: hosts.a, secondFactor: 'off' });
  expect((await without.account.send(url)).status).toBe(404);
  expect((await without.account.send('/account/sessions')).text).not.toContain(url);
  service.clock.advance(minute);
  const off = { code: await digitsOf(service, secret), currentPassword: password };
  expectDone(await own.account.submit(`${url}/off`, off), '/account/sessions', 'twoStepOff');
  await run(service, 'tenants.change', { tenant: hosts.a, secondFactor: 'optional' });
});
