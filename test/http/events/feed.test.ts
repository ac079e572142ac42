import { describe, expect, it } from 'vitest';
import type { EventType } from '../../../src/core/events/event.ts';
import { eventMemory } from '../../../src/core/events/limits.ts';
import { tell } from '../../../src/storage/events/event.ts';
import { forgottenByTime } from '../../../src/storage/sweep/forgotten.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { tenantOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { handSchedule } from '../../support/hand-schedule.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { useFreshService } from '../../support/use-service.ts';

const time = handSchedule();
const service = useFreshService({ data: 'security', schedule: time.schedule });
const reading = { permissions: ['events:read'] } as const;

interface Feed {
  readonly events: readonly { readonly number: number; readonly type: EventType; readonly data: object }[];
  readonly next: number;
  readonly last: number;
  readonly missed: boolean;
}

/** Something happens to a member, and is numbered. */
async function happens(memberId: string, host: string = hosts.a, isRemoved = false) {
  const { id: tenantId } = tenantOf(service, host);
  await service.deps.store.transaction((tx) =>
    tell(tx, { write: 'changePassword', of: { tenantId, memberId }, isRemoved }),
  );
  await service.eventsNumbered();
}

const ask = (token: string, query: string, host: string = hosts.a) =>
  callApi(service, { path: `/tenants/${host}/events?${query}`, token });
const read = async (token: string, query: string) => (await ask(token, query)).json<Feed>();
const membersIn = ({ events }: Feed) => events.map(({ data }) => (data as { memberId: string }).memberId);

describe('the feed of events', () => {
  it('is read in its order, from where the last call ended to the end', async () => {
    const token = await adminToken(service, reading);
    for (const member of ['a', 'b', 'c']) await happens(member);
    const first = await read(token, 'after=0&limit=2');
    expect(first.events[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      number: 1,
      type: 'member.password_changed',
      timestamp: expect.stringMatching(/Z$/),
      tenantId: tenantOf(service, hosts.a).id,
      data: { memberId: 'a' },
    });
    expect([membersIn(first), first.next, first.last, first.missed]).toEqual([['a', 'b'], 2, 3, false]);
    const second = await read(token, `after=${first.next}`);
    expect([membersIn(second), second.next]).toEqual([['c'], 3]);
    expect(await read(token, 'after=3')).toEqual({ events: [], next: 3, last: 3, missed: false });
  });

  it('begins with what happens from now on where no number is given', async () => {
    const token = await adminToken(service, reading);
    await happens('a');
    expect(await read(token, '')).toEqual({ events: [], next: 1, last: 1, missed: false });
  });

  it('has the types that are asked for, and goes on behind all that was looked at', async () => {
    const token = await adminToken(service, reading);
    await happens('a');
    await happens('b', hosts.a, true);
    await happens('c');
    const removed = 'types=member.password_removed';
    const found = await read(token, `after=0&${removed}&limit=1`);
    expect([membersIn(found), found.next]).toEqual([['b'], 2]);
    const none = await read(token, `after=2&${removed}&types=member.deleted`);
    expect([none.events, none.next]).toEqual([[], 3]);
    expect((await ask(token, 'after=0&types=member.moved')).status).toBe(400);
  });

  it('says where events are gone that were not read, and where a number is of another history', async () => {
    const token = await adminToken(service, reading);
    await happens('a');
    service.clock.advance(eventMemory + 1);
    await happens('b');
    for (const sweep of forgottenByTime([], service.clock.now())) await sweepThrough(service.store, sweep);
    expect(await read(token, 'after=0')).toMatchObject({ next: 2, missed: true });
    expect(await read(token, 'after=1')).toMatchObject({ next: 2, missed: false });
    expect(await read(token, 'after=9')).toMatchObject({ events: [], next: 9, last: 2, missed: true });
  });

  it('EV3: is each tenant’s own, by the permission for it alone', async () => {
    await happens('of a');
    await happens('of b', hosts.b);
    const ofB = await adminToken(service, { ...reading, host: hosts.b });
    expect((await ask(ofB, 'after=0', hosts.a)).status).toBe(404);
    expect((await ask(ofB, 'after=0', hosts.b)).text).not.toContain('of a');
    const other = await adminToken(service, { permissions: ['members:read', 'audit:read'] });
    expect((await ask(other, 'after=0')).status).toBe(403);
  });

  it('is waited for until something happens, and no transaction is held meanwhile', async () => {
    const token = await adminToken(service, reading);
    const asked = read(token, 'after=0&wait=30');
    // What others write meanwhile is written: the one who waits holds up no one.
    await happens('of b', hosts.b);
    await happens('a');
    expect(membersIn(await asked)).toEqual(['a']);
  });

  it('is answered when the time of the wait is over, which is half a minute at most', async () => {
    const token = await adminToken(service, reading);
    const asked = read(token, 'after=0&wait=30');
    // One of several processes looks for what another numbered meanwhile.
    while (!(await time.comes()).includes(30_000));
    expect((await asked).events).toEqual([]);
    expect((await ask(token, 'after=0&wait=31')).status).toBe(400);
  });

  it('EV4: is not answered to a reader who waited for it where the token has ended meanwhile', async () => {
    const token = await adminToken(service, reading);
    const asked = ask(token, 'after=0&wait=30');
    await read(token, 'after=0');
    await service.store.transaction((tx) =>
      tx.updateTable('adminTokens').set({ revokedAt: service.clock.now() }).execute(),
    );
    await happens('a');
    expect((await asked).status).toBe(401);
  });
});
