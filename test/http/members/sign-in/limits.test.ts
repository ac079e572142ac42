import { describe, expect, it, onTestFinished } from 'vitest';
import { createPasswords } from '../../../../src/secrets/password.ts';
import { setLimits } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { addMember, oldPassword } from '../../../support/members/recover.ts';
import { serviceForTest, useService } from '../../../support/use-service.ts';
import { authorizationParameters, field, pkce, type Visitor, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });

const minute = 60_000;

const atSignIn = (browser: Visitor) =>
  browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce(), { prompt: 'login' }));

/** One try, from this address, in a new browser or the one given. */
const attempt = async (
  email: string,
  password: string,
  address: string,
  browser = visitor(service, hosts.a),
): Promise<Answer> => {
  const flow = field(await atSignIn(browser), 'flow');
  return browser.send('/sign-in', {
    body: { flow, email, password },
    headers: { 'x-forwarded-for': address },
  });
};

/** The address of one of many homes. */
const homeOf = (index: number) => `198.51.${100 + Math.floor(index / 250)}.${(index % 250) + 1}`;

/** Fails so often that the account is closed for a minute or more. */
const closeAccount = async (email: string) => {
  for (let index = 0; index < 5; index += 1) {
    expect((await attempt(email, 'wrong one', homeOf(index))).status).toBe(422);
  }
};

describe('A6: guessing at one account', () => {
  it('A6: of 100 wrong passwords from as many addresses five are looked at; then the page says when', async () => {
    const { email } = await addMember(service, hosts.a);
    const statuses = [];
    for (let index = 0; index < 100; index += 1) {
      const answer = await attempt(email, 'wrong one', homeOf(index));
      statuses.push(answer.status);
      if (answer.status !== 429) continue;
      expect(answer.text).toContain('<title>Error: Too many attempts – Tenant A</title>');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
    expect(statuses).toEqual([...Array(5).fill(422), ...Array(95).fill(429)]);
    // The right one is not looked at either, so the answer does not tell that it was right.
    expect((await attempt(email, oldPassword, homeOf(101))).status).toBe(429);
  });

  it('A6: 50 guesses at the same moment are told no more than 50 in turn, even if one is right', async () => {
    const { email } = await addMember(service, hosts.a);
    const browser = visitor(service, hosts.a);
    const flow = field(await atSignIn(browser), 'flow');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        browser.send('/sign-in', {
          body: { flow, email, password: index === 49 ? oldPassword : 'wrong one' },
          headers: { 'x-forwarded-for': homeOf(index) },
        }),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect(count(422)).toBe(5);
    expect(count(303)).toBe(0);
  });

  it('F1: a guess that finds no place to be judged is not counted', async () => {
    // One hash at a time, and few wait.
    const busy = await serviceForTest({
      data: 'security',
      trustedProxies: ['127.0.0.1'],
      passwords: createPasswords(1, 8),
    });
    await setLimits(busy, hosts.a, { failedSignInsPerAccount: null });
    const { email } = await addMember(busy, hosts.a);
    const browser = visitor(busy, hosts.a);
    const flow = field(await atSignIn(browser), 'flow');
    const send = (index: number, password: string) =>
      browser.send('/sign-in', {
        body: { flow, email, password },
        headers: { 'x-forwarded-for': homeOf(index) },
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index, 'wrong one')));
    const judged = answers.filter(({ status }) => status === 422).length;
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(20 - judged);
    expect(judged).toBeLessThan(20);
    const { failures } = await busy.store.transaction((tx) =>
      tx.selectFrom('signInFailures').select('failures').executeTakeFirstOrThrow(),
    );
    expect(failures).toBe(judged);
  });

  it('A6: how many failures an account has is settable, and may be no limit', async () => {
    const { email } = await addMember(service, hosts.a);
    await setLimits(service, hosts.a, { failedSignInsPerAccount: 2 });
    onTestFinished(() => setLimits(service, hosts.a, {}));
    for (let index = 0; index < 2; index += 1) {
      expect((await attempt(email, 'wrong one', homeOf(index))).status).toBe(422);
    }
    expect((await attempt(email, oldPassword, homeOf(3))).headers['retry-after']).toBe('60');
    await setLimits(service, hosts.a, { failedSignInsPerAccount: null });
    expect((await attempt(email, 'wrong one', homeOf(4))).status).toBe(422);
    expect((await attempt(email, oldPassword, homeOf(5))).status).toBe(303);
  });

  it('A6: an address without an account is closed in the same way', async () => {
    await closeAccount('nobody@example.test');
    expect((await attempt('Nobody@Example.test ', 'wrong one', homeOf(9))).status).toBe(429);
  });

  it('A6: it is never closed for good: each failure costs 1, 2, 4, 8, 15 and 15 minutes', async () => {
    const { email } = await addMember(service, hosts.a);
    await closeAccount(email);
    for (const minutes of [1, 2, 4, 8, 15, 15, 15]) {
      const closed = await attempt(email, oldPassword, homeOf(7));
      expect(closed.status).toBe(429);
      const wait = Number(closed.headers['retry-after']);
      expect(wait).toBeGreaterThan(minutes * 60 - 5);
      expect(wait).toBeLessThanOrEqual(minutes * 60);
      service.clock.advance(wait * 1_000);
      expect((await attempt(email, 'wrong one', homeOf(8))).status).toBe(422);
    }
    service.clock.advance(15 * minute);
    expect((await attempt(email, oldPassword, homeOf(9))).status).toBe(303);
    // The owner's sign-in forgets every failure.
    for (let tries = 0; tries < 4; tries += 1) {
      expect((await attempt(email, 'wrong one', homeOf(tries))).status).toBe(422);
    }
    expect((await attempt(email, oldPassword, homeOf(9))).status).toBe(303);
  });

  it('A6: meanwhile the owner comes in with a browser that signed in before, and no other one does', async () => {
    const { email } = await addMember(service, hosts.a);
    const known = visitor(service, hosts.a);
    expect((await attempt(email, oldPassword, homeOf(1), known)).status).toBe(303);
    const other = visitor(service, hosts.a);
    expect((await attempt('u2@example.test', 'password of u2 at a', homeOf(2), other)).status).toBe(303);
    await closeAccount(email);
    expect((await attempt(email, oldPassword, homeOf(3), other)).status).toBe(429);
    expect((await attempt(email, oldPassword, homeOf(3))).status).toBe(429);
    expect((await attempt(email, oldPassword, homeOf(3), known)).status).toBe(303);
  });

  it('A6: another tenant’s account with the same address stays open', async () => {
    await closeAccount('u1@example.test');
    const browser = visitor(service, hosts.b);
    expect((await browser.signIn(await atSignIn(browser), 'u1@example.test')).status).toBe(303);
  });

  it('A6: the count survives a restart, and so does the known browser', async () => {
    const { email } = await addMember(service, hosts.a);
    const known = visitor(service, hosts.a);
    await attempt(email, oldPassword, homeOf(1), known);
    await closeAccount(email);
    await service.restart();
    expect((await attempt(email, oldPassword, homeOf(2))).status).toBe(429);
    const again = visitor(service, hosts.a);
    for (const [name, value] of known.cookies) again.cookies.set(name, value);
    expect((await attempt(email, oldPassword, homeOf(2), again)).status).toBe(303);
  });
});

describe('A6: guessing from one address', () => {
  it('A6: of 100 wrong passwords for as many accounts 30 a minute are looked at', async () => {
    const statuses = [];
    for (let index = 0; index < 100; index += 1) {
      const answer = await attempt(`many${index}@example.test`, 'wrong one', '203.0.113.30');
      statuses.push(answer.status);
      if (answer.status === 429) expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
    }
    expect(statuses).toEqual([...Array(30).fill(422), ...Array(70).fill(429)]);
    // Another home goes on, and so does this one a minute later.
    expect((await attempt('u2@example.test', 'password of u2 at a', '203.0.113.31')).status).toBe(303);
    service.clock.advance(minute);
    expect((await attempt('u2@example.test', 'password of u2 at a', '203.0.113.30')).status).toBe(303);
  });

  it('A6: homes behind one address sign in as often as they like: what succeeds is not counted', async () => {
    for (let index = 0; index < 40; index += 1) {
      const answer = await attempt('u2@example.test', 'password of u2 at a', '203.0.113.40');
      expect(answer.status).toBe(303);
    }
  });

  it('A6: an IPv6 household counts as one, whichever of its addresses it comes from', async () => {
    for (let index = 0; index < 30; index += 1) {
      const address = `2001:db8:0:1::${(index + 1).toString(16)}`;
      expect((await attempt(`six${index}@example.test`, 'wrong one', address)).status).toBe(422);
    }
    expect((await attempt('six@example.test', 'wrong one', '2001:db8:0:1:ffff::1')).status).toBe(429);
    expect((await attempt('six@example.test', 'wrong one', '2001:db8:0:2::1')).status).toBe(422);
  });

  it('A6: the owner gets in with a browser that signed in before, despite guesses from the same address', async () => {
    await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: 5 });
    onTestFinished(() => setLimits(service, hosts.a, {}));
    const [{ email }, other] = [await addMember(service, hosts.a), await addMember(service, hosts.a)];
    const [known, ofAnother] = [visitor(service, hosts.a), visitor(service, hosts.a)];
    await attempt(email, oldPassword, homeOf(1), known);
    await attempt(other.email, oldPassword, homeOf(1), ofAnother);
    const shared = '203.0.113.50';
    for (let index = 0; index < 5; index += 1) {
      expect((await attempt(`near${index}@example.test`, 'wrong one', shared)).status).toBe(422);
    }
    expect((await attempt(email, oldPassword, shared)).status).toBe(429);
    expect((await attempt(email, oldPassword, shared, ofAnother)).status).toBe(429);
    expect((await attempt(email, oldPassword, shared, known)).status).toBe(303);
  });

  it('A6: a browser that signed in before has as many guesses a minute as an address, wherever it is', async () => {
    await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: 5 });
    onTestFinished(() => setLimits(service, hosts.a, {}));
    const { email } = await addMember(service, hosts.a);
    const known = visitor(service, hosts.a);
    await attempt(email, oldPassword, homeOf(1), known);
    const statuses = [];
    for (let index = 0; index < 8; index += 1) {
      statuses.push((await attempt(email, 'wrong one', homeOf(index), known)).status);
    }
    expect(statuses).toEqual([...Array(5).fill(422), ...Array(3).fill(429)]);
    expect((await attempt(email, oldPassword, homeOf(1), known)).status).toBe(429);
    service.clock.advance(minute);
    expect((await attempt(email, oldPassword, homeOf(1), known)).status).toBe(303);
  });

  it('A6: 40 guesses at 40 accounts at the same moment are told no more than 40 in turn, even if some are right', async () => {
    // Hashes as slow as they really are, so that all guesses are under way before the first is told.
    const real = await serviceForTest({ data: 'security', passwords: createPasswords() });
    await setLimits(real, hosts.a, { failedSignInsPerAddressAndMinute: 5 });
    const browser = visitor(real, hosts.a);
    const flow = field(await atSignIn(browser), 'flow');
    const guesses = Array.from({ length: 40 }, (_, index) => [`same${index}@example.test`, 'wrong one']);
    for (let index = 35; index < 40; index += 1) {
      guesses[index] = [(await addMember(real, hosts.a)).email, oldPassword];
    }
    const answers = await Promise.all(
      guesses.map(([email = '', password = '']) =>
        browser.send('/sign-in', { body: { flow, email, password } }),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(422), count(303), count(429)]).toEqual([5, 0, 35]);
  });
});
