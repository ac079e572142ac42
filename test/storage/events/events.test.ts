import { describe, expect, it } from 'vitest';
import { eventMemory, skippedAtRestore } from '../../../src/core/events/limits.ts';
import { lastEventNumber, listEvents, numberEvents } from '../../../src/storage/events/event.ts';
import { insertDeviceCode } from '../../../src/storage/grants/device-code.ts';
import { endSignInsOfClient, insertSignIn } from '../../../src/storage/grants/sign-in.ts';
import { insertMember, updateMember } from '../../../src/storage/members/member.ts';
import { auditedStore, type Woken } from '../../../src/storage/operators/audited.ts';
import { endEverything } from '../../../src/storage/operators/restore.ts';
import type { Store } from '../../../src/storage/store.ts';
import { forgottenByTime } from '../../../src/storage/sweep/forgotten.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { deviceCodeRecord } from '../../support/records/device-code-record.ts';
import { clientRecord, memberRecord, now, signInRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

/** The store of a service that runs, and which queues were woken. */
async function running() {
  const store = await storeWithMember();
  const woken: Woken[] = [];
  return {
    store,
    woken,
    audited: auditedStore(
      store,
      () => now,
      () => {},
      (queue) => woken.push(queue),
    ),
  };
}

const another = (name: string, tenantId = 'tenant-a') =>
  memberRecord({
    id: name,
    tenantId,
    email: `${name}@example.test`,
    userId: name.length,
    memberNumber: name.length,
  });
const number = (store: Store, most = 500) =>
  store.transaction((tx) => numberEvents(tx, most, systemRandom.id));
const told = (store: Store, after = 0, tenantId = 'tenant-a') =>
  store.transaction((tx) => listEvents(tx, tenantId, after, 100));

describe('events', () => {
  it('decision 49: are written with their change, and not told before they have a number', async () => {
    const { store, audited, woken } = await running();
    await audited.transaction((tx) => insertMember(tx, another('one'), 'hash'));
    expect([await told(store), woken]).toEqual([[], ['events']]);
    expect(await number(store)).toEqual({ count: 1, tenantIds: ['tenant-a'] });
    const [event] = await told(store);
    expect(event).toMatchObject({ number: 1, type: 'member.created', memberId: 'one', at: now });
    expect(event?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('EV1: are not told of what was rolled back, and wake no one', async () => {
    const { store, audited, woken } = await running();
    const failing = audited.transaction(async (tx) => {
      await insertMember(tx, another('one'), 'hash');
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect([await number(store), await told(store), woken]).toEqual([{ count: 0, tenantIds: [] }, [], []]);
  });

  it('are numbered without a gap in each tenant, in bites, and keep their numbers', async () => {
    const { store, audited } = await running();
    for (const name of ['a', 'bb', 'ccc']) {
      await audited.transaction(async (tx) => {
        await insertMember(tx, another(name), 'hash');
        await insertMember(tx, another(`${name}-of-b`, 'tenant-b'), 'hash');
      });
    }
    for (const count of [4, 2, 0]) expect((await number(store, 4)).count).toBe(count);
    for (const tenantId of ['tenant-a', 'tenant-b']) {
      const events = await told(store, 0, tenantId);
      expect(events.map((event) => event.number)).toEqual([1, 2, 3]);
      expect(await store.transaction((tx) => lastEventNumber(tx, tenantId))).toBe(3);
    }
    expect((await told(store, 2)).map(({ memberId }) => memberId)).toEqual(['ccc']);
    expect(await told(store, 3)).toEqual([]);
  });

  it('go after 30 days, and their numbers are not given again', async () => {
    const { store, audited } = await running();
    await audited.transaction((tx) => insertMember(tx, another('one'), 'hash'));
    await number(store);
    const sweepAt = async (time: number) => {
      for (const sweep of forgottenByTime([], time)) await sweepThrough(store, sweep);
    };
    await sweepAt(now + eventMemory);
    expect(await told(store)).toHaveLength(1);
    await sweepAt(now + eventMemory + 1);
    expect(await told(store)).toEqual([]);
    await audited.transaction((tx) => insertMember(tx, another('second'), 'hash'));
    await number(store);
    expect((await told(store)).map((event) => event.number)).toEqual([2]);
  });

  it('of a restored database tell of that, and skip the numbers that it may have forgotten', async () => {
    const { store, audited } = await running();
    const device = { state: 'used', memberId: 'member-1', signInId: 'tv' } as const;
    await audited.transaction(async (tx) => {
      await insertMember(tx, another('one'), 'hash');
      await insertSignIn(tx, signInRecord());
      await insertSignIn(tx, signInRecord({ id: 'tv' }));
      await insertSignIn(
        tx,
        signInRecord({ id: 'over', state: 'ended', endedAt: now, endReason: 'revoked' }),
      );
      await insertDeviceCode(tx, deviceCodeRecord(device));
    });
    await number(store);
    await store.transaction((tx) => endEverything(tx, now));
    await number(store);
    const [first, ...others] = await told(store);
    expect(first?.number).toBe(1);
    expect(others[0]?.number).toBe(skippedAtRestore + 2);
    expect(others.map(({ type, subject, detail }) => [type, subject, detail])).toEqual([
      ['sign_in.ended', signInRecord().id, 'restored'],
      ['sign_in.ended', 'tv', 'restored'],
      ['device.revoked', deviceCodeRecord().id, 'restored'],
      ['tenant.restored', null, null],
    ]);
    expect((await told(store, 0, 'tenant-b')).map(({ type }) => type)).toEqual(['tenant.restored']);
  });

  it('have their numbers with their change where one process has the database, however they are written', async () => {
    const store = await storeWithMember();
    const numbered: (readonly string[])[] = [];
    const audited = auditedStore(
      store,
      () => now,
      () => {},
      () => expect.unreachable('nothing is left to be numbered'),
      { idOf: systemRandom.id, numbered: (tenantIds) => numbered.push(tenantIds) },
    );
    const { tenantId, clientId } = clientRecord();
    await audited.transaction(async (tx) => {
      for (const id of ['a', 'b']) await insertSignIn(tx, signInRecord({ id }));
      await endSignInsOfClient(tx, { tenantId, clientId }, 'client_disabled', now);
      await insertMember(tx, another('one'), 'hash');
      expect(numbered).toEqual([]);
    });
    const failing = audited.transaction(async (tx) => {
      await insertMember(tx, another('second'), 'hash');
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await audited.transaction((tx) => insertMember(tx, another('three', 'tenant-b'), 'hash'));

    const events = await told(store);
    expect(events.map(({ number, type, memberId }) => [number, type, memberId])).toEqual([
      [1, 'sign_in.ended', 'member-1'],
      [2, 'sign_in.ended', 'member-1'],
      [3, 'member.created', 'one'],
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
    expect((await told(store, 0, 'tenant-b')).map((event) => event.number)).toEqual([1]);
    expect(numbered).toEqual([['tenant-a'], ['tenant-a'], ['tenant-b']]);
    expect(await number(store)).toEqual({ count: 0, tenantIds: [] });
  });

  it('of many sign-ins that end at once are told of each', async () => {
    const { store, audited } = await running();
    const { tenantId, clientId } = clientRecord();
    await audited.transaction(async (tx) => {
      for (const id of ['a', 'b']) await insertSignIn(tx, signInRecord({ id }));
      await endSignInsOfClient(tx, { tenantId, clientId }, 'client_disabled', now);
    });
    await number(store);
    expect((await told(store)).map(({ type, subject, detail }) => [type, subject, detail])).toEqual([
      ['sign_in.ended', 'a', 'client_disabled'],
      ['sign_in.ended', 'b', 'client_disabled'],
    ]);
  });

  it('are told of a member by what the row was, whatever the caller believed', async () => {
    const { store, audited } = await running();
    const stale = memberRecord({ status: 'disabled', fullName: 'Ada the Second', updatedAt: now });
    await audited.transaction((tx) => updateMember(tx, stale));
    await audited.transaction((tx) => updateMember(tx, stale));
    await number(store);
    expect((await told(store)).map(({ type, changed }) => ({ type, changed }))).toEqual([
      { type: 'member.updated', changed: ['fullName'] },
    ]);
  });
});
