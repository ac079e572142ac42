import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Actor, Permission } from '../../../src/core/operators/permission.ts';
import { permissions } from '../../../src/core/operators/permission.ts';
import { signToken, type TokenType } from '../../../src/secrets/signing.ts';
import { dpopKey, proofOf, tokenProof } from '../../support/clients/dpop.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import { auditEvents, callApi } from '../../support/operators/api.ts';
import { refusal, run, tenantIdOf, tokenOf } from '../../support/operators/desk.ts';
import { apps, claimsOf, expectBadToken, expectError, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { token } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const { a: host, b } = hosts;
const tenant = host;
const invoices = 'https://invoices.test/v1';

const change = (clientId: string, changes: object, at: string = host) =>
  run(service, 'clients.change', { tenant: at, clientId, ...changes });

const given: readonly Permission[] = ['clients:read', 'clients:write', 'members:read', 'tokens:write'];

beforeAll(async () => {
  const api = { tenant, identifier: invoices, name: 'Invoices', scopes: { 'invoices:read': 'Read' } };
  await run(service, 'apis.create', api);
});

beforeEach(async () => {
  const apis = [invoices];
  await change('conf1', { apis, clientCredentials: true, serviceScopes: [...given, 'invoices:read'] });
});

const ask = (
  more: Record<string, string> = {},
  { at = host, clientId = 'conf1', secret = secrets.conf1, headers = {} }: Partial<Asking> = {},
) => {
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret, ...more };
  return token(service, at, body, headers);
};

interface Asking {
  readonly at: string;
  readonly clientId: string;
  readonly secret: string;
  readonly headers: Record<string, string>;
}

const tokenWith = async (scope: string, of: Partial<Asking> = {}): Promise<string> =>
  String((await ask({ scope }, of)).json().access_token);

const clientsPath = '/tenants/a.test/clients';
const read = (jwt: string, path = clientsPath, at: string = host) =>
  callApi(service, { path, token: jwt, host: at });

const lastEvent = async () => (await auditEvents(service)).at(-1);

describe('a client at the admin API', () => {
  it('I61: gets a token for our own APIs, with the permissions that it names or all of its own', async () => {
    const all = await ask();
    expect(all.json()).toMatchObject({ token_type: 'Bearer', scope: given.join(' ') });
    expect(claimsOf(String(all.json().access_token))).toMatchObject({
      sub: 'conf1',
      client_id: 'conf1',
      aud: 'urn:memberdoor:api',
      scope: given.join(' '),
    });
    expect((await ask({ scope: 'members:read' })).json().scope).toBe('members:read');
    expectError(await ask({ scope: 'members:write' }), 400, 'invalid_scope');
    expectError(await ask({ scope: 'members:read invoices:read' }), 400, 'invalid_scope');
    expectError(await ask({ scope: 'members:read', resource: invoices }), 400, 'invalid_scope');
    expectError(await ask({ scope: 'members:read openid' }), 400, 'invalid_scope');
  });

  it('I61: may do what its token names, and the audit names the client', async () => {
    const jwt = await tokenWith('clients:write');
    expect((await read(jwt)).status).toBe(403);
    const path = `${clientsPath}/conf2`;
    const changed = await callApi(service, { method: 'PATCH', path, body: { name: 'Other' }, token: jwt });
    expect(changed.status).toBe(200);
    expect(await lastEvent()).toMatchObject({
      event: 'admin_acted',
      actorKind: 'client',
      actorId: 'conf1',
      target: 'conf2',
      reason: 'clients.change',
      address: '127.0.0.1',
    });
  });

  it('I61: stops at the next call: a permission taken away, the grant switched off, the client disabled', async () => {
    const jwt = await tokenWith('clients:read members:read');
    expect((await read(jwt)).status).toBe(200);
    await change('conf1', { serviceScopes: ['members:read'] });
    expectError(await read(jwt), 403, 'insufficient_scope');
    expect((await read(jwt, '/tenants/a.test/members')).status).toBe(200);
    await change('conf1', { clientCredentials: false });
    expectBadToken(await read(jwt, '/tenants/a.test/members'));
    await change('conf1', { clientCredentials: true });
    await run(service, 'clients.disable', { tenant, clientId: 'conf1' });
    expectBadToken(await read(jwt, '/tenants/a.test/members'));
    expect(await lastEvent()).toMatchObject({ event: 'admin_denied', actorKind: 'client', actorId: 'conf1' });
    await run(service, 'clients.enable', { tenant, clientId: 'conf1' });
    expect((await read(jwt, '/tenants/a.test/members')).status).toBe(200);
  });

  it('I61: has its own tenant alone, whichever host is asked', async () => {
    const jwt = await tokenWith('clients:read');
    expect((await read(jwt, clientsPath, b)).status).toBe(200);
    expect((await read(jwt, '/tenants/b.test/clients')).status).toBe(404);
    expect((await read(jwt, '/tenants/b.test/clients', b)).status).toBe(404);
    await change('conf1', { clientCredentials: true, serviceScopes: [...permissions] });
    const all = await tokenWith('tenants:read tenants:write keys:write tokens:read');
    const body = { host: 'd.test', name: 'D' };
    expect((await callApi(service, { path: '/tenants', body, token: all })).status).toBe(403);
    expect((await read(all, '/tokens')).status).toBe(403);
  });

  it('I61: a token that is bound to a key works with a proof of it alone', async () => {
    await change('conf1', { dpop: 'allowed' });
    const key = await dpopKey();
    const headers = { dpop: tokenProof(service, host, key) };
    const jwt = await tokenWith('clients:read', { headers });
    expectError(await read(jwt), 401, 'invalid_token');
    const url = `https://${host}/api/v1/admin${clientsPath}`;
    const call = (of = key) => {
      const dpop = proofOf(of, { method: 'GET', url, now: service.clock.now(), accessToken: jwt });
      return callApi(service, { path: clientsPath, headers: { authorization: `DPoP ${jwt}`, dpop } });
    };
    expect((await call()).status).toBe(200);
    expectError(await call(await dpopKey()), 401, 'invalid_token');
    const without = { authorization: `DPoP ${jwt}` };
    expectError(await callApi(service, { path: clientsPath, headers: without }), 401, 'invalid_dpop_proof');
    const unbound = await tokenWith('clients:read');
    const dpop = proofOf(key, { method: 'GET', url, now: service.clock.now(), accessToken: unbound });
    const wrong = { authorization: `DPoP ${unbound}`, dpop };
    expectError(await callApi(service, { path: clientsPath, headers: wrong }), 401, 'invalid_token');
    await change('conf1', { dpop: 'off' });
  });
});

describe('another token than a client’s own', () => {
  it('AU22: of a member, of an API, an id_token, or of a client that claims to be a member is refused', async () => {
    const { access_token: ofMember, id_token: idToken } = await tokensOf(service, host, apps.conf1);
    const ofApi = String((await ask({ resource: invoices })).json().access_token);
    for (const jwt of [ofMember, idToken, ofApi]) expectBadToken(await read(String(jwt)));
  });

  it('AU23: with one claim of a member’s, of another type, tenant, audience or time is refused', async () => {
    const [{ keys = [] } = {}, { keys: others = [] } = {}] = [host, b].map(
      (at) => service.tenants.byHost(at) ?? undefined,
    );
    const now = Math.floor(service.clock.now() / 1_000);
    const good = {
      iss: `https://${host}`,
      sub: 'conf1',
      client_id: 'conf1',
      aud: 'urn:memberdoor:api',
      scope: 'clients:read',
      iat: now,
      exp: now + 60,
    };
    const signed = async (other: object, type: TokenType = 'at+jwt', by = keys) => {
      const key = by.find(({ algorithm }) => algorithm === 'ES256');
      if (key === undefined) throw new Error('no key');
      return signToken(key, type, { ...good, ...other });
    };
    expect((await read(await signed({}))).status).toBe(200);
    for (const jwt of [
      await signed({ sid: 'any' }),
      await signed({ auth_time: now }),
      await signed({ sub: 'conf2' }),
      await signed({ client_id: 'conf2' }),
      await signed({ aud: invoices }),
      await signed({ aud: 'conf1' }),
      await signed({ exp: now - 60 }),
      await signed({ iss: `https://${b}` }),
      await signed({ scope: ['clients:read'] }),
      await signed({}, 'JWT'),
      await signed({}, 'at+jwt', others),
      await signed({ iss: `https://${b}` }, 'at+jwt', others),
      await signed({ sub: 'pub1', client_id: 'pub1' }),
    ]) {
      expectBadToken(await read(jwt));
      service.clock.advance(20_000);
    }
  });
});

/** A client that may do this alone. */
const clientWith = (granted: readonly Permission[]): Actor => ({
  kind: 'client',
  clientId: 'conf2',
  tenantId: tenantIdOf(service, host),
  permissions: granted,
});

const weak: readonly Permission[] = [
  'clients:write',
  'clients:read',
  'access:read',
  'tenants:read',
  'tenants:write',
];

describe.each([
  ['a client', () => clientWith(weak)],
  ['an API token', () => tokenOf(service, host, weak)],
])('%s that may change clients', (_who, actor) => {
  const denied = async (name: string, input: object) =>
    expect(await refusal(service, name, { tenant, ...input }, actor())).toMatchObject({
      kind: 'denied',
      problems: [expect.stringContaining('who have them too')],
    });
  const deniedFile = (client: object) => {
    const described = { issuer: `https://${host}`, name: 'Tenant A', clients: [client] };
    return denied('tenantFiles.apply', { file: JSON.stringify({ tenants: [described] }) });
  };

  it('AU24: gives a client no permission that it lacks, at any face', async () => {
    const made = { clientId: 'made', name: 'Made', type: 'confidential', clientCredentials: true };
    const serviceScopes = ['clients:read', 'members:read'];
    await denied('clients.create', { ...made, serviceScopes });
    await denied('clients.change', { clientId: 'conf2', clientCredentials: true, serviceScopes });
    await deniedFile({ ...made, serviceScopes, secretHash: 'x'.repeat(43) });
    await deniedFile({ clientId: 'conf2', name: 'C', type: 'confidential', serviceScopes });
  });

  it('AU25: takes over no client that can do more: no secret, no key, no change, no end', async () => {
    const clientId = 'conf1';
    await denied('clients.addSecret', { clientId });
    await deniedFile({ clientId, name: 'C', type: 'confidential', secretHash: 'x'.repeat(43) });
    await denied('clients.removeSecret', { clientId, secretId: 'x' });
    const jwksUri = 'https://evil.test/jwks';
    await denied('clients.change', { clientId, jwksUri, authenticationMethod: 'private_key_jwt' });
    await denied('clients.change', { clientId, serviceScopes: [] });
    await denied('clients.disable', { clientId });
    await denied('clients.enable', { clientId });
  });

  it('I61: gives what it has itself, and changes clients that have no more', async () => {
    const make = { tenant, clientId: `m-${actor().kind}`, name: 'Made', type: 'confidential' };
    const more = { clientCredentials: true, serviceScopes: ['clients:read'] };
    await run(service, 'clients.create', { ...make, ...more }, actor());
    await run(service, 'clients.addSecret', { tenant, clientId: make.clientId }, actor());
    await run(service, 'clients.change', { tenant, clientId: 'third', name: 'Third' }, actor());
  });
});

describe('a client that may do everything', () => {
  it('AU26: makes no API token, which would outlast it, and revokes none that can do more', async () => {
    const asked = { tenant, name: 'deployment', permissions: ['clients:read'] };
    const all = await refusal(service, 'tokens.create', asked, clientWith(permissions));
    expect(all.kind).toBe('denied');
    const { id } = await run<{ id: string }>(service, 'tokens.create', asked);
    const revoke = (actor: Actor) => refusal(service, 'tokens.revoke', { tenant, tokenId: id }, actor);
    expect((await revoke(clientWith(['tokens:write']))).kind).toBe('denied');
  });

  it('AU27: one that may do less acts on no administrator', async () => {
    const made = { tenant, email: 'boss@example.test', fullName: 'Boss', userType: 'tenant_admin' };
    const actor = clientWith(['members:read', 'members:write']);
    expect((await refusal(service, 'members.create', made, actor)).kind).toBe('denied');
  });

  it('AU28: wrong tokens meet the limit of wrong API tokens', async () => {
    const wrong = `${await tokenWith('clients:read')}x`;
    const statuses = new Set<number>();
    for (let sent = 0; sent < 40; sent += 1) statuses.add((await read(wrong)).status);
    expect([...statuses]).toEqual([401, 429]);
  });
});
