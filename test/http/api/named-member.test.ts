import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { disableMember } from '../../../src/operations/member/member.ts';
import { findMemberByEmail } from '../../../src/storage/members/member.ts';
import { dpopKey, proofOf, setClient, tokenProof } from '../../support/clients/dpop.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { run, tenantIdOf } from '../../support/operators/desk.ts';
import { apps, claimsOf, expectBadToken, expectError, profile, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { token } from '../../support/visitor.ts';

const service = useService({ data: 'security', apiHost: 'api.test' });
const { a: host, b } = hosts;
const invoices = 'https://invoices.test/v1';
const routes = ['info-with-active-subscriptions', 'info-with-content-access'];

const idOf = (email: string, at: string = host) =>
  service.store.transaction(async (tx) => {
    const found = await findMemberByEmail(tx, tenantIdOf(service, at), email);
    return found?.member.id ?? '';
  });

const serviceScopes = ['members:read', 'clients:read', 'invoices:read'];

beforeAll(async () => {
  const scopes = { 'invoices:read': 'Read' };
  await run(service, 'apis.create', { tenant: host, identifier: invoices, name: 'Invoices', scopes });
});

beforeEach(() =>
  setClient(service, host, 'conf1', { apis: [invoices], clientCredentials: true, serviceScopes }),
);

const serviceToken = async (more: Record<string, string> = {}, headers = {}): Promise<string> => {
  const credentials = { client_id: 'conf1', client_secret: secrets.conf1 };
  const body = { grant_type: 'client_credentials', ...credentials, ...more };
  return String((await token(service, host, body, headers)).json().access_token);
};

const tell = (jwt: string, id: string, route = routes[0], at: string = host) =>
  service.http(at, `/api/v1/members/${id}/${route}`, { headers: { authorization: `Bearer ${jwt}` } });

describe('a client in its own name at the member API', () => {
  it.each(routes)(
    'I61: hears of the member that it names what the member’s client hears: %s',
    async (route) => {
      const { access_token: ofMember } = await tokensOf(service, host, apps.conf2);
      const jwt = await serviceToken({ scope: 'members:read' });
      const headers = { authorization: `Bearer ${ofMember}` };
      const own = await service.http(host, `/api/v1/members/profile/${route}`, { headers });
      for (const at of [host, b, 'api.test']) {
        const answer = await tell(jwt, String(claimsOf(ofMember).sub), route, at);
        expect(answer.status, answer.text).toBe(200);
        expect(answer.text).toBe(own.text);
        expect(answer.headers['cache-control']).toBe('private, no-store');
      }
    },
  );

  it('AU29: finds no member of another tenant, none that may not sign in, and none by a text that is no id', async () => {
    const jwt = await serviceToken();
    const u2 = await idOf('u2@example.test');
    expect((await tell(jwt, u2)).status).toBe(200);
    await service.store.transaction((tx) =>
      disableMember(tx, tenantIdOf(service, host), u2, service.clock.now()),
    );
    const strange = ['me', '%00', '..%2Fprofile', "'", 'u1@example.test', encodeURIComponent('\u{1f600}')];
    for (const id of [await idOf('u1@example.test', b), u2, crypto.randomUUID(), ...strange]) {
      expectError(await tell(jwt, id), 404, 'invalid_request');
    }
  });

  it('AU30: is no member: the routes of members and UserInfo refuse its token', async () => {
    const jwt = await serviceToken();
    expectBadToken(await profile(service, host, jwt));
    const headers = { authorization: `Bearer ${jwt}` };
    for (const path of [
      '/api/v1/members/profile/info-with-content-access',
      '/api/v1/members/profile/consents',
      '/api/oidc/me',
    ]) {
      expectBadToken(await service.http(host, path, { headers }));
    }
  });

  it('AU31: a token of a member names no member, and one without the permission neither', async () => {
    const id = await idOf('u1@example.test');
    const { access_token: ofMember, id_token: idToken } = await tokensOf(service, host, apps.conf1);
    expectError(await tell(ofMember, id), 403, 'insufficient_scope');
    expectError(await tell(await serviceToken({ scope: 'clients:read' }), id), 403, 'insufficient_scope');
    expect((await auditEvents(service)).at(-1)).toMatchObject({
      event: 'api_denied',
      actorKind: 'client',
      actorId: 'conf1',
    });
    expectBadToken(await tell(String(idToken), id));
    expectBadToken(await tell(await serviceToken({ resource: invoices }), id));
    expectBadToken(await tell('x.y.z', id));
    const bare = await service.http(host, `/api/v1/members/${id}/${routes[0]}`);
    expect(bare.status).toBe(401);
    expect(bare.headers['www-authenticate']).toContain('/.well-known/oauth-protected-resource/api/v1');
  });

  it('I61: stops at the next call when the client loses the permission or the grant, or is disabled', async () => {
    const id = await idOf('u1@example.test');
    const jwt = await serviceToken();
    expect((await tell(jwt, id)).status).toBe(200);
    await setClient(service, host, 'conf1', { serviceScopes: ['clients:read'] });
    expectError(await tell(jwt, id), 403, 'insufficient_scope');
    await setClient(service, host, 'conf1', { serviceScopes, clientCredentials: false });
    expectBadToken(await tell(jwt, id));
    await setClient(service, host, 'conf1', { clientCredentials: true });
    await run(service, 'clients.disable', { tenant: host, clientId: 'conf1' });
    expectBadToken(await tell(jwt, id));
    await run(service, 'clients.enable', { tenant: host, clientId: 'conf1' });
  });

  it('AU32: a token that is bound to a key is no bearer token', async () => {
    const id = await idOf('u1@example.test');
    await setClient(service, host, 'conf1', { dpop: 'allowed' });
    const key = await dpopKey();
    const jwt = await serviceToken({}, { dpop: tokenProof(service, host, key) });
    expectError(await tell(jwt, id), 401, 'invalid_token');
    const path = `/api/v1/members/${id}/${routes[0]}`;
    const target = { method: 'GET', url: `https://${host}${path}`, accessToken: jwt };
    const dpop = proofOf(key, { ...target, now: service.clock.now() });
    const headers = { authorization: `DPoP ${jwt}`, dpop };
    expect((await service.http(host, path, { headers })).status).toBe(200);
    expectError(await service.http(host, path, { headers }), 401, 'invalid_dpop_proof');
    await setClient(service, host, 'conf1', { dpop: 'off' });
  });

  it('I61: other methods are refused, HEAD is GET without a body, and no origin is let in', async () => {
    const path = `/api/v1/members/${await idOf('u1@example.test')}/${routes[0]}`;
    const headers = { authorization: `Bearer ${await serviceToken()}`, origin: 'https://pub1.test' };
    expect((await service.http(host, path, { method: 'POST', headers })).status).toBe(405);
    const head = await service.http(host, path, { method: 'HEAD', headers });
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
    const answer = await service.http(host, path, { headers });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});
