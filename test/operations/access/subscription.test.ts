import { describe, expect, it } from 'vitest';
import { standingOf } from '../../../src/core/access/subscription.ts';
import { addPackage } from '../../../src/operations/access/package.ts';
import {
  addSubscription,
  changeSubscription,
  defineCustomProperty,
  type NewSubscription,
  type SubscriptionChange,
  setCustomPropertyValues,
} from '../../../src/operations/access/subscription.ts';
import { deleteMember } from '../../../src/operations/member/member.ts';
import { findSubscription } from '../../../src/storage/access/subscription.ts';
import { insertMember } from '../../../src/storage/members/member.ts';
import type { Store } from '../../../src/storage/store.ts';
import { problemsOf } from '../../support/expected/refusals.ts';
import { packageFacts } from '../../support/records/access-records.ts';
import { day, hour, memberRecord, now } from '../../support/records/records.ts';
import { allRows } from '../../support/records/rows.ts';
import { storeWithMember } from '../../support/records/store.ts';

/** A store with a package of three months and two properties of tenant a; tenant b has a member and a package. */
async function storeWithPackages() {
  const store = await storeWithMember();
  const [gold, foreign] = await store.transaction(async (tx) => {
    const facts = packageFacts();
    await insertMember(tx, memberRecord({ id: 'member-2', tenantId: 'tenant-b' }), 'hash');
    await defineCustomProperty(tx, 'tenant-a', { key: 'seats', type: 'number' });
    await defineCustomProperty(tx, 'tenant-b', { key: 'motto', type: 'string' });
    return [
      await addPackage(tx, 'tenant-a', facts, []),
      await addPackage(tx, 'tenant-b', facts, []),
    ] as const;
  });
  const given: NewSubscription = {
    memberId: 'member-1',
    packageId: gold,
    createdAt: now - hour,
    activatedAt: now,
    expiresAt: now + day,
    customPropertyValues: { seats: 2 },
  };
  const add = (changes: Partial<NewSubscription> = {}) =>
    store.transaction((tx) => addSubscription(tx, 'tenant-a', { ...given, ...changes }));
  const problemsOfAdding = (changes: Partial<NewSubscription>) =>
    problemsOf(store, (tx) => addSubscription(tx, 'tenant-a', { ...given, ...changes }));
  return { store, gold, foreign, given, add, problemsOfAdding };
}

const find = (store: Store, id: number) => store.transaction((tx) => findSubscription(tx, 'tenant-a', id));

describe('giving a member a subscription', () => {
  it('stores it as it is given, with the next number', async () => {
    const { store, given, add } = await storeWithPackages();
    const waiting = { activatedAt: null, expiresAt: null, customPropertyValues: {} };
    const ids = [await add(), await add(waiting)];
    expect(ids).toEqual([1, 2]);
    const begun = { tenantId: 'tenant-a', state: 'pending', cancelledAt: null, endedAt: null };
    expect([await find(store, 1), await find(store, 2)]).toEqual([
      { ...given, ...begun, subscriptionId: 1 },
      { ...given, ...begun, ...waiting, subscriptionId: 2 },
    ]);
  });

  it('is refused for all its problems at once', async () => {
    const { foreign, problemsOfAdding } = await storeWithPackages();
    const problems = await problemsOfAdding({
      memberId: 'member-2',
      packageId: foreign,
      activatedAt: now,
      expiresAt: now,
      customPropertyValues: { seats: Number.NaN, motto: 'x' },
    });
    expect(problems).toEqual([
      'there is no such member',
      `there is no package ${foreign}`,
      'a subscription begins before it ends',
      'the property seats must be a number',
      'the property "motto" is not defined',
    ]);
  });

  const notTimes = 'times are whole milliseconds between 1970 and 9999';
  const wrong: readonly (readonly [Partial<NewSubscription>, string])[] = [
    [{ memberId: 'nobody' }, 'there is no such member'],
    [{ packageId: 999 }, 'there is no package 999'],
    [{ expiresAt: null }, 'activatedAt and expiresAt go together'],
    [{ activatedAt: null }, 'activatedAt and expiresAt go together'],
    [{ expiresAt: now - 1 }, 'a subscription begins before it ends'],
    [{ activatedAt: now + 0.5 }, notTimes],
    [{ createdAt: Number.NaN }, notTimes],
    [{ expiresAt: Number.POSITIVE_INFINITY }, notTimes],
    [{ activatedAt: -1 }, notTimes],
    [{ expiresAt: Date.UTC(10_000, 0) }, notTimes],
  ];

  it('is refused with facts that are unknown, or times that cannot be', async () => {
    const { problemsOfAdding } = await storeWithPackages();
    for (const [changes, problem] of wrong) {
      expect([changes, await problemsOfAdding(changes)]).toEqual([changes, [problem]]);
    }
  });

  it('lasts to the end of the year 9999 at most', async () => {
    const { store, add } = await storeWithPackages();
    const id = await add({ expiresAt: Date.UTC(10_000, 0) - 1 });
    expect((await find(store, id))?.expiresAt).toBe(Date.parse('9999-12-31T23:59:59.999Z'));
  });

  it('is refused for a member who was deleted', async () => {
    const { store, problemsOfAdding } = await storeWithPackages();
    await store.transaction((tx) => deleteMember(tx, 'tenant-a', 'member-1', now));
    expect(await problemsOfAdding({})).toEqual(['there is no such member']);
  });
});

describe('changing a subscription', () => {
  const change = (store: Store, id: number, what: SubscriptionChange, at = now, tenantId = 'tenant-a') =>
    store.transaction((tx) => changeSubscription(tx, tenantId, id, what, at));

  it('does what is asked for, and stores it', async () => {
    const { store, add } = await storeWithPackages();
    const id = await add({ activatedAt: null, expiresAt: null });
    const history: unknown[] = [];
    for (const [what, at] of [
      ['activate', now],
      ['renew', now + 1],
      ['cancel', now + 2],
      ['resume', now + 3],
      ['cancel', now + 4],
      ['end', now + 5],
    ] as const) {
      const answer = await change(store, id, what, at);
      const found = await find(store, id);
      history.push([what, answer, found?.state, found?.expiresAt, found?.cancelledAt, found?.endedAt]);
    }
    // The package's period is three months.
    const [once, twice] = [Date.UTC(2026, 3, 15, 12), Date.UTC(2026, 6, 15, 12)];
    expect(history).toEqual([
      ['activate', true, 'active', once, null, null],
      ['renew', true, 'active', twice, null, null],
      ['cancel', true, 'cancelled', twice, now + 2, null],
      ['resume', true, 'active', twice, null, null],
      ['cancel', true, 'cancelled', twice, now + 4, null],
      ['end', true, 'ended', twice, now + 4, now + 5],
    ]);
  });

  it('that its state refuses says so, and changes nothing', async () => {
    const { store, add } = await storeWithPackages();
    const id = await add({ activatedAt: null, expiresAt: null });
    const before = await allRows({ store });
    expect(await change(store, id, 'renew')).toBe(false);
    expect(await allRows({ store })).toEqual(before);
  });

  it('that is over writes that it is, and refuses', async () => {
    const { store, add } = await storeWithPackages();
    const id = await add();
    expect(await change(store, id, 'renew', now + day)).toBe(false);
    const found = await find(store, id);
    expect([found?.state, found?.expiresAt]).toEqual(['expired', now + day]);
    expect(found === null ? null : standingOf(found, now + day)).toBe('expired');
  });

  it('of another tenant is unknown, and stays as it is', async () => {
    const { store, add } = await storeWithPackages();
    const id = await add();
    const before = await allRows({ store });
    for (const what of ['activate', 'cancel', 'end', 'renew', 'resume'] as const) {
      expect(await change(store, id, what, now, 'tenant-b')).toBeNull();
      expect(await change(store, id + 1, what)).toBeNull();
    }
    expect(await allRows({ store })).toEqual(before);
  });
});

describe('setting the custom properties of a subscription', () => {
  it('sets all of them, and nothing else', async () => {
    const { store, add } = await storeWithPackages();
    const id = await add();
    const before = await find(store, id);
    const set = await store.transaction((tx) => setCustomPropertyValues(tx, 'tenant-a', id, { seats: 3 }));
    expect([set, await find(store, id)]).toEqual([true, { ...before, customPropertyValues: { seats: 3 } }]);
    await store.transaction((tx) => setCustomPropertyValues(tx, 'tenant-a', id, {}));
    expect(await find(store, id)).toEqual({ ...before, customPropertyValues: {} });
  });

  it('is refused for all problems at once; what another tenant defined is not defined', async () => {
    const { store, add } = await storeWithPackages();
    const id = await add();
    const values = JSON.parse('{"seats": "3", "motto": "x", "__proto__": 1}') as Record<string, string>;
    expect(await problemsOf(store, (tx) => setCustomPropertyValues(tx, 'tenant-a', id, values))).toEqual([
      'the property seats must be a number',
      'the property "motto" is not defined',
      'the property "__proto__" is not defined',
    ]);
  });

  it('of another tenant’s subscription is unknown, and changes nothing', async () => {
    const { store, add } = await storeWithPackages();
    const id = await add();
    const before = await allRows({ store });
    const set = await store.transaction(async (tx) => [
      await setCustomPropertyValues(tx, 'tenant-b', id, { motto: 'x' }),
      await setCustomPropertyValues(tx, 'tenant-a', id + 1, { seats: 3 }),
    ]);
    expect(set).toEqual([false, false]);
    expect(await allRows({ store })).toEqual(before);
  });
});
