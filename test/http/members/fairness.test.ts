import { expect, it } from 'vitest';
import { mailsPerHour } from '../../../src/core/members/limits.ts';
import { createPasswords } from '../../../src/secrets/password.ts';
import { setLimits } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { httpClient } from '../../support/http.ts';
import { accountOf } from '../../support/members/account.ts';
import { addMember, askForRecovery, oldPassword } from '../../support/members/recover.ts';
import { serviceForTest } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, type Visitor, visitor } from '../../support/visitor.ts';

const atSignIn = (browser: Visitor) =>
  browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));

it("promise 7: while one tenant's passwords fill the queue, members of others and of quiet addresses get in", async () => {
  const service = await serviceForTest({
    data: 'security',
    trustedProxies: ['127.0.0.1'],
    passwords: createPasswords(),
  });
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
  const attacker = visitor(service, hosts.a);
  const flow = field(await atSignIn(attacker), 'flow');
  const cookie = [...attacker.cookies].map((pair) => pair.join('=')).join('; ');
  const people = [
    [visitor(service, hosts.b), 'u1@example.test'],
    [visitor(service, hosts.a), 'u1@example.test'],
  ] as const;
  const pages = await Promise.all(people.map(([browser]) => atSignIn(browser)));

  const http = httpClient(service.port, 300);
  const headers = { cookie };
  let isOver = false;
  const statuses: number[] = [];
  // Each guess is for another account, and all come from a few addresses, again and again.
  const flood = Array.from({ length: 64 }, async (_, index) => {
    for (let round = 0; !isOver; round += 1) {
      const body = { flow, email: `nobody${index}-${round}@example.test`, password: 'a wrong password' };
      const from = { ...headers, 'x-forwarded-for': `198.51.100.${index % 8}` };
      statuses.push((await http(hosts.a, '/sign-in', { body, headers: from })).status);
    }
  });
  while (!statuses.includes(503)) await new Promise(setImmediate);
  const entered: number[] = [];
  for (let again = 0; again < 2; again += 1) {
    for (const [index, [browser, email]] of people.entries()) {
      const page = pages[index];
      if (page !== undefined) entered.push((await browser.signIn(page, email)).status);
    }
  }
  isOver = true;
  await Promise.all(flood);
  http.close();
  expect(entered).toEqual(Array(4).fill(303));
  expect(statuses.filter((status) => ![422, 503].includes(status))).toEqual([]);
});

it('promise 7, F6: strangers who ask for a new password until no more are sent keep none from a browser of the owner', async () => {
  const service = await serviceForTest({ data: 'security', trustedProxies: ['127.0.0.1'] });
  const { email } = await addMember(service, hosts.a);
  const owner = await accountOf(service, hosts.a, email, { password: oldPassword });
  const { form } = await askForRecovery(service, hosts.a, 'other@example.test', { browser: owner });
  const flow = field(form, 'flow');
  const stranger = visitor(service, hosts.a);
  const strange = field(await stranger.send('/recover'), 'flow');
  const networks = ['198.51.100.1', '198.51.100.2', '198.51.100.3'];
  const ask = async (browser: Visitor, body: { flow: string }, from = networks[0]) =>
    (
      await browser.send('/recover', {
        body: { ...body, email },
        headers: { 'x-forwarded-for': String(from) },
      })
    ).status;
  const askAnew = async (from = networks[0]) => {
    const browser = visitor(service, hosts.a);
    return ask(browser, { flow: field(await browser.send('/recover'), 'flow') }, from);
  };
  for (const network of networks.slice(0, 2)) {
    for (let mails = 0; mails < mailsPerHour.ofNetwork; mails += 1) {
      expect(await askAnew(network)).toBe(303);
    }
  }
  expect(await ask(stranger, { flow: strange }, networks[2])).toBe(429);
  const mails = () => service.outbox.sent.filter(({ name, to }) => name === 'passwordReset' && to === email);
  await service.delivered();
  expect(mails()).toHaveLength(mailsPerHour.ofAll);
  // Even from the very network that the strangers are in, and its own share is the bound.
  for (let own = 0; own < mailsPerHour.ofBrowser; own += 1) expect(await ask(owner, { flow })).toBe(303);
  expect(await ask(owner, { flow }, networks[2])).toBe(429);
  await service.delivered();
  expect(mails()).toHaveLength(mailsPerHour.ofAll + mailsPerHour.ofBrowser);
  // A browser that another member is known for is a stranger's.
  const other = await accountOf(service, hosts.a, 'u2@example.test');
  const page = await other.send('/recover');
  expect(await ask(other, { flow: field(page, 'flow') }, networks[2])).toBe(429);
});
