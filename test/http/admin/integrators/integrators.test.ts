import { beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '../../../../src/core/operators/permission.ts';
import { numberEvents } from '../../../../src/storage/events/event.ts';
import { systemRandom } from '../../../../src/system/random.ts';
import { type ApiCall, adminToken, callApi, expectRefusal } from '../../../support/operators/api.ts';
import { beginWorld, type World } from '../../../support/operators/world.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
let world: World;
let token: string;

const tenant = '/tenants/crm.test';
const call = (facts: ApiCall) => callApi(service, { token, ...facts });
const tokenWith = (...permissions: Permission[]) => adminToken(service, { host: 'crm.test', permissions });
const member = (email: string, subscription?: object) => ({
  fullName: 'Ada Nilsen',
  email,
  password: 'kvist og eld i skogen',
  ...(subscription && { subscription }),
});
const eventsOf = async () => {
  await service.store.transaction((tx) => numberEvents(tx, 1_000, systemRandom.id));
  const { events } = (await call({ path: `${tenant}/events?after=0&limit=200` })).json();
  return (events as { type: string }[]).map(({ type }) => type);
};

beforeAll(async () => {
  world = await beginWorld(service, 'crm.test');
  token = await adminToken(service, { host: 'crm.test' });
  await world.operate('consents.define', { consentId: 'newsletter', name: 'Newsletter' });
});

describe('what a CRM says of members', () => {
  it('adds a member with a subscription in one call, or neither', async () => {
    const before = await eventsOf();
    const subscription = { packageId: world.packageId, customPropertyValues: { seats: 3 } };
    const made = await call({ path: `${tenant}/members`, body: member('one@crm.test', subscription) });
    expect(made.status, made.text).toBe(200);
    const { id, subscriptionId } = made.json();
    const { subscriptions } = (await call({ path: `${tenant}/members/${id}/subscriptions` })).json();
    expect(subscriptions).toMatchObject([
      { subscriptionId, state: 'active', customPropertyValues: { seats: 3 } },
    ]);
    expect((await eventsOf()).slice(before.length)).toEqual(
      expect.arrayContaining(['member.created', 'subscription.created']),
    );
    for (const wrong of [
      { ...subscription, packageId: 999 },
      { ...subscription, customPropertyValues: { x: 1 } },
    ]) {
      const refused = await call({ path: `${tenant}/members`, body: member('two@crm.test', wrong) });
      expect([400, 404]).toContain(refused.status);
      expect(refused.json().problems).toMatchObject([{ path: expect.arrayContaining(['subscription']) }]);
    }
    const { members } = (await call({ path: `${tenant}/members?search=two@crm.test` })).json();
    expect(members).toEqual([]);
  });

  it('MC7: needs the permission of each thing that it changes', async () => {
    const subscription = { packageId: world.packageId };
    const members = await tokenWith('members:write', 'members:read');
    const body = member('three@crm.test', subscription);
    expectRefusal(await call({ path: `${tenant}/members`, body, token: members }), 403, 'insufficient_scope');
    const reader = await tokenWith('members:read', 'subscriptions:read');
    const writes: ApiCall[] = [
      { method: 'PATCH', path: `${tenant}/subscriptions/1/properties`, body: { values: {} } },
      {
        method: 'PUT',
        path: `${tenant}/members/${world.memberId}/consents`,
        body: { consentId: 'newsletter', status: 'accepted' },
      },
    ];
    const ofA = await adminToken(service, { host: 'a.test' });
    for (const write of writes) {
      expectRefusal(await call({ ...write, token: reader }), 403, 'insufficient_scope');
      expectRefusal(await call({ ...write, token: ofA }), 404, 'not_found');
    }
  });

  it('MC8: changes properties in part, and refuses what overflows or is not defined', async () => {
    await world.operate('properties.define', { key: 'note', type: 'string' });
    const { subscriptionId } = await world.operate<{ subscriptionId: number }>('subscriptions.create', {
      memberId: world.memberId,
      packageId: world.packageId,
      customPropertyValues: { seats: 1, note: 'a' },
    });
    const change = (values: object) =>
      call({
        method: 'PATCH',
        path: `${tenant}/subscriptions/${subscriptionId}/properties`,
        body: { values },
      });
    expect((await change({ note: 'b' })).json().customPropertyValues).toEqual({ seats: 1, note: 'b' });
    expect((await change({ seats: null })).json().customPropertyValues).toEqual({ note: 'b' });
    for (const values of [
      { note: 'x'.repeat(1_001) },
      { seats: '1' },
      { __proto__x: 1 },
      { unknown: 1 },
      { note: {} },
    ]) {
      expectRefusal(await change(values), 400, 'invalid_request');
    }
    expectRefusal(await change({ note: 'x'.repeat(20_000) }), 413, 'invalid_request');
    expect((await change({})).json().customPropertyValues).toEqual({ note: 'b' });
  });

  it('notes what a member answered elsewhere, once', async () => {
    const answer = (status: string, consentId = 'newsletter') =>
      call({
        method: 'PUT',
        path: `${tenant}/members/${world.memberId}/consents`,
        body: { consentId, status },
      });
    const before = (await eventsOf()).length;
    const first = (await answer('accepted')).json();
    expect(first).toMatchObject({ memberId: world.memberId, id: 'newsletter', status: 'accepted' });
    service.clock.advance(1_000);
    expect((await answer('accepted')).json()).toEqual(first);
    expect((await answer('withdrawn')).json().status).toBe('withdrawn');
    expect((await eventsOf()).slice(before)).toEqual(['consent.changed', 'consent.changed']);
    expectRefusal(await answer('accepted', 'unknown'), 404, 'not_found');
    expectRefusal(await answer('maybe'), 400, 'invalid_request');
  });
});
