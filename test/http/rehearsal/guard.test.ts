import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../../src/operations/admin/index.ts';
import { plainTenant, prepareTenant, storeTenant } from '../../../src/operations/tenant/tenant.ts';
import { codesFor } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { type Answer, type Ask, exchange, type HttpClient } from '../../support/http.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { allRows } from '../../support/records/rows.ts';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import { useRoutes } from '../../support/routes.ts';
import { itOfSqlite } from '../../support/run/it-of-sqlite.ts';
import type { TestService } from '../../support/service.ts';
import { serviceForTest, useService } from '../../support/use-service.ts';

const { service, routes } = useRoutes({ data: 'development' });
const production = useService({ data: 'security' });
let acme: string;
let room: Room;

/** Every address of the room, as a request names it. */
interface Asked {
  readonly method: string;
  readonly path: string;
}
let all: readonly Asked[];

beforeAll(() => {
  acme = `localhost:${service.port}`;
  room = roomOf(service, acme);
  all = routes
    .filter(({ url }) => /^\/(?:rehearsal|outbox)(?:\/|$)/.test(url))
    .map(({ method, url }) => ({ method, path: url.replaceAll(/:\w+/g, 'one') }));
});

/** What this machine is called by others; none where it is on no network. */
const otherAddresses = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .flatMap(({ address, family, internal }) => (internal || family !== 'IPv4' ? [] : [address]));

const json = { 'content-type': 'application/json' };
const ask = (
  on: Pick<TestService, 'http'>,
  host: string,
  { method, path }: Asked,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: '{}' } : {};
  return on.http(host, path, { method, ...body, headers: { ...json, ...headers } });
};

/** What is the same in all answers that say that there is nothing. */
const shapeOf = ({ status, headers, text }: Answer, { path }: Asked) => ({
  status,
  type: headers['content-type'],
  text: text
    .replaceAll(String(headers['request-id'] ?? '\n'), 'REFERENCE')
    .replaceAll(/Reference[^<]*<[^>]*>[^<]*</g, 'REFERENCE')
    .replaceAll(path, 'PATH')
    .replaceAll(encodeURIComponent(path), 'PATH')
    .replaceAll(/[0-9a-z]{8}(?=<\/)/g, 'REFERENCE'),
});

/** Asks for every address of the room, and holds each answer to that of an address where there is nothing. */
async function expectNothing(
  on: Pick<TestService, 'http'>,
  host: string,
  headers: Record<string, string> = {},
): Promise<void> {
  expect(all.length).toBeGreaterThan(40);
  // What is nowhere is answered alike at any path; each method has an answer of its own.
  const nothings = new Map<string, ReturnType<typeof shapeOf>>();
  for (const { method } of all) {
    if (nothings.has(method)) continue;
    const nowhere = { method, path: '/nowhere/rehearsal' };
    const nothing = await ask(on, host, nowhere, headers);
    expect(nothing.status).toBe(404);
    nothings.set(method, shapeOf(nothing, nowhere));
  }
  for (const asked of all) {
    const answer = await ask(on, host, asked, headers);
    expect(shapeOf(answer, asked), `${asked.method} ${asked.path}`).toEqual(nothings.get(asked.method));
  }
}

describe('the rehearsal room', () => {
  it('RR5: is at no address of a production service', async () => {
    const before = await allRows(production);
    await expectNothing(production, hosts.a);
    expect(await allRows(production)).toEqual(before);
    const { headers, text } = await production.http(hosts.a, '/sign-in');
    expect(headers['memberdoor-time']).toBeUndefined();
    expect((await production.http(hosts.a, String(headers.location))).text + text).not.toMatch(/rehearsal/i);
  });

  it.each(otherAddresses)('RR6: is not there for visitors from %s', async (address) => {
    // The service's own server, reached by another door: a real connection from an address that is not loopback.
    const door = createServer((socket) => service.app.server.emit('connection', socket));
    await new Promise<void>((resolve) => door.listen({ host: address, port: 0 }, resolve));
    const { port } = door.address() as AddressInfo;
    const through = (_host: string, path: string, asking: Ask = {}) =>
      exchange(acme, path, asking, (options, answered) =>
        request({ ...options, agent: false, host: address, port }, answered),
      );
    await expectNothing({ http: through as HttpClient }, acme);
    await new Promise((resolve) => door.close(resolve));
  });

  it.each(['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'])(
    'RR6: is not there through a proxy or a tunnel, which says %s',
    async (name) => {
      await expectNothing(service, acme, { [name]: '127.0.0.1' });
    },
  );

  it.each([
    'evil.test',
    'localhost.evil.test',
    'localhost',
    'localhost:1',
    '127.0.0.2',
    '0.0.0.0',
    '[::1]',
    '2130706433',
    '127.1',
    'localhost@evil.test',
  ])('RR7: is not at the host %s, whatever address that has for the moment', async (name) => {
    const host = /:\d+$/.test(name) ? name : `${name}:${service.port}`;
    if (host === acme) return;
    for (const asked of all) {
      const answer = await ask(service, host, asked);
      expect([400, 404], `${asked.method} ${asked.path}`).toContain(answer.status);
      expect(answer.headers['memberdoor-time']).toBeUndefined();
    }
  });

  it('RR7: is not at a host of others, even where a development tenant has it', async () => {
    const own = await serviceForTest({ data: 'development' });
    const host = `evil.test:${own.port}`;
    await own.store.transaction(async (tx) => {
      const moved = tx.updateTable('tenants').set({ host, issuer: `http://${host}` });
      await moved.where('host', '=', `127.0.0.1:${own.port}`).execute();
      await own.tenants.reload(tx);
    });
    expect(own.tenants.byHost(host)?.development).toBe(true);
    await expectNothing(own, host);
  });

  it.each<[string, Record<string, string>]>([
    ['of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['of another tenant on this machine', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:3000' }],
    ['without Sec-Fetch-Site', { origin: 'https://evil.test' }],
    ['in a sandbox', { origin: 'null' }],
    ['in a sandbox, which says so', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('RR8: does nothing for a page %s', async (_whose, headers) => {
    const before = await allRows(service, []);
    const told = await settings();
    for (const asked of all.filter(({ method }) => !['GET', 'HEAD'].includes(method))) {
      const answer = await ask(service, acme, asked, headers);
      expect(answer.status, `${asked.method} ${asked.path}`).toBe(403);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(await allRows(service, [])).toEqual(before);
    expect(await settings()).toEqual(told);
  });

  it.each<[string, Record<string, string>]>([
    ['of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['of another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
    ['of a browser without Sec-Fetch-Site', { origin: 'https://evil.test' }],
  ])('RR72: is listened to and looked at by no page %s', async (_whose, headers) => {
    for (const asked of all.filter(({ method }) => ['GET', 'HEAD'].includes(method))) {
      expect((await ask(service, acme, asked, headers)).status, asked.path).toBe(403);
    }
  });

  it('RR72: is led to by a link on any page, and asked by programs that say how they fetch', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const program = { 'sec-fetch-mode': 'cors' };
    for (const headers of [link, program]) {
      expect((await service.http(acme, '/rehearsal/clock', { headers })).status).toBe(200);
    }
    expect((await room.ask('clock', { freeze: false }, link)).status).toBe(403);
  });

  it('RR8: is told to no page of another site, and takes no body that such a page may send unasked', async () => {
    for (const { method, path } of all) {
      // A stream of events would go on; HEAD tells of it without one.
      const look = { method: 'HEAD', headers: { origin: 'https://evil.test' } };
      const answer = await service.http(acme, path, look);
      expect(answer.headers['access-control-allow-origin'], path).toBeUndefined();
      if (method !== 'POST') continue;
      const plain = await service.http(acme, path, { body: '{}', headers: { 'content-type': 'text/plain' } });
      expect([400, 404, 405, 415], path).toContain(plain.status);
    }
  });

  it('RR8: does what its own pages and programs of this machine ask', async () => {
    const ours = { 'sec-fetch-site': 'same-origin', origin: 'null' };
    expect((await room.ask('clock', { freeze: false }, ours)).status).toBe(200);
    expect((await room.ask('clock', { freeze: false }, { origin: `http://${acme}` })).status).toBe(200);
    expect((await room.ask('clock', { freeze: false })).status).toBe(200);
  });

  const settings = async () =>
    Promise.all(
      ['clock', 'seed', 'faults', 'phone', 'snapshots'].map(async (path) => {
        const { now: _, ...told } = (await service.http(acme, `/rehearsal/${path}`)).json();
        return told;
      }),
    );
});

describe('a tenant that is no development tenant, on a development service', () => {
  const foreign = 'real.test';
  let own: TestService;
  let ownRoom: Room;
  let ownHost: string;

  /** Makes one more tenant, as an administrator may. */
  async function addForeign(issuer = `https://${foreign}`, isKnown = true): Promise<void> {
    const now = own.clock.now();
    const tenant = {
      ...plainTenant,
      id: own.deps.random.id(now),
      name: 'Real',
      issuer,
      host: new URL(issuer).host,
    };
    const prepared = await prepareTenant({ ...tenant, brandColor: '#1f5fbf' } as never, own.vault, now);
    await own.store.transaction(async (tx) => {
      await storeTenant(tx, prepared, now);
      if (isKnown) await own.tenants.reload(tx);
    });
  }

  beforeEach(async () => {
    own = await serviceForTest({ data: 'development' });
    ownHost = `localhost:${own.port}`;
    ownRoom = roomOf(own, ownHost);
  });

  it('RR9: has no room itself, beside those that do', async () => {
    await addForeign();
    await expectNothing(own, foreign);
    expect(
      (await own.http(foreign, '/.well-known/openid-configuration')).headers['memberdoor-time'],
    ).toBeUndefined();
    expect((await own.http(ownHost, '/rehearsal/wire')).status).toBe(200);
  });

  it.each([
    ['clock', { advance: '15m' }],
    ['clock', { reset: true }],
    ['seed', { seed: 7 }],
    ['snapshots', { name: 'one' }],
    ['reset', {}],
  ])('RR10: keeps what is the whole service’s as it is: %s %j', async (path, body) => {
    await addForeign();
    const before = await allRows(own, []);
    const answer = await ownRoom.ask(path, body);
    expect(answer.status).toBe(409);
    expect(answer.json().error_description).toContain('no development tenant');
    expect(await allRows(own, [])).toEqual(before);
  });

  itOfSqlite('RR73: is there after a snapshot that waited while it was added', async () => {
    await ownRoom.ask('snapshots', { name: 'one' });
    // As it is between the commit and what follows it.
    await addForeign(undefined, false);
    const before = await allRows(own, []);
    for (const path of ['snapshots/one/restore', 'reset']) {
      expect((await ownRoom.ask(path)).status).toBe(409);
    }
    expect(await allRows(own, [])).toEqual(before);
  });

  it('RR15: becomes none later, nor does one cease to be one, by a tenant file', async () => {
    const plain = `plain.localhost:${own.port}`;
    await addForeign(`http://${plain}`);
    const token = await adminToken(own);
    for (const [host, development] of [
      [plain, true],
      [ownHost, false],
    ]) {
      const file = `tenants:\n  - issuer: http://${host}\n    name: Made\n    development: ${development}\n`;
      const call = { method: 'PUT', path: '/tenant-file', host: ownHost, body: { file }, token };
      expect((await callApi(own, call)).text).toContain('development_fixed');
    }
    expect(own.tenants.byHost(plain)?.development).toBe(false);
    expect(own.tenants.byHost(ownHost)?.development).toBe(true);
  });

  it('RR10: ends a moved clock and a seed at once, when it is added later', async () => {
    await ownRoom.ask('clock', { to: '2040-01-01T00:00:00.000Z', freeze: true });
    await ownRoom.ask('seed', { seed: 7 });
    await ownRoom.ask('snapshots', { name: 'one' });
    await addForeign();
    expect(own.deps.clock()).toBeLessThan(Date.UTC(2039, 0));
    const { device_code: first } = await codesFor(own, ownHost, { clientId: 'tv' });
    expect((await ownRoom.ask('snapshots/one/restore')).status).toBe(409);
    expect(own.tenants.byHost(foreign)).not.toBeNull();
    const other = await serviceForTest({ data: 'development' });
    const otherHost = `localhost:${other.port}`;
    await roomOf(other, otherHost).ask('seed', { seed: 7 });
    expect((await codesFor(other, otherHost, { clientId: 'tv' })).device_code).not.toBe(first);
  });
});

describe('a development tenant', () => {
  it('RR15: is one from birth: no operation makes one of another, at any face', () => {
    const naming = operations.filter(({ input }) => Object.hasOwn(input.properties, 'development'));
    expect(naming.map(({ name }) => name)).toEqual([]);
  });

  it('RR15: is none of a tenant that is there, by the API', async () => {
    const token = await adminToken(production);
    const answer = await callApi(production, {
      method: 'PATCH',
      path: `/tenants/${hosts.a}`,
      body: { development: true },
      token,
    });
    expect(answer.status).toBe(400);
    expect(production.tenants.byHost(hosts.a)?.development).toBe(false);
  });

  it.each([
    ['of a tenant that is there', hosts.a, 'not_development'],
    ['of a new one', 'new.localhost', 'no_development_tenants'],
  ])('RR15: is none %s, by a tenant file in production', async (_which, host, code) => {
    const token = await adminToken(production);
    const issuer = host.endsWith('.localhost') ? `http://${host}` : `https://${host}`;
    const file = `tenants:\n  - issuer: ${issuer}\n    name: Made\n    development: true\n`;
    const answer = await callApi(production, { method: 'PUT', path: '/tenant-file', body: { file }, token });
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.text).toContain(code);
    expect(production.tenants.byHost(hosts.a)?.development).toBe(false);
    expect(production.tenants.byHost(host)?.development ?? false).toBe(false);
  });
});

describe('what is sent to the room', () => {
  it.each([
    ['[]', 400],
    ['null', 400],
    ['"freeze"', 400],
    ['{', 400],
    ['{"freeze": true, "freeze": false}', 400],
    [`{"advance": "${'1h'.repeat(20_000)}"}`, 413],
    ['{"__proto__": {"freeze": true}}', 400],
  ])('RR16: is refused where it is no object that it knows: %s', async (body, status) => {
    const answer = await service.http(acme, '/rehearsal/clock', { body, headers: json });
    expect(answer.status).toBe(status);
    expect((await service.http(acme, '/rehearsal/clock')).json()).toMatchObject({ frozen: false, ahead: 0 });
  });

  it('RR13: of two hundred sign-ins at once lets in those alone who may sign in', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        room.ask('sign-in', { member: index % 2 === 0 ? 'eve@example.com' : 'nobody@example.com' }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404, 409]));
    expect(answers.flatMap(({ headers }) => headers['set-cookie'] ?? [])).toEqual([]);
  });
});
