import { describe, expect, it } from 'vitest';
import { foreignPair } from '../../support/clients/foreign-jwt.ts';
import { assertionOf } from '../../support/clients/signed-client.ts';
import { claimsOf } from '../../support/expected/claims.ts';
import { hosts } from '../../support/fixtures.ts';
import { run } from '../../support/operators/desk.ts';
import { conf1, offline, useIntrospection } from '../../support/requests/introspect.ts';
import { apps, expectError, refreshAs, tokensOf } from '../../support/tokens.ts';
import { serviceForTest } from '../../support/use-service.ts';
import { type Tokens, token, visitor } from '../../support/visitor.ts';

const { service, change, ask, introspect } = useIntrospection();

describe('nothing is told of', () => {
  it('N3: what is no live token of ours', async () => {
    const { access_token, refresh_token } = await tokensOf(service, hosts.a, apps.conf1, offline);
    const cut = (token: string | undefined) => String(token).slice(0, -2);
    for (const token of ['x', 'a.b.c', cut(access_token), cut(refresh_token), 'x'.repeat(8_000)]) {
      expect(await introspect(token)).toEqual({ active: false });
    }
  });

  it('N4: a token of another client, unless it is for an API of the asker', async () => {
    const { access_token, refresh_token } = await tokensOf(service, hosts.a, apps.conf2, offline);
    expect(await introspect(refresh_token)).toEqual({ active: false });
    // The member API is everyone's.
    expect(await introspect(access_token)).toMatchObject({ active: true, client_id: 'conf2' });
  });

  it('N5: a token of another tenant', async () => {
    const { access_token, refresh_token } = await tokensOf(service, hosts.b, apps.conf1, offline);
    for (const token of [access_token, refresh_token])
      expect(await introspect(token)).toEqual({ active: false });
  });

  it('N6: tokens of a member who was disabled, or whose session is over', async () => {
    const browser = visitor(service, hosts.a);
    const bound = await tokensOf(service, hosts.a, apps.conf1, { browser, more: { scope: 'openid' } });
    const free = await tokensOf(service, hosts.a, apps.conf1, offline);
    expect(await introspect(bound.access_token)).toMatchObject({ active: true });
    await browser.send('/api/oidc/session/end?client_id=conf1');
    expect(await introspect(bound.access_token)).toEqual({ active: false });
    expect(await introspect(free.access_token)).toMatchObject({ active: true });
    await run(service, 'members.disable', {
      tenant: hosts.a,
      memberId: String(claimsOf(free.access_token).sub),
    });
    for (const token of [free.access_token, free.refresh_token]) {
      expect(await introspect(token)).toEqual({ active: false });
    }
    await run(service, 'members.enable', {
      tenant: hosts.a,
      memberId: String(claimsOf(free.access_token).sub),
    });
  });

  it('I52: tells of a token that a client has in its own name, until that client is gone', async () => {
    const identifier = 'https://invoices.test';
    const scopes = { 'invoices:read': 'Read' };
    await run(service, 'apis.create', { tenant: hosts.a, identifier, name: 'Invoices', scopes });
    const made = { tenant: hosts.a, clientId: 'machine', name: 'Machine', type: 'confidential' };
    const own = { clientCredentials: true, apis: [identifier], serviceScopes: ['invoices:read'] };
    const { secret } = await run<{ secret: string }>(service, 'clients.create', { ...made, ...own });
    const asked = { grant_type: 'client_credentials', client_id: 'machine', client_secret: secret };
    const answer = await token(service, hosts.a, { ...asked, resource: identifier });
    const jwt = String(answer.json().access_token);
    const told = {
      active: true,
      sub: 'machine',
      client_id: 'machine',
      aud: identifier,
      scope: 'invoices:read',
    };
    expect(await introspect(jwt)).toEqual({ active: false });
    await change('conf1', { apis: [identifier] });
    expect(await introspect(jwt)).toMatchObject(told);
    await run(service, 'clients.disable', { tenant: hosts.a, clientId: 'machine' });
    expect(await introspect(jwt)).toEqual({ active: false });
    await change('conf1', { apis: [] });
  });

  it('I61: tells of one for our own APIs to its client and operators, while the client gets such tokens', async () => {
    const clientId = 'operating';
    const made = { tenant: hosts.a, clientId, name: 'Operating', type: 'confidential', introspection: true };
    const own = { clientCredentials: true, serviceScopes: ['members:read', 'tokens:introspect'] };
    const { secret } = await run<{ secret: string }>(service, 'clients.create', { ...made, ...own });
    const credentials = { client_id: clientId, client_secret: secret };
    const get = async (scope: string) => {
      const asked = { grant_type: 'client_credentials', ...credentials, scope };
      return String((await token(service, hosts.a, asked)).json().access_token);
    };
    const [jwt, asking] = [await get('members:read'), await get('tokens:introspect')];
    const told = { active: true, sub: clientId, client_id: clientId, scope: 'members:read' };
    expect(await introspect(jwt, credentials)).toMatchObject(told);
    expect(await introspect(jwt)).toEqual({ active: false });
    const asOperator = (by: string, host: string = hosts.a) =>
      ask({ token: jwt }, { authorization: `Bearer ${by}` }, host);
    expect((await asOperator(asking)).json()).toMatchObject(told);
    expectError(await asOperator(jwt), 403, 'insufficient_scope');
    expectError(await asOperator(asking, hosts.b), 403, 'insufficient_scope');
    await change(clientId, { clientCredentials: false });
    expect(await introspect(jwt, credentials)).toEqual({ active: false });
    expectError(await asOperator(asking), 401, 'invalid_token');
  });

  it('N7: an old refresh token, and asking is no reuse', async () => {
    const first = await tokensOf(service, hosts.a, apps.conf1, offline);
    const next = (await refreshAs(service, hosts.a, apps.conf1, first.refresh_token)).json<Tokens>();
    for (let count = 0; count < 3; count += 1) {
      expect(await introspect(first.refresh_token)).toEqual({ active: false });
    }
    expect(await introspect(next.refresh_token)).toMatchObject({ active: true });
    expect((await refreshAs(service, hosts.a, apps.conf1, next.refresh_token)).status).toBe(200);
  });

  it('N9: an id_token, and a client’s assertion', async () => {
    const { id_token } = await tokensOf(service, hosts.a, apps.conf1, offline);
    expect(await introspect(id_token)).toEqual({ active: false });
    expect(await introspect(assertionOf(service, await foreignPair()))).toEqual({ active: false });
  });

  it('N10: an access token from before a backup was restored', async () => {
    const own = await serviceForTest({ data: 'security' });
    await change('conf1', { introspection: true }, own);
    const { access_token } = await tokensOf(own, hosts.a, apps.conf1, offline);
    expect(await introspect(access_token, conf1, own)).toMatchObject({ active: true });
    own.clock.advance(2_000);
    await own.store.transaction(async (tx) => {
      await tx.updateTable('service').set({ tokensFrom: own.clock.now() }).execute();
      await own.tenants.reload(tx);
    });
    expect(await introspect(access_token, conf1, own)).toEqual({ active: false });
  });
});
