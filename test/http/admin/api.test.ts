import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/core/hash.ts';
import {
  type ApiCall,
  adminToken,
  auditEvents,
  callApi,
  change,
  expectRefusal,
  read,
} from '../../support/operators/api.ts';
import { rawSocket } from '../../support/process/raw-socket.ts';
import { useService } from '../../support/use-service.ts';
import { tokensFor } from '../../support/visitor.ts';

const service = useService({ data: 'security', apiHost: 'api.test' });
/** Tokens for every tenant, and for a.test alone. */
let whole: string;
let ofA: string;

const call = (facts: ApiCall) => callApi(service, facts);
const brandColor = () => service.tenants.byHost('a.test')?.brandColor;

beforeAll(async () => {
  whole = await adminToken(service);
  ofA = await adminToken(service, { host: 'a.test' });
});
// What fails on purpose must not add up to the limit of a minute.
beforeEach(() => service.clock.advance(60_000));

describe('a call of the admin API', () => {
  it('reads and changes what its token may, and each change stands in the audit', async () => {
    const before = await auditEvents(service);
    const answer = await call({ ...change, token: ofA });
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({ host: 'a.test', brandColor: '#112233' });
    expect((await call({ ...read, token: ofA })).json()).toEqual(answer.json());
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    });
    const events = (await auditEvents(service)).slice(before.length);
    expect(events).toMatchObject([
      { event: 'admin_acted', actorKind: 'token', reason: 'tenants.change', address: '127.0.0.1' },
    ]);
  });

  it('H9: HEAD answers as GET does, without a body', async () => {
    const [get, head] = [
      await call({ ...read, token: ofA }),
      await call({ ...read, token: ofA, method: 'HEAD' }),
    ];
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('decision 2: any host of ours serves it, and the one of the API; another learns nothing (X7)', async () => {
    for (const host of ['a.test', 'b.test', 'c.test', 'api.test']) {
      expect((await call({ ...read, host, token: ofA })).status, host).toBe(200);
    }
    const unknown = await call({ ...read, host: 'unknown.test', token: ofA });
    expect({ status: unknown.status, text: unknown.text }).toEqual({ status: 404, text: 'Not found\n' });
  });

  it('takes a query where there is no body, a value of it as often as a list needs', async () => {
    const created = await call({
      path: '/tenants',
      body: { name: 'D', issuer: 'https://d.test', languages: ['nb', 'sv'] },
      token: whole,
    });
    expect(created.status).toBe(200);
    const changed = await call({
      method: 'PATCH',
      path: '/tenants/d.test?languages=da&languages=nb&passwordLength=16',
      token: whole,
    });
    expect(changed.json()).toMatchObject({ languages: ['da', 'nb'], passwordLength: 16 });
  });
});

describe('who brings no good token', () => {
  it.each<[string, Record<string, string | string[]>]>([
    ['none', {}],
    ['Basic', { authorization: 'Basic YTpi' }],
    ['an empty Bearer', { authorization: 'Bearer ' }],
    ['two of them', { authorization: ['Bearer a', 'Bearer b'] }],
  ])('M2: with %s gets 401 and is told how', async (_what, headers) => {
    const answer = await call({ ...change, headers });
    expectRefusal(answer, 401, undefined);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="memberdoor"');
  });

  it('gets 401 with an unknown, a revoked or an expired one, and for a tenant that is disabled', async () => {
    await call({ path: '/tenants', body: { name: 'E', issuer: 'https://e.test' }, token: whole });
    const ofE = await adminToken(service, { host: 'e.test' });
    expect((await call({ path: '/tenants/e.test', token: ofE })).status).toBe(200);
    await call({ method: 'POST', path: '/tenants/e.test/disable', token: whole });
    const expiring = await adminToken(service, { expiresIn: 1_000 });
    expect((await call({ ...read, token: expiring })).status).toBe(200);
    service.clock.advance(1_000);
    const before = await auditEvents(service);
    const wrong = ['mda_unknown', await adminToken(service, { revoked: true }), expiring, ofE];
    for (const token of wrong) {
      const answer = await call({ ...change, token });
      expectRefusal(answer, 401, 'invalid_token');
      expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    }
    const events = (await auditEvents(service)).slice(before.length);
    expect(events.map(({ event, actorKind }) => `${event} ${actorKind}`)).toEqual([
      'admin_denied nobody',
      'admin_denied token',
      'admin_denied token',
      'admin_denied token',
    ]);
    for (const token of wrong) expect(JSON.stringify(events)).not.toContain(token);
  });

  it('M8: gets 401 with a token of a member, or with the token in the query or a cookie', async () => {
    const { access_token } = await tokensFor(service, 'a.test');
    expectRefusal(await call({ ...read, token: access_token }), 401, 'invalid_token');
    expectRefusal(await call({ path: `/tenants/a.test?access_token=${whole}` }), 401, undefined);
    const headers = { cookie: `__Host-memberdoor-session=${whole}; __Host-memberdoor-admin=${whole}` };
    expectRefusal(await call({ ...read, headers }), 401, undefined);
  });

  it('hears of nothing else that is wrong, and its body is not read', async () => {
    for (const body of ['{', '"text"', 'x'.repeat(20_000)]) {
      expectRefusal(await call({ ...change, body }), 401, undefined);
    }
    expectRefusal(await call({ ...change, headers: { 'content-type': 'text/plain' } }), 401, undefined);
  });

  it('is told to wait after 30 a minute from one address; a caller with a good one is not', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 31; count += 1) {
      statuses.push((await call({ ...read, token: 'mda_wrong' })).status);
    }
    expect(statuses).toEqual([...Array(30).fill(401), 429]);
    const limited = await call({ ...read, token: 'mda_wrong' });
    expectRefusal(limited, 429, 'temporarily_unavailable');
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect((await call({ ...read, token: ofA })).status).toBe(200);
    service.clock.advance(60_000);
    expect((await call({ ...read, token: 'mda_wrong' })).status).toBe(401);
  });
});

describe('what a token may not', () => {
  it('without the permission is 403, whatever else is wrong, and changes nothing', async () => {
    const reader = await adminToken(service, { permissions: ['tenants:read'] });
    expect((await call({ ...read, token: reader })).status).toBe(200);
    const before = brandColor();
    for (const body of [{ brandColor: '#445566' }, { wrong: 1 }]) {
      const answer = await call({ ...change, body, token: reader });
      expectRefusal(answer, 403, 'insufficient_scope');
      expect(answer.headers['www-authenticate']).toContain('tenants:write');
    }
    expect(brandColor()).toBe(before);
    expect((await auditEvents(service)).at(-1)).toMatchObject({ event: 'admin_denied', result: 'refused' });
  });

  it('on the service as a whole is 403 for the token of one tenant', async () => {
    const body = { name: 'F', issuer: 'https://f.test' };
    expectRefusal(await call({ path: '/tenants', body, token: ofA }), 403, 'insufficient_scope');
  });

  it('A17: on another tenant is 404, with the very words for a tenant that is not there', async () => {
    const other = await call({ path: '/tenants/b.test', token: ofA });
    const none = await call({ path: '/tenants/no.test', token: ofA });
    expectRefusal(other, 404, 'not_found');
    expect(other.text).toBe(none.text);
    const byId = service.tenants.byHost('b.test')?.id;
    const write = await call({ ...change, path: `/tenants/${byId}`, token: ofA });
    expect({ status: write.status, text: write.text }).toEqual({ status: 404, text: none.text });
    const wrongToo = await call({ ...change, path: '/tenants/b.test', body: { x: 1 }, token: ofA });
    expect({ status: wrongToo.status, text: wrongToo.text }).toEqual({ status: 404, text: none.text });
  });
});

describe('a token that is denied again and again', () => {
  it('hears 429 after sixty in a minute, and leaves no more lines in the audit', async () => {
    const token = await adminToken(service, { host: 'a.test', permissions: ['audit:read'] });
    const before = (await auditEvents(service)).length;
    const answers = await Promise.all(Array.from({ length: 60 }, () => call({ ...change, token })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    expect((await call({ ...change, token })).status).toBe(429);
    // One more says that there would have been more.
    expect((await auditEvents(service)).length - before).toBeLessThanOrEqual(61);
  });
});

describe('a token that is revoked while its request is under way', () => {
  it('changes nothing any more', async () => {
    const token = await adminToken(service, { host: 'a.test' });
    const colour = brandColor();
    const body = JSON.stringify({ brandColor: '#224466' });
    const socket = await rawSocket(service.port);
    socket.write(
      [
        'PATCH /api/v1/admin/tenants/a.test HTTP/1.1',
        'Host: a.test',
        `Authorization: Bearer ${token}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
        '',
        body.slice(0, 5),
      ].join('\r\n'),
    );
    // The head has been read when a later request is answered.
    expect((await call({ ...read, token })).status).toBe(200);
    await service.store.transaction((tx) =>
      tx
        .updateTable('adminTokens')
        .set({ revokedAt: service.clock.now() })
        .where('secretHash', '=', sha256(token))
        .execute(),
    );
    socket.write(body.slice(5));
    expect(await socket.closed).toMatch(/^HTTP\/1\.1 401 /);
    expect(brandColor()).toBe(colour);
  });
});
