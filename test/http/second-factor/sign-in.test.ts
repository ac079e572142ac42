import { describe, expect, it } from 'vitest';
import { second } from '../../../src/core/limits.ts';
import { totp } from '../../../src/core/members/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import { digitsOf, shownCodes, shownSecret } from '../../support/members/second-factor.ts';
import { givePasskey } from '../../support/members/soft-passkey.ts';
import { begin, give, isSignedIn, parameters, password, twoStepsOf } from '../../support/members/two-step.ts';
import { useService } from '../../support/use-service.ts';
import { answerOf, field, headingOf, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const step = totp.stepSeconds * second;
const { newMember, ready, set } = twoStepsOf(service);

describe('the second step', () => {
  it('comes behind the password, and leads to the client at once', async () => {
    const { browser, email, secret } = await ready();
    const page = await begin(browser, email);
    expect(headingOf(page)).toBe('Two-step sign-in');
    expect(await isSignedIn(browser)).toBe(false);
    const answer = await give(browser, page, { code: await digitsOf(service, secret) });
    expect(answerOf(answer).has('code')).toBe(true);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('SF19: is a passkey where one is there and nothing else: the password sets nothing up beside it', async () => {
    await set({ secondFactor: 'required', passkeys: 'on' });
    const { id, email } = await newMember();
    const passkey = await givePasskey(service, id);
    const browser = visitor(service, hosts.a);
    const page = await begin(browser, email);
    expect(page.text).toContain('Your second step is your passkey');
    expect(page.text).not.toMatch(/name="(?:setUp|trust)"/);
    expect(await isSignedIn(browser)).toBe(false);
    const body = { flow: field(page, 'flow'), passkey: passkey.signedFor(page) };
    expect(answerOf(await browser.send('/sign-in', { body })).has('code')).toBe(true);
    // Where the tenant has no passkeys any more, it is none.
    await set({ passkeys: 'off' });
    expect((await begin(visitor(service, hosts.a), email)).text).toContain('name="setUp"');
    await set({ secondFactor: 'optional', passkeys: 'on' });
  });

  it('is not there for a member without one, nor where the tenant turned it off', async () => {
    const { email } = await newMember();
    expect(answerOf(await begin(visitor(service, hosts.a), email)).has('code')).toBe(true);
    const own = await ready();
    await set({ secondFactor: 'off' });
    expect(answerOf(await begin(own.browser, own.email)).has('code')).toBe(true);
    await set({ secondFactor: 'optional' });
  });

  it('is set up within the sign-in where the tenant demands one, and shows its recovery codes', async () => {
    await set({ secondFactor: 'required' });
    const { email } = await newMember();
    const browser = visitor(service, hosts.a);
    const page = await begin(browser, email);
    expect(headingOf(page)).toBe('Turn on two-step sign-in');
    const secret = shownSecret(page);
    const setUp = { setUp: field(page, 'setUp') };
    const wrong = await give(browser, page, { ...setUp, code: await digitsOf(service, secret, 90) });
    expect(wrong.status).toBe(422);
    expect(shownSecret(wrong)).toBe(secret);
    expect(await isSignedIn(browser)).toBe(false);
    const codes = await give(browser, page, { ...setUp, code: await digitsOf(service, secret) });
    expect(shownCodes(codes)).toHaveLength(10);
    const next = /class="button primary" href="([^"]*)"/.exec(codes.text)?.[1] ?? '';
    expect(answerOf(await browser.send(next.replaceAll('&amp;', '&'))).has('code')).toBe(true);
    // Once is enough.
    service.clock.advance(step);
    const again = visitor(service, hosts.a);
    const asked = await begin(again, email);
    expect(answerOf(await give(again, asked, { code: await digitsOf(service, secret) })).has('code')).toBe(
      true,
    );
    await set({ secondFactor: 'optional' });
  });

  it('is not asked for again in a browser that the member trusts, for as long as the tenant says', async () => {
    const { browser, email, secret } = await ready();
    const page = await begin(browser, email);
    await give(browser, page, { code: await digitsOf(service, secret), trust: 'yes' });
    const ask = async () => {
      const asked = await browser.authorize({ ...parameters(), prompt: 'login' });
      return browser.signIn(asked, email, password);
    };
    expect(answerOf(await ask()).has('code')).toBe(true);
    await set({ trustedBrowserDays: 0 });
    expect((await ask()).headers.location).toMatch(/^\/second-factor/);
    // What has ended stays so.
    await set({ trustedBrowserDays: 30 });
    expect((await ask()).headers.location).toMatch(/^\/second-factor/);
  });

  it('takes a recovery code instead, tells the member by mail, and says how many are left', async () => {
    const { browser, email, codes } = await ready();
    const page = await begin(browser, email);
    const typed = ` ${codes[0]?.toUpperCase().replace('-', ' ')} `;
    expect(answerOf(await give(browser, page, { recovery: typed })).has('code')).toBe(true);
    await service.delivered();
    const mail = service.outbox.sent.findLast(({ to, name }) => to === email && name === 'recoveryCodeUsed');
    expect(mail?.text).toContain('9');
  });

  it('tells the id_token of both factors', async () => {
    const { browser, email, secret } = await ready();
    const page = await begin(browser, email);
    await give(browser, page, { code: await digitsOf(service, secret) });
    const row = await service.store.transaction((tx) =>
      tx.selectFrom('sessions').select(['amr', 'strongAt']).orderBy('createdAt', 'desc').limit(1).execute(),
    );
    expect(row).toEqual([{ amr: 'pwd otp mfa', strongAt: expect.any(Number) }]);
  });
});
