import { describe, expect, it } from 'vitest';
import { day, minute, second } from '../../../src/core/limits.ts';
import { totp } from '../../../src/core/members/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { digitsOf, giveSecondFactor, shownSecret } from '../../support/members/second-factor.ts';
import {
  begin,
  give,
  isSignedIn,
  parameters,
  password,
  type Ready,
  twoStepsOf,
} from '../../support/members/two-step.ts';
import { run } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';
import { answerOf, field, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const step = totp.stepSeconds * second;
const { newMember, ready, set } = twoStepsOf(service);

describe('hostile second steps', () => {
  it('SF1: without a first factor, or with one that waited ten minutes, lead to the sign-in', async () => {
    const { browser, email, secret } = await ready();
    const signIn = await browser.authorize(parameters());
    const early = await browser.send(`/second-factor?flow=${encodeURIComponent(field(signIn, 'flow'))}`);
    expect(early.headers.location).toMatch(/^\/sign-in/);
    const bare = await give(browser, signIn, { code: await digitsOf(service, secret) });
    expect(bare.headers.location).toMatch(/^\/sign-in/);
    const page = await begin(browser, email);
    service.clock.advance(10 * minute);
    const late = await give(browser, page, { code: await digitsOf(service, secret) });
    expect(late.headers.location).toMatch(/^\/sign-in/);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('SF2: of another browser’s first factor begin nothing', async () => {
    const { browser, email, secret } = await ready();
    const page = await begin(browser, email);
    const other = visitor(service, hosts.a);
    await other.authorize(parameters());
    const answer = await give(other, page, { code: await digitsOf(service, secret) });
    expect(answer.status).toBe(403);
    expect(await isSignedIn(other)).toBe(false);
  });

  it('SF3, SF4: begin nothing once the password is another, or the member disabled', async () => {
    const { browser, id, email, secret } = await ready();
    const pages = [await begin(browser, email), await begin(browser, email)];
    const memberId = { tenant: hosts.a, memberId: id };
    await run(service, 'members.change', { ...memberId, password: 'another long password 1' });
    const [first, second] = pages as [Answer, Answer];
    const changed = await give(browser, first, { code: await digitsOf(service, secret) });
    expect(changed.headers.location).toMatch(/^\/sign-in/);
    const third = await begin(browser, email, 'another long password 1');
    await run(service, 'members.disable', memberId);
    for (const page of [second, third]) {
      const answer = await give(browser, page, { code: await digitsOf(service, secret) });
      expect(answer.headers.location).toMatch(/^\/sign-in/);
    }
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('SF5: digits work once, and neither older ones nor those of another time do', async () => {
    const { browser, email, secret } = await ready();
    const used = await digitsOf(service, secret);
    await give(browser, await begin(browser, email), { code: used });
    service.clock.advance(step);
    for (const code of [used, await digitsOf(service, secret, -1), await digitsOf(service, secret, 2), '']) {
      const fresh = visitor(service, hosts.a);
      const answer = await give(fresh, await begin(fresh, email), { code });
      expect(answer.status, code).toBe(422);
    }
    const fresh = visitor(service, hosts.a);
    const answer = await give(fresh, await begin(fresh, email), { code: await digitsOf(service, secret) });
    expect(answerOf(answer).has('code')).toBe(true);
  });

  it('SF6: a recovery code works once, and one of another member never', async () => {
    const { browser, email, codes } = await ready();
    const [code = ''] = codes;
    await give(browser, await begin(browser, email), { recovery: code });
    const { codes: others } = await ready();
    for (const recovery of [code, others[0] ?? '']) {
      const fresh = visitor(service, hosts.a);
      expect((await give(fresh, await begin(fresh, email), { recovery })).status).toBe(422);
    }
  });

  it.each(['code', 'recovery'] as const)('SF7, F1: of 200 at once (%s) five are looked at', async (name) => {
    const { browser, email, secret, codes } = await ready();
    const page = await begin(browser, email);
    const guess = (index: number) =>
      name === 'code' ? String(index).padStart(6, '0') : `00000-${10_000 + index}`;
    const right = name === 'code' ? await digitsOf(service, secret) : (codes[0] ?? '');
    const all = Array.from({ length: 199 }, (_, index) => guess(index)).filter((one) => one !== right);
    const answers = await Promise.all([...all, right].map((one) => give(browser, page, { [name]: one })));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(answers.length - 5);
    await service.restart();
    expect((await give(browser, page, { [name]: right })).status).toBe(429);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('SF23: a tenant that lets browsers be trusted for fewer days lets those that are trusted go no longer', async () => {
    const { browser, email, secret } = await ready();
    await give(browser, await begin(browser, email), { code: await digitsOf(service, secret), trust: 'yes' });
    const ask = async () => {
      const asked = await browser.authorize({ ...parameters(), prompt: 'login' });
      return browser.signIn(asked, email, password);
    };
    await set({ trustedBrowserDays: 7 });
    service.clock.advance(7 * day - second);
    expect(answerOf(await ask()).has('code')).toBe(true);
    service.clock.advance(second);
    expect((await ask()).headers.location).toMatch(/^\/second-factor/);
    await set({ trustedBrowserDays: 30 });
  });

  it('SF24: a member is told once of wrong digits behind a right password, and when digits are taken again', async () => {
    const { browser, email, id } = await ready();
    const page = await begin(browser, email);
    for (let guess = 0; guess < 5; guess += 1) await give(browser, page, { code: '000000' });
    expect((await give(browser, page, { code: '000000' })).text).toContain('Try again in 1 minute.');
    service.clock.advance(minute);
    await give(browser, page, { code: '000000' });
    expect((await give(browser, page, { code: '000000' })).text).toContain('Try again in 2 minutes.');
    await service.delivered();
    const mails = service.outbox.sent.filter(
      ({ to, name }) => to === email && name === 'secondFactorRefused',
    );
    expect(mails).toHaveLength(1);
    await run(service, 'members.unlock', { tenant: hosts.a, memberId: id });
  });

  it('SF8: a trusted browser is asked again after the password changed, after a reset, and when its time is over', async () => {
    const trusted = async () => {
      const own = await ready();
      await give(own.browser, await begin(own.browser, own.email), {
        code: await digitsOf(service, own.secret),
        trust: 'yes',
      });
      return own;
    };
    const ask = async ({ browser, email }: Ready, word = password) => {
      const asked = await browser.authorize({ ...parameters(), prompt: 'login' });
      return browser.signIn(asked, email, word);
    };
    const changed = await trusted();
    const of = ({ id }: Ready) => ({ tenant: hosts.a, memberId: id });
    await run(service, 'members.change', { ...of(changed), password: 'another long password 1' });
    expect((await ask(changed, 'another long password 1')).headers.location).toMatch(/^\/second-factor/);
    const reset = await trusted();
    await run(service, 'members.resetSecondFactor', of(reset));
    expect(answerOf(await ask(reset)).has('code')).toBe(true);
    await giveSecondFactor(service, reset.id);
    expect((await ask(reset)).headers.location).toMatch(/^\/second-factor/);
    const old = await trusted();
    service.clock.advance(30 * 24 * 60 * minute);
    expect((await ask(old)).headers.location).toMatch(/^\/second-factor/);
  });

  it('SF9: the trust is that of one browser and one member', async () => {
    const { browser, email, secret } = await ready();
    await give(browser, await begin(browser, email), { code: await digitsOf(service, secret), trust: 'yes' });
    const other = visitor(service, hosts.a);
    expect((await begin(other, email)).text).toContain('Two-step sign-in');
    const { email: neighbour } = await ready();
    const asked = await browser.authorize({ ...parameters(), prompt: 'login' });
    const answer = await browser.signIn(asked, neighbour, password);
    expect(answer.headers.location).toMatch(/^\/second-factor/);
  });

  it('SF10: a secret is set up by the browser and the member that it was shown to alone', async () => {
    await set({ secondFactor: 'required' });
    const [one, two] = [await newMember(), await newMember()];
    const browser = visitor(service, hosts.a);
    const shown = await begin(browser, one.email);
    const code = await digitsOf(service, shownSecret(shown));
    const stranger = visitor(service, hosts.a);
    const own = await begin(stranger, one.email);
    const neighbour = await begin(browser, two.email);
    for (const [who, page, setUp] of [
      [stranger, own, field(shown, 'setUp')],
      [browser, neighbour, field(shown, 'setUp')],
      [browser, neighbour, `${field(neighbour, 'setUp')}x`],
      [browser, neighbour, ''],
    ] as const) {
      expect((await give(who, page, { setUp, code })).status).toBe(422);
    }
    await set({ secondFactor: 'optional' });
  });

  it('SF16, W7, W9: no secret and no code stands in the database or in the log', async () => {
    const { browser, email, secret, codes } = await ready();
    const page = await begin(browser, email);
    const digits = await digitsOf(service, secret);
    await give(browser, page, { recovery: codes[0] ?? '' });
    await give(browser, page, { code: digits });
    const rows = await service.store.transaction((tx) =>
      tx.selectFrom('secondFactors').selectAll().execute(),
    );
    const kept = rows.map((row) => `${row.secret.toString('latin1')} ${row.recoveryHashes}`).join();
    for (const text of [kept, service.logLines.join()]) {
      for (const hidden of [secret, ...codes]) expect(text).not.toContain(hidden);
    }
    expect(service.logLines.join()).not.toContain(digits);
  });
});
