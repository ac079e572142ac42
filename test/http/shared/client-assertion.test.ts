import { expect, it } from 'vitest';
import { foreignPair } from '../../support/clients/foreign-jwt.ts';
import { asSigned, assertionOf, authenticate, registerSigned } from '../../support/clients/signed-client.ts';
import { setLimits, unlimited } from '../../support/device.ts';
import { expectJsonError } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-service.ts';

const pair = useStarted(async () => {
  const database = await sharedDatabase();
  const one = await startTestService({ data: 'security', database });
  const other = await startTestService({ data: 'security', database });
  return { one, other, stop: () => Promise.all([one.stop(), other.stop()]) };
});

it('J24: of 100 at once with one assertion, over two processes, one is taken, and none after it', async () => {
  const { one, other } = pair;
  const key = await foreignPair();
  await setLimits(one, hosts.a, unlimited);
  await registerSigned(one, hosts.a, 'signed', [key]);
  await other.store.transaction(other.tenants.follow);
  const sent = asSigned(assertionOf(one, key));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => authenticate(index % 2 === 0 ? one : other, sent)),
  );
  const errors = answers.map((answer) => answer.json().error);
  expect(errors.filter((error) => error === 'invalid_grant')).toHaveLength(1);
  expect(errors.filter((error) => error === 'invalid_client')).toHaveLength(99);
  expectJsonError(await authenticate(other, sent), 401, 'invalid_client');
});
