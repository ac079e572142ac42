import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emailProofLifetime, mailsPerHour, wrongEmailCodes } from '../../../src/core/members/limits.ts';
import { setLimits, textOf } from '../../support/device.ts';
import { hosts, passwords } from '../../support/fixtures.ts';
import { codeIn, linkIn } from '../../support/mails/outbox.ts';
import { type AccountVisitor, accountOf, expectDone } from '../../support/members/account.ts';
import { expectWorkDone, wayOn } from '../../support/members/sign-up.ts';
import { useService } from '../../support/use-service.ts';
import { field, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let browser: AccountVisitor;
let address = 'u1@example.test';
let count = 0;

const password = passwords[hosts.a]['u1@example.test'];
const url = '/account/email';

beforeAll(async () => {
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
});
beforeEach(async () => {
  browser = await accountOf(service, hosts.a, address, { password });
});

/** Asks for a new address; the page of the digits, and the mail. */
const ask = async () => {
  count += 1;
  const email = `new${count}@example.test`;
  const answer = await browser.submit(url, { email, currentPassword: password });
  expect(answer.headers.location).toMatch(/^\/account\/email\/verify\/[0-9a-f-]{36}$/);
  await service.delivered();
  return { email, verify: String(answer.headers.location), mail: service.outbox.last(email) };
};

const shownAddress = async () => textOf(await browser.send(url)).match(/Your email address is (\S+)\./)?.[1];
const pathOf = (link: string) => new URL(link).pathname;

describe('a new address', () => {
  it('pages 18: changes when the digits of the mail are entered, and the old address is told', async () => {
    const { email, verify, mail } = await ask();
    expect(mail.name).toBe('emailChange');
    expect(await shownAddress()).toBe(address);
    expect(textOf(await browser.send(verify))).toContain(email);
    expectDone(await browser.submit(verify, { code: codeIn(mail) }), '/account/details', 'email');
    expect(await shownAddress()).toBe(email);
    await service.delivered();
    const notice = service.outbox.last(address);
    expect(notice.name).toBe('emailChanged');
    expect(notice.text).toContain(`New address: ${email}`);
    const stranger = visitor(service, hosts.a);
    const page = await stranger.send(String((await stranger.send('/sign-in')).headers.location));
    expect((await stranger.signIn(page, address, password)).status).toBe(422);
    address = email;
    expect((await stranger.signIn(page, email, password)).status).toBe(303);
  });

  it('changes by the mail’s link in another browser of the member, by a button and not by opening it', async () => {
    const { email, mail } = await ask();
    const path = pathOf(linkIn(mail));
    const other = await accountOf(service, hosts.a, address, { password });
    expect(textOf(await other.send(path))).toContain(`Confirm that you want to use ${email}`);
    expect(await shownAddress()).toBe(address);
    expectDone(await other.submit(path), '/account/details', 'email');
    expect(await shownAddress()).toBe(email);
    const used = await other.send(path);
    expectWorkDone(used, 'Your email address is confirmed');
    expect(wayOn(used)).toBe('/account');
    address = email;
  });

  it('a link alone is not enough: it asks for the member’s sign-in', async () => {
    const { mail } = await ask();
    const path = pathOf(linkIn(mail));
    const stranger = visitor(service, hosts.a);
    expect((await stranger.send(path)).headers.location).toMatch(/^\/sign-in\?flow=/);
    const another = await accountOf(service, hosts.a, 'u2@example.test');
    expect((await another.send(path)).status).toBe(410);
    const token = field(await another.send(url), 'token');
    expect((await another.send(path, { body: { token } })).status).toBe(410);
    expect(await shownAddress()).toBe(address);
  });

  it('X1: the proof of another member is not found', async () => {
    const { verify, mail } = await ask();
    const another = await accountOf(service, hosts.a, 'u2@example.test');
    expect((await another.send(verify)).status).toBe(404);
    const elsewhere = await accountOf(service, hosts.b, 'u1@example.test');
    expect((await elsewhere.send(verify)).status).toBe(404);
    expect((await elsewhere.send(pathOf(linkIn(mail)))).status).toBe(410);
  });

  it('an address that has an account gets the same answer and no mail, and nothing changes', async () => {
    const known = 'U2@example.test';
    const answer = await browser.submit(url, { email: known, currentPassword: password });
    expect(answer.headers.location).toMatch(/^\/account\/email\/verify\/[0-9a-f-]{36}$/);
    await service.delivered();
    expect(service.outbox.sent.filter(({ to }) => to === known)).toEqual([]);
    const verify = await browser.send(String(answer.headers.location));
    expect(textOf(verify)).toContain(`If no other account uses ${known}, an email is on its way.`);
    expect(await shownAddress()).toBe(address);
  });

  it('an address that gets an account in between stays that account’s', async () => {
    const { email, verify, mail } = await ask();
    await service.store.transaction((tx) =>
      tx
        .updateTable('members')
        .set({ email, normalisedEmail: email })
        .where('normalisedEmail', '=', 'u2@example.test')
        .where('tenantId', '=', String(service.tenants.byHost(hosts.a)?.id))
        .execute(),
    );
    expect((await browser.submit(verify, { code: codeIn(mail) })).status).toBe(410);
    expect(await shownAddress()).toBe(address);
  });

  it(`after ${wrongEmailCodes} wrong codes only a new mail helps`, async () => {
    const { verify, mail } = await ask();
    const right = codeIn(mail);
    const wrong = right === '000 000' ? '111 111' : '000 000';
    expect((await browser.submit(verify, { code: '12' })).status).toBe(422);
    for (let guess = 1; guess < wrongEmailCodes; guess += 1) {
      expect((await browser.submit(verify, { code: wrong })).status).toBe(422);
    }
    expect((await browser.submit(verify, { code: wrong })).status).toBe(410);
    expect((await browser.send(verify)).status).toBe(410);
    expect(await shownAddress()).toBe(address);
  });

  it.each([
    ['without an account', 'wanted@example.test'],
    ['with one', 'u2@example.test'],
  ])(
    'F6: after five mails to an address %s in an hour, no more are claimed and no digits guessed',
    async (_what, email) => {
      service.clock.advance(60 * 60_000);
      const form = { email, currentPassword: password };
      for (let mails = 0; mails < mailsPerHour.ofBrowser; mails += 1) {
        expect((await browser.submit(url, form)).status).toBe(303);
      }
      const rows = () =>
        service.store.transaction((tx) =>
          tx.selectFrom('emailProofs').select('id').where('email', '=', email).execute(),
        );
      const before = await rows();
      const answer = await browser.submit(url, form);
      expect(answer.status).toBe(429);
      expect(textOf(answer)).toContain('none was sent this time');
      expect(wayOn(answer)).toBe(url);
      expect(await rows()).toEqual(before);
    },
  );

  it('works for a day', async () => {
    const { verify } = await ask();
    service.clock.advance(emailProofLifetime.email_change);
    expect((await browser.send(verify)).status).toBe(410);
  });

  it.each([
    ['', 'Enter your email address'],
    ['no address', 'Enter an email address, for example'],
  ])('pages 6: "%s" is refused at its field', async (email, text) => {
    const answer = await browser.submit(url, { email, currentPassword: password });
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain(text);
    expect(answer.text).toContain('href="#email"');
  });

  it('pages 6: the address one has is refused at its field', async () => {
    const answer = await browser.submit(url, { email: address.toUpperCase(), currentPassword: password });
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain('This is already your email address');
  });
});
