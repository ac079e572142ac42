import { expect, it } from 'vitest';
import { slowedEntries } from '../../../src/core/limits.ts';
import { findMemberByEmail } from '../../../src/storage/members/member.ts';
import { codesFor, type Phone, pageOf, phonesOf, startUnlimited, tenantOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import type { TestService } from '../../support/service.ts';
import { useStarted } from '../../support/use-service.ts';

const waits: number[] = [];
let endWaits = () => {};
const over = new Promise<void>((resolve) => {
  endWaits = resolve;
});

/** Two processes of one service. */
const pair = useStarted(async () => {
  const database = await sharedDatabase();
  const pause = (ms: number) => {
    // The clocks of both move by some ms with each entry.
    waits.push(Math.round(ms / 1_000));
    return over;
  };
  const options = { database, trustedProxies: ['127.0.0.1'], pause };
  const one = await startUnlimited(options);
  const other = await startUnlimited(options);
  return { one, other, stop: () => Promise.all([one.stop(), other.stop()]) };
});

/** Wrong entries of another member, so many that the next is slowed where 20 codes are pending. */
async function guess({ store, clock }: TestService, count: number): Promise<void> {
  const { id: tenantId } = tenantOf(pair.one, hosts.a);
  const enteredAt = clock.now();
  await store.transaction(async (tx) => {
    const found = await findMemberByEmail(tx, tenantId, 'u1@example.test');
    const guesser = { tenantId, memberId: found?.member.id ?? '', userCodeHash: '', browserHash: '' };
    const entries = Array.from({ length: count }, (_, index) => ({
      ...guesser,
      address: `${index}`,
      enteredAt,
    }));
    await tx.insertInto('wrongUserCodes').values(entries).execute();
  });
}

const openAt = (service: TestService, phone: Phone | undefined, address: string) => {
  const cookie = [...(phone?.cookies ?? [])].map((pairOf) => pairOf.join('=')).join('; ');
  return service.http(hosts.a, pageOf('000 000'), { headers: { 'x-forwarded-for': address, cookie } });
};

it('F8: of 40 wrong codes at once over two processes no more are looked up than have a place in one line', async () => {
  const { one, other } = pair;
  const phones = await phonesOf(one, hosts.a, 20);
  for (let index = 0; index < 20; index += 1) await codesFor(one, hosts.a);
  await guess(one, 500);
  other.clock.set(one.clock.now());
  const statuses: number[] = [];
  const flood = Array.from({ length: 40 }, async (_, index) => {
    const service = index % 2 === 0 ? one : other;
    const { status } = await openAt(service, phones[index % 20], `203.0.${index}.7`);
    statuses.push(status);
  });
  while (statuses.length < 40 - slowedEntries) await new Promise(setImmediate);
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(waits.toSorted((a, b) => a - b)).toEqual([3, 6, 9, 12, 15, 18]);
  endWaits();
  await Promise.all(flood);
  expect(statuses.filter((status) => status === 422)).toHaveLength(slowedEntries);
});
