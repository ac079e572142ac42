import { expect, it, onTestFinished } from 'vitest';
import { createPasswords } from '../../../src/secrets/password.ts';
import { setLimits } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { httpClient } from '../../support/http.ts';
import { startTestService } from '../../support/service.ts';
import { authorizationParameters, field, pkce, type Visitor, visitor } from '../../support/visitor.ts';

const atSignIn = (browser: Visitor) =>
  browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));

it("promise 7: while one tenant's passwords fill the queue, members of others and of quiet addresses get in", async () => {
  const service = await startTestService({
    data: 'security',
    trustedProxies: ['127.0.0.1'],
    passwords: createPasswords(),
  });
  onTestFinished(() => service.stop());
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
