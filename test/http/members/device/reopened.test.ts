import { expect, it } from 'vitest';
import { codesFor, phoneOf, phonesOf, pollTokens, startUnlimited } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { useStartedAnew } from '../../../support/use-service.ts';

const service = useStartedAnew(() => startUnlimited({ trustedProxies: ['127.0.0.1'] }));

const entered = async () =>
  (await auditEvents(service))
    .filter(({ event }) => event === 'device_code_entered')
    .map((row) => row.actorId);
const linesOf = () => service.logLines.filter((line) => line.includes('device_code_entered')).length;

it('promise 7: a member who opens a waiting code again and again is written down once', async () => {
  const phone = await phoneOf(service, hosts.a);
  const { user_code: userCode, device_code: deviceCode } = await codesFor(service, hosts.a);
  const pages = await Promise.all(Array.from({ length: 8 }, () => phone.open(userCode)));
  for (let index = 0; index < 3; index += 1) pages.push(await phone.open(userCode));
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await entered()).toHaveLength(1);
  expect(linesOf()).toBe(1);

  // Each of those pages decides.
  const [first] = pages;
  if (first === undefined) throw new Error('no page');
  expect((await phone.press(first, 'approve')).headers.location).toMatch(/^\/device\/approved\?/);
  await pollTokens(service, hosts.a, deviceCode);
  expect((await phone.open(userCode)).headers.location).toMatch(/^\/device\/approved\?/);
  expect(await entered()).toHaveLength(1);
});

it('promise 7: the first opening of each code, and by each member, is always written down', async () => {
  const [one, other] = await phonesOf(service, hosts.a, 2);
  for (let index = 0; index < 2; index += 1) {
    const { user_code: userCode } = await codesFor(service, hosts.a);
    for (const phone of [one, other, one, other]) await phone?.open(userCode);
  }
  const actors = await entered();
  expect(actors).toHaveLength(4);
  expect(new Set(actors).size).toBe(2);
});

it('promise 7: a restart does not write down again what was opened before', async () => {
  const { user_code: userCode } = await codesFor(service, hosts.a);
  await (await phoneOf(service, hosts.a)).open(userCode);
  await service.restart();
  expect((await (await phoneOf(service, hosts.a)).open(userCode)).status).toBe(200);
  expect(await entered()).toHaveLength(1);
});
