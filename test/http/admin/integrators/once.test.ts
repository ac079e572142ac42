import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiCall, adminToken, callApi, expectRefusal } from '../../../support/operators/api.ts';
import { beginWorld, type World } from '../../../support/operators/world.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
let world: World;
let token: string;

const tenant = '/tenants/once.test';
const call = (facts: ApiCall) => callApi(service, { token, ...facts });
const add = (key: string, name: string, own: Partial<ApiCall> = {}) =>
  call({ path: `${tenant}/products`, body: { name }, headers: { 'idempotency-key': key }, ...own });
const namesOf = async () =>
  (await world.operate<{ products: { name: string }[] }>('products.list')).products.map(({ name }) => name);

beforeAll(async () => {
  world = await beginWorld(service, 'once.test');
  token = await adminToken(service, { host: 'once.test' });
});

describe('a call with an Idempotency-Key', () => {
  it('is made once, and answered alike for a day', async () => {
    const [first, again] = [await add('a-1', 'Film'), await add('a-1', 'Film')];
    expect(first.status).toBe(200);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect((await add('"a-1"', 'Film')).text).toBe(first.text);
    service.clock.advance(24 * 60 * 60_000 + 1);
    expectRefusal(await add('a-1', 'Film'), 409, 'conflict');
  });

  it('that was refused leaves its key free', async () => {
    expectRefusal(await add('a-2', ''), 400, 'invalid_request');
    expect((await add('a-2', 'Opera')).status).toBe(200);
  });

  it('MC9: of another caller, tenant or operation is another key', async () => {
    const first = await add('shared', 'Theatre');
    const other = await adminToken(service, { host: 'once.test' });
    expectRefusal(await add('shared', 'Theatre', { token: other }), 409, 'conflict');
    const ofA = await adminToken(service, { host: 'a.test' });
    expectRefusal(await add('shared', 'Theatre', { token: ofA }), 404, 'not_found');
    const elsewhere = await add('shared', 'Theatre', { token: ofA, path: '/tenants/a.test/products' });
    expect([elsewhere.status, elsewhere.json().id === first.json().id]).toEqual([200, false]);
    const reader = await adminToken(service, { host: 'once.test', permissions: ['access:read'] });
    expectRefusal(await add('shared', 'Theatre', { token: reader }), 403, 'insufficient_scope');
    const body = { name: 'Theatre', permissions: ['access:read'] };
    const headers = { 'idempotency-key': 'shared' };
    const made = await call({ path: `${tenant}/tokens`, body, headers });
    expect([made.status, made.json().secret]).toEqual([200, expect.stringMatching(/^mda_/)]);
    const ofAll = await adminToken(service);
    const [here, there] = [
      await add('of-all', 'Radio', { token: ofAll }),
      await add('of-all', 'Radio', { token: ofAll, path: '/tenants/a.test/products' }),
    ];
    expect([here.status, there.status, here.json().id === there.json().id]).toEqual([200, 200, false]);
  });

  it('is one key, whether its tenant is named by host or by id', async () => {
    const first = await add('by-host', 'Cinema');
    const again = await add('by-host', 'Cinema', { path: `/tenants/${world.tenantId}/products` });
    expect([again.status, again.text]).toEqual([200, first.text]);
  });

  it('MC10: with another body than before, or with a key that is none, is refused', async () => {
    await add('b-1', 'Ballet');
    const changed = await add('b-1', 'Jazz');
    expectRefusal(changed, 422, 'invalid_request');
    expect(changed.json().problems).toMatchObject([{ path: ['Idempotency-Key'], code: 'key_reused' }]);
    for (const key of ['', 'a b', 'x'.repeat(256), 'é', '"']) {
      expectRefusal(await add(key, 'Jazz'), 400, 'invalid_request');
    }
    expect(await namesOf()).not.toContain('Jazz');
  });

  it('MC11: 200 at once with one key do it once', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => add('flood', 'Flood')));
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.length).toBeGreaterThan(0);
    for (const answer of others) {
      expect([answer.status, (answer.json().problems as { code: string }[])[0]?.code]).toEqual([
        409,
        'key_in_use',
      ]);
    }
    expect((await namesOf()).filter((name) => name === 'Flood')).toHaveLength(1);
  });

  it('MC12: whose answer has a secret keeps it sealed, and neither body nor key in clear', async () => {
    const headers = { 'idempotency-key': 'a-key-of-a-secret' };
    const body = { clientId: 'once', name: 'Once', type: 'confidential' };
    const made = await call({ path: `${tenant}/clients`, body, headers });
    const { secret } = made.json();
    expect(secret).toMatch(/^.{20,}$/);
    expect((await call({ path: `${tenant}/clients`, body, headers })).json().secret).toBe(secret);
    const memberBody = { fullName: 'Bo', email: 'bo@once.test', password: 'kvist og eld i skogen' };
    const member = await call({ path: `${tenant}/members`, body: memberBody, headers });
    expect(member.status).toBe(200);
    const rows = await service.store.transaction((tx) => tx.selectFrom('callsOnce').selectAll().execute());
    const kept = rows
      .map(({ answer, ...row }) => `${JSON.stringify(row)} ${answer?.toString('latin1')}`)
      .join('\n');
    for (const clear of [secret, 'a-key-of-a-secret', 'bo@once.test', memberBody.password]) {
      expect(kept).not.toContain(clear);
    }
    const { id } = member.json() as { id: string };
    expect(rows.filter(({ memberId }) => memberId === id)).toHaveLength(1);
    await world.operate('members.delete', { memberId: id });
    const left = await service.store.transaction((tx) =>
      tx.selectFrom('callsOnce').selectAll().where('memberId', '=', id).execute(),
    );
    expect(left).toEqual([]);
  });
});
