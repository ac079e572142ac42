import { expect, it } from 'vitest';
import { doctorHeader, doctorPath, makeSharedNonce } from '../../src/doctor/nonce.ts';
import { systemRandom } from '../../src/system/random.ts';
import { hosts } from '../support/fixtures.ts';
import { startPatient } from '../support/operators/doctor.ts';
import { sharedDatabase } from '../support/run/test-store.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { useStarted } from '../support/use-service.ts';

const now = Date.now();

/** Two processes of one database, as on two machines: each with a folder of its own. */
const pair = useStarted(async () => {
  const database = await sharedDatabase();
  const patient = await startPatient(now, database);
  const other = await startTestService({ data: 'security', database, trustedProxies: ['127.0.0.1'] });
  other.clock.set(now);
  return { ...patient, other, stop: () => Promise.all([patient.stop(), other.stop()]) };
});

it('a doctor is well served by the process of another machine', async () => {
  const all = await pair.findings({ to: pair.other.port });
  const ofAddresses = all.filter(({ where }) => where.startsWith('https:'));
  expect(ofAddresses.length).toBeGreaterThan(3);
  expect(ofAddresses.filter(({ isWell }) => !isWell)).toEqual([]);
});

it('F1: of 20 that ask two processes with one nonce at once one is answered', async () => {
  const { service, other } = pair;
  const { secret } = makeSharedNonce(service.deps.vault.keyCheck, systemRandom, now);
  const ask = ({ http }: TestService, nonce: string) =>
    http(hosts.a, doctorPath, { headers: { [doctorHeader]: nonce } });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => ask(index % 2 === 0 ? service : other, secret)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(404)]);
  expect(answers.find(({ status }) => status === 200)?.json().seen).toMatchObject({ host: hosts.a });
  for (const like of [`${secret}.`, ` ${secret}`, `${secret}A`, `x.${secret}`]) {
    expect((await ask(other, like)).status).toBe(404);
  }
});

it.each([
  ['by another key', 'x', now],
  ['more than an hour ago', null, now - 3_700_000],
  ['more than an hour ahead', null, now + 3_700_000],
])('nothing answers a nonce that was made %s', async (_how, key, at) => {
  const { service } = pair;
  const { secret } = makeSharedNonce(key ?? service.deps.vault.keyCheck, systemRandom, at);
  expect((await service.http(hosts.a, doctorPath, { headers: { [doctorHeader]: secret } })).status).toBe(404);
});
