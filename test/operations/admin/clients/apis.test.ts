import { describe, expect, it } from 'vitest';
import type { OperationRefused } from '../../../../src/operations/refusal.ts';
import { run } from '../../../support/operators/desk.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
const atHome = useService({ data: 'development' });
const tenant = 'a.test';
const other = 'b.test';

const create = (identifier: string, more: object = {}, at = tenant) =>
  run<object>(service, 'apis.create', { tenant: at, identifier, name: 'API', ...more });

const refused = (name: string, input: object): Promise<OperationRefused> =>
  run(service, name, { tenant, ...input }).then(
    () => Promise.reject(new Error('it was done')),
    (error: OperationRefused) => error,
  );

describe('an API of a tenant', () => {
  it('I54: is registered, listed, changed and deleted', async () => {
    const identifier = 'https://invoices.example.com/v1';
    const scopes = { 'invoices:read': 'See your invoices' };
    const api = { identifier, name: 'API', scopes, accessTokenAlgorithm: 'ES256', unverifiedClients: false };
    expect(await create(identifier, { scopes })).toEqual(api);
    expect(await run(service, 'apis.list', { tenant })).toEqual({ apis: [api], next: null });
    const changes = { name: 'Invoices', accessTokenAlgorithm: 'RS256' };
    expect(await run(service, 'apis.change', { tenant, identifier, ...changes })).toEqual({
      ...api,
      ...changes,
    });
    expect(await run(service, 'apis.read', { tenant, identifier })).toEqual({ ...api, ...changes });
    expect(await run(service, 'apis.delete', { tenant, identifier })).toEqual({ identifier });
    expect(await run(service, 'apis.list', { tenant })).toEqual({ apis: [], next: null });
    for (const name of ['apis.read', 'apis.change', 'apis.delete']) {
      expect(await refused(name, { identifier })).toMatchObject({ kind: 'unknown' });
    }
  });

  it('AU1: is called by an https address as browsers write it, or by a urn', async () => {
    for (const good of [
      'https://api.test',
      'https://api.test/',
      'https://api.test:8443/v1?x=1',
      'urn:example:api',
    ]) {
      await create(good);
      await run(service, 'apis.delete', { tenant, identifier: good });
    }
    const bad = [
      'https://api.test/#part',
      'https://api.test#',
      'urn:example:api#part',
      '/api',
      'api.test',
      'http://api.test',
      'http://localhost:4000/mcp',
      'http://127.0.0.1/mcp',
      'https://user@api.test/',
      'https://API.test/',
      'https://api.test/a/../b',
      'https://api.test/ b',
      'https://ápi.test/',
      'https://api.test\\b',
      'javascript:alert(1)',
      'urn:memberdoor:api',
      'URN:Memberdoor:member-api',
      `https://api.test/${'x'.repeat(250)}`,
      '',
    ];
    for (const identifier of bad) {
      expect(await refused('apis.create', { identifier, name: 'API' }), identifier).toMatchObject({
        kind: 'invalid',
        problems: [{ path: ['identifier'], code: 'not_an_api_identifier' }],
      });
    }
  });

  it('AU1: is on loopback, by http, at a development tenant alone', async () => {
    const host = `localhost:${atHome.port}`;
    const at = (identifier: string) =>
      run<object>(atHome, 'apis.create', { tenant: host, identifier, name: 'Tools' });
    for (const good of [
      'http://localhost:4000/mcp',
      'http://127.0.0.1:4000/mcp',
      'http://[::1]/',
      'https://a.test',
    ]) {
      expect(await at(good)).toMatchObject({ identifier: good });
    }
    expect(
      await run(atHome, 'apis.change', {
        tenant: host,
        identifier: 'http://localhost:4000/mcp',
        name: 'Others',
      }),
    ).toMatchObject({ name: 'Others' });
    const bad = [
      'http://api.test/',
      'http://localhost.api.test/',
      'http://127.0.0.1.api.test/',
      'http://10.0.0.1/',
      'http://2130706433/',
      'http://user@localhost/',
      'http://localhost:4000/mcp#part',
      'http://LOCALHOST/mcp',
      'http://localhost:80/mcp',
      'ftp://localhost/',
    ];
    for (const identifier of bad) {
      await expect(at(identifier), identifier).rejects.toMatchObject({
        kind: 'invalid',
        problems: [{ path: ['identifier'], code: 'not_an_api_identifier' }],
      });
    }
  });

  it('AU2: has scopes that neither we nor another API of the tenant have', async () => {
    await create('urn:example:first', { scopes: { 'first:read': 'Read' } });
    const scopesOf = (scopes: object) =>
      refused('apis.create', { identifier: 'urn:example:second', name: 'B', scopes });
    const codes = async (scopes: object) => (await scopesOf(scopes)).problems.map(({ code }) => code);
    expect(await codes({ openid: 'x' })).toEqual(['scope_of_ours']);
    expect(await codes({ 'members:read': 'x' })).toEqual(['scope_of_ours']);
    expect(await codes({ 'first:read': 'x' })).toEqual(['scope_of_another_api']);
    expect(await codes({ 'a b': 'x', 'a"b': 'x', é: 'x', '': 'x' })).toEqual(Array(4).fill('not_a_scope'));
    expect(await codes({ ok: ' ' })).toEqual(['empty']);
    expect(await codes({ ok: 'Read \u202eyour' })).toEqual(['unfit_name']);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`s${index}`, 'x']));
    expect(await codes(many)).toEqual(['too_many']);
    // A scope of another tenant's API is free here.
    await create('urn:example:second', { scopes: { 'first:read': 'Read' } }, other);
  });

  it('AU3: is of its tenant alone', async () => {
    await create('urn:example:own', {}, other);
    const named = { identifier: 'urn:example:own' };
    for (const name of ['apis.read', 'apis.change', 'apis.delete']) {
      expect(await refused(name, named)).toMatchObject({ kind: 'unknown' });
    }
    const change = { clientId: 'pub1', apis: ['urn:example:own'] };
    expect(await refused('clients.change', change)).toMatchObject({
      problems: [{ path: ['apis', 0], code: 'no_such_api' }],
    });
  });

  it('AU4: is taken from the clients that may ask for it when it is deleted', async () => {
    const identifier = 'urn:example:gone';
    await create(identifier);
    await run(service, 'clients.change', { tenant, clientId: 'pub1', apis: [identifier] });
    await run(service, 'apis.delete', { tenant, identifier });
    await create(identifier);
    expect(await run(service, 'clients.read', { tenant, clientId: 'pub1' })).toMatchObject({ apis: [] });
  });
});
