import { expect, it } from 'vitest';
import { firstRun } from '../../../src/operations/service/first-admin.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-service.ts';

const host = 'login.example.test';
const issuer = `https://${host}`;

/** Two processes of a service that has no administrator. */
const pair = useStarted(async () => {
  const options = { data: 'nothing', database: await sharedDatabase(), setupOffered: true, issuer } as const;
  const one = await startTestService(options);
  const other = await startTestService(options);
  return { one, other, stop: () => Promise.all([one.stop(), other.stop()]) };
});

const linkOf = ({ store, deps, port, clock }: TestService) =>
  firstRun(
    store,
    { environment: 'production', issuer, firstAdmin: null, port },
    { ...deps, now: clock.now() },
  );

it('the set-up link that either process printed works at both, once', async () => {
  const { one, other } = pair;
  const [link, same] = await Promise.all([linkOf(one), linkOf(other)]);
  expect(same).toBe(link);
  const path = new URL(link ?? '').pathname;
  for (const { http } of [one, other]) expect((await http(host, path)).status).toBe(200);
  const body = {
    tenantName: 'Example Post',
    issuer,
    fullName: 'Olga Operator',
    email: 'olga@example.test',
    password: 'kvist og eld i skogen',
  };
  expect((await one.http(host, path, { body })).status).toBe(303);
  expect((await other.http(host, path, { body })).status).not.toBe(303);
  const admins = await other.store.transaction((tx) => tx.selectFrom('members').select('id').execute());
  expect(admins).toHaveLength(1);
});
