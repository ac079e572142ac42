import { expect, it } from 'vitest';
import type { OutboundCall, OutboundResult } from '../../../../src/system/outbound/call.ts';
import { foreignPair } from '../../../support/clients/foreign-jwt.ts';
import {
  asSigned,
  assertionOf,
  authenticate,
  jwksOf,
  registerSigned,
} from '../../../support/clients/signed-client.ts';
import { setLimits, unlimited } from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { serviceForTest } from '../../../support/use-service.ts';

const jwksUri = 'https://app.test/keys';
const [first, second] = [await foreignPair(), await foreignPair('EdDSA')];

/** A service with a client that publishes its keys: what answers there, and which calls came. */
async function published() {
  const calls: OutboundCall[] = [];
  const there = { answer: null as OutboundResult | null };
  const outbound = {
    send: async (call: OutboundCall): Promise<OutboundResult> => {
      calls.push(call);
      return there.answer ?? { kind: 'failed', reason: 'connection' };
    },
  };
  const service = await serviceForTest({ data: 'security', outbound });
  await setLimits(service, hosts.a, unlimited);
  await registerSigned(service, hosts.a, 'signed', [], { jwksUri });
  const publish = (body: string, headers: Record<string, string> = {}, status = 200) => {
    there.answer = { kind: 'answer', status, headers, body };
  };
  const fail = () => {
    there.answer = null;
  };
  const isTaken = async (pair = first) => {
    const answer = await authenticate(service, asSigned(assertionOf(service, pair)));
    const isRight = answer.status === 400;
    expectJsonError(answer, isRight ? 400 : 401, isRight ? 'invalid_grant' : 'invalid_client');
    return isRight;
  };
  return { service, calls, publish, fail, isTaken };
}

it('I53: keys at an address are fetched once by many, and again after 5 minutes', async () => {
  const { service, calls, publish, isTaken } = await published();
  publish(jwksOf(first));
  expect(await Promise.all(Array.from({ length: 20 }, () => isTaken()))).toEqual(Array(20).fill(true));
  expect(calls).toMatchObject([{ url: jwksUri, method: 'GET', development: false }]);
  publish(jwksOf(second));
  service.clock.advance(5 * 60_000 - 1_000);
  expect(await isTaken()).toBe(true);
  service.clock.advance(1_000);
  expect(await isTaken()).toBe(false);
  expect(await isTaken(second)).toBe(true);
  expect(calls).toHaveLength(2);
});

it('I53: as long as the address says, a day at most', async () => {
  const { service, calls, publish, isTaken } = await published();
  publish(jwksOf(first), { 'cache-control': 'public, max-age=3600' });
  expect(await isTaken()).toBe(true);
  service.clock.advance(3_600_000 - 1_000);
  expect(await isTaken()).toBe(true);
  expect(calls).toHaveLength(1);
  publish(jwksOf(first), { 'cache-control': 'max-age=999999999' });
  service.clock.advance(1_000);
  expect(await isTaken()).toBe(true);
  service.clock.advance(24 * 3_600_000);
  expect(await isTaken()).toBe(true);
  expect(calls).toHaveLength(3);
});

it('J25: an unknown kid is looked for once a minute, however often it comes', async () => {
  const { service, calls, publish, isTaken } = await published();
  publish(jwksOf(first));
  for (let count = 0; count < 5; count += 1) expect(await isTaken(second)).toBe(false);
  expect(calls).toHaveLength(1);
  service.clock.advance(60_000);
  for (let count = 0; count < 5; count += 1) expect(await isTaken(second)).toBe(false);
  expect(calls).toHaveLength(2);
  publish(jwksOf(first, second));
  service.clock.advance(60_000);
  expect(await isTaken(second)).toBe(true);
  expect(calls).toHaveLength(3);
});

it('J26: an address that fails or answers something else makes no one right; what came before holds for a day', async () => {
  const { service, calls, publish, fail, isTaken } = await published();
  expect(await isTaken()).toBe(false);
  for (const body of ['', '{', '[]', '{"keys":{}}', `${jwksOf(first)}${' '.repeat(65_536)}`]) {
    service.clock.advance(60_000);
    publish(body);
    expect(await isTaken()).toBe(false);
  }
  service.clock.advance(60_000);
  publish(jwksOf(first), {}, 404);
  expect(await isTaken()).toBe(false);
  expect(calls).toHaveLength(7);
  service.clock.advance(60_000);
  publish(jwksOf(first));
  expect(await isTaken()).toBe(true);
  fail();
  service.clock.advance(24 * 3_600_000 - 1_000);
  expect(await isTaken()).toBe(true);
  service.clock.advance(1_000);
  expect(await isTaken()).toBe(false);
});
