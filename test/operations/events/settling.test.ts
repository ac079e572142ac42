import { describe, expect, it } from 'vitest';
import {
  addSubscription,
  changeSubscription,
  settlingSubscriptions,
} from '../../../src/operations/access/subscription.ts';
import { insertPackage } from '../../../src/storage/access/package.ts';
import { listEvents, numberEvents } from '../../../src/storage/events/event.ts';
import { auditedStore } from '../../../src/storage/operators/audited.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { packageFacts } from '../../support/records/access-records.ts';
import { day, now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

/** A service with a clock that the test moves, and a member with subscriptions that begin tomorrow. */
async function serviceWith(count: number) {
  const plain = await storeWithMember();
  let time = now;
  const store = auditedStore(
    plain,
    () => time,
    () => {},
  );
  const ids = await store.transaction(async (tx) => {
    const packageId = await insertPackage(tx, 'tenant-a', packageFacts(), []);
    const given: number[] = [];
    for (let each = 0; each < count; each += 1) {
      const times = { createdAt: now, activatedAt: now + day, expiresAt: now + 2 * day };
      const of = { memberId: 'member-1', packageId, customPropertyValues: {} };
      given.push(await addSubscription(tx, 'tenant-a', { ...of, ...times }));
    }
    return given;
  });
  /** Does the chore at a time. */
  const at = async (moment: number, work: () => Promise<unknown> = async () => {}) => {
    time = moment;
    await work();
    await sweepThrough(store, settlingSubscriptions(time));
  };
  const told = async () => {
    await plain.transaction((tx) => numberEvents(tx, 500, systemRandom.id));
    const events = await plain.transaction((tx) => listEvents(tx, 'tenant-a', 0, 500));
    return events.map(({ type, subject, at: when }) => `${type} ${subject} ${(when - now) / day}`);
  };
  const change = (id: number, what: 'cancel' | 'end' | 'renew') =>
    store.transaction((tx) => changeSubscription(tx, 'tenant-a', id, what, time));
  return { store, ids, at, told, change };
}

describe('subscriptions that begin and end by the clock', () => {
  it('are told of when their time comes: once each, however often it is looked', async () => {
    const { at, told } = await serviceWith(1);
    await at(now + day - 1);
    expect(await told()).toEqual(['subscription.created 1 0']);
    for (const moment of [1, 1, 1.5, 2, 2, 3]) await at(now + moment * day);
    expect(await told()).toEqual([
      'subscription.created 1 0',
      'subscription.activated 1 1',
      'subscription.ended 1 2',
    ]);
  });

  it('are told of once by two that look at the same time', async () => {
    const { store, at, told } = await serviceWith(3);
    await at(now + day, async () => {
      const both = [1, 2].map(() => sweepThrough(store, settlingSubscriptions(now + day)));
      await Promise.all(both);
    });
    const of = (type: string) => [1, 2, 3].map((id) => `subscription.${type} ${id}`);
    expect((await told()).map((line) => line.replace(/ \d$/, ''))).toEqual([
      ...of('created'),
      ...of('activated'),
    ]);
  });

  it('are told of by the first change of them, and not again', async () => {
    const { ids, at, told, change } = await serviceWith(4);
    const [first = 0, second = 0, third = 0, fourth = 0] = ids;
    await at(now + day, async () => {
      await change(first, 'renew');
      await change(second, 'cancel');
      await change(third, 'end');
    });
    await at(now + 2 * day, () => change(fourth, 'renew'));
    const lines = (await told()).filter((line) => !line.startsWith('subscription.created'));
    const of = (id: number) => lines.filter((line) => line.split(' ')[1] === `${id}`);
    expect([of(first), of(second), of(third), of(fourth)]).toEqual([
      ['subscription.activated 1 1', 'subscription.renewed 1 1'],
      ['subscription.activated 2 1', 'subscription.cancelled 2 1', 'subscription.ended 2 2'],
      ['subscription.activated 3 1', 'subscription.ended 3 1'],
      ['subscription.activated 4 1', 'subscription.ended 4 2'],
    ]);
  });

  it('came and went while the service was down: both are told', async () => {
    const { at, told } = await serviceWith(1);
    await at(now + 9 * day);
    expect(await told()).toEqual([
      'subscription.created 1 0',
      'subscription.activated 1 9',
      'subscription.ended 1 9',
    ]);
  });
});
