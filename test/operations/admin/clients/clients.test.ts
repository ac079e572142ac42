import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../../src/core/hash.ts';
import { insertAuditEvent } from '../../../../src/storage/operators/audit-event.ts';
import { adminOf, refusal, run, tenantIdOf } from '../../../support/operators/desk.ts';
import { allRows } from '../../../support/records/rows.ts';
import { apps, expectError, refreshAs, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { codeFor, token, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });

const tenant = 'a.test';
const register = (clientId: string, more: object = {}) =>
  run<{ secret: string; secrets: readonly { secretId: string }[] }>(service, 'clients.create', {
    tenant,
    clientId,
    name: 'App',
    type: 'confidential',
    ...more,
  });

/** What the token endpoint says of a secret: `invalid_grant` is the answer to the right one. */
async function errorFor(clientId: string, secret: string): Promise<unknown> {
  const answer = await service.http(tenant, '/api/oidc/token', {
    body: { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId, client_secret: secret },
  });
  return answer.json<{ error: string }>().error;
}

describe('A18: the secret of a client', () => {
  it('is 256 random bits, and stands in the answer that made it and nowhere else', async () => {
    const { secret } = await register('hidden');
    const added = await run<{ secret: string }>(service, 'clients.addSecret', { tenant, clientId: 'hidden' });
    const shown = [
      await run(service, 'clients.read', { tenant, clientId: 'hidden' }),
      await run(service, 'clients.list', { tenant }),
      await run(service, 'clients.change', { tenant, clientId: 'hidden', name: 'Changed' }),
      await run(service, 'audit.list', { tenant }),
      await allRows(service, []),
    ];
    const bytes = readdirSync(service.folder)
      .filter((name) => name.startsWith('memberdoor.db'))
      .map((name) => readFileSync(join(service.folder, name), 'latin1'));
    // On PostgreSQL there is no file of ours: its rows say the same.
    bytes.push(JSON.stringify(await allRows(service, [])));
    expect(bytes.join()).toContain(sha256(secret));
    for (const one of [secret, added.secret]) {
      expect(one).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(JSON.stringify(shown)).not.toContain(one);
      expect(bytes.join()).not.toContain(one);
      expect(service.logLines.join()).not.toContain(one);
    }
    expect(JSON.stringify(shown.slice(0, 4))).not.toContain(sha256(secret));
  });

  it('works at once, beside another until one is removed, and never a third', async () => {
    const clientId = 'rotating';
    const first = await register(clientId);
    const second = await run<{ secret: string }>(service, 'clients.addSecret', { tenant, clientId });
    expect(await errorFor(clientId, first.secret)).toBe('invalid_grant');
    expect(await errorFor(clientId, second.secret)).toBe('invalid_grant');
    expect((await refusal(service, 'clients.addSecret', { tenant, clientId })).kind).toBe('conflict');

    const [old] = first.secrets;
    const removed = { tenant, clientId, secretId: old?.secretId };
    expect(await run(service, 'clients.removeSecret', removed)).toMatchObject({
      secrets: [{ secretId: expect.any(String), createdAt: expect.stringMatching(/^2026-01-15T.*Z$/) }],
    });
    expect(await errorFor(clientId, first.secret)).toBe('invalid_client');
    expect(await errorFor(clientId, second.secret)).toBe('invalid_grant');
    expect((await refusal(service, 'clients.removeSecret', removed)).kind).toBe('unknown');
  });

  it('is not for a public client, and the last one of a confidential client stays', async () => {
    expect(await register('open', { type: 'public' })).toMatchObject({ secret: null, secrets: [] });
    expect((await refusal(service, 'clients.addSecret', { tenant, clientId: 'open' })).kind).toBe('invalid');
    const { secrets } = await register('single');
    const last = { tenant, clientId: 'single', secretId: secrets[0]?.secretId };
    expect((await refusal(service, 'clients.removeSecret', last)).kind).toBe('conflict');
  });
});

describe('contract 5: a client that is made by what is built', () => {
  const build = (input: object, actor?: Parameters<typeof run>[3]) =>
    run(service, 'clients.create', { tenant, ...input }, actor);

  it('has the settings that follow, and a client_id of its name', async () => {
    const made = await build({ kind: 'single_page_app', name: 'The Shop', address: 'https://shop.test' });
    expect(made).toMatchObject({
      clientId: 'the-shop',
      type: 'public',
      secret: null,
      redirectUris: ['https://shop.test/callback'],
      postLogoutRedirectUris: ['https://shop.test/'],
      webOrigins: ['https://shop.test'],
      refreshTokenIdleSeconds: 14 * 86_400,
    });
    const second = await build({ kind: 'website', name: 'The Shop', address: 'https://shop.test' });
    expect(second).toMatchObject({ clientId: 'the-shop-2', secret: expect.stringMatching(/^[\w-]{43}$/) });
  });

  it('keeps what is said besides', async () => {
    const said = { clientId: 'said', type: 'confidential', accessTokenSeconds: 60, webOrigins: [] };
    expect(await build({ kind: 'tv_app', name: 'Said', ...said })).toMatchObject(said);
    const back = { redirectUris: ['https://a.test/back'] };
    expect(await build({ kind: 'website', name: 'Back', address: 'a.test', ...back })).toMatchObject(back);
  });

  it('has the device flow from those who may turn it on, where the stage has it', async () => {
    const tv = { kind: 'tv_app', type: 'public' };
    expect(await build({ ...tv, name: 'TV 1' })).toMatchObject({ deviceFlow: true });
    expect(await build({ ...tv, name: 'TV 2' }, adminOf(service, tenant))).toMatchObject({
      deviceFlow: false,
    });
    await run(service, 'tenants.setStage', { tenant, stageTenant: 'b.test' });
    expect(await build({ ...tv, name: 'TV 3' })).toMatchObject({ deviceFlow: false });
    await run(service, 'tenants.setStage', { tenant, stageTenant: null });
  });

  it.each([
    [{ name: 'X' }, ['type is missing: say the type, or the kind that it follows from']],
    [{ name: 'X', kind: 'website' }, ['address is missing']],
    [{ name: 'X', kind: 'toaster' }, [expect.stringContaining('kind must be one of website')]],
    [{ name: 'X', kind: 'website', address: 'http://shop.test' }, [expect.stringContaining('uses http')]],
  ])('R18: is refused where nothing follows: %j', async (input, problems) => {
    expect(await refusal(service, 'clients.create', { tenant, ...input })).toMatchObject({ problems });
  });
});

describe('a client', () => {
  it('has a client_id that no other of the tenant has, though one of another tenant may', async () => {
    const twin = { clientId: 'twin', name: 'Twin', type: 'public' };
    await run(service, 'clients.create', { tenant, ...twin });
    await run(service, 'clients.create', { tenant: 'b.test', ...twin });
    expect((await refusal(service, 'clients.create', { tenant, ...twin })).kind).toBe('conflict');
  });

  it('R18: is refused with every problem at once, made or changed', async () => {
    const wrong = { redirectUris: ['http://app.test/cb', 'javascript:x'], webOrigins: ['app.test'] };
    const input = { tenant, clientId: 'a b', name: 'X', type: 'public', ...wrong };
    expect((await refusal(service, 'clients.create', input)).problems).toHaveLength(4);
    const refused = await refusal(service, 'clients.change', { tenant, clientId: 'pub1', ...wrong });
    expect(refused.kind).toBe('invalid');
    expect(refused.problems).toHaveLength(3);
    const { redirectUris } = await run(service, 'clients.read', { tenant, clientId: 'pub1' });
    expect(redirectUris).toEqual(['https://pub1.test/cb']);
  });

  it('is changed in what is named alone; seconds are seconds', async () => {
    const before = await run(service, 'clients.read', { tenant, clientId: 'conf2' });
    const changes = {
      name: 'Second',
      refreshTokenIdleSeconds: 3_600,
      replayWindowSeconds: 30,
      signInsPerMember: 7,
    };
    await run(service, 'clients.change', { tenant, clientId: 'conf2', ...changes });
    expect(await run(service, 'clients.read', { tenant, clientId: 'conf2' })).toEqual({
      ...before,
      ...changes,
    });
    const stored = await service.store.transaction((tx) =>
      tx.selectFrom('clients').selectAll().where('name', '=', 'Second').executeTakeFirstOrThrow(),
    );
    expect(stored).toMatchObject({ refreshTokenIdle: 3_600_000, replayWindow: 30_000, signInsPerMember: 7 });
  });

  it('keeps its client_id and its type', async () => {
    for (const change of [{ type: 'public' }, { deviceFlow: true }]) {
      const refused = await refusal(service, 'clients.change', { tenant, clientId: 'conf1', ...change });
      expect(refused.kind).toBe('invalid');
    }
  });

  it('shows its last refused requests with the reason, and no other client’s', async () => {
    const event = {
      at: service.clock.now(),
      tenantId: tenantIdOf(service, tenant),
      event: 'client_authentication_failed',
      actorKind: 'client',
      actorId: 'nodev',
      target: null,
      clientId: 'nodev',
      address: '192.0.2.9',
      result: 'refused',
      reason: 'the client_secret is wrong',
    } as const;
    await service.store.transaction(async (tx) => {
      await insertAuditEvent(tx, event);
      await insertAuditEvent(tx, { ...event, clientId: 'nosign' });
      await insertAuditEvent(tx, { ...event, result: 'done' });
    });
    const { refusals } = await run(service, 'clients.read', { tenant, clientId: 'nodev' });
    expect(refusals).toEqual([
      {
        at: new Date(event.at).toISOString(),
        event: event.event,
        reason: event.reason,
        address: '192.0.2.9',
        reference: null,
      },
    ]);
  });
});

describe('a disabled client', () => {
  it('is as if it were not there, and its sign-ins are ended for good', async () => {
    const tokens = await tokensOf(service, tenant, apps.pub2);
    const elsewhere = await tokensOf(service, 'b.test', apps.pub2);
    const others = await tokensOf(service, tenant, apps.pub1);
    const scope = 'openid offline_access';
    const body = { client_id: 'pub2', scope };
    const asked = await service.http(tenant, '/api/oidc/device/auth', { body });
    const poll = () =>
      token(service, tenant, {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: asked.json<{ device_code: string }>().device_code,
        client_id: 'pub2',
      });
    const refreshed = () => refreshAs(service, tenant, apps.pub2, tokens.refresh_token);
    const issued = await codeFor(visitor(service, tenant), 'pub2', apps.pub2.redirectUri);
    const exchanged = () =>
      token(service, tenant, {
        grant_type: 'authorization_code',
        client_id: 'pub2',
        code: issued.code,
        code_verifier: issued.verifier,
      });
    await run(service, 'clients.disable', { tenant, clientId: 'pub2' });
    expectError(await refreshed(), 401, 'invalid_client');
    await run(service, 'clients.enable', { tenant, clientId: 'pub2' });
    expectError(await refreshed(), 400, 'invalid_grant');
    expectError(await poll(), 400, 'invalid_grant');
    expectError(await exchanged(), 400, 'invalid_grant');
    expect((await refreshAs(service, 'b.test', apps.pub2, elsewhere.refresh_token)).status).toBe(200);
    expect((await refreshAs(service, tenant, apps.pub1, others.refresh_token)).status).toBe(200);
  });

  it('D6: takes the device flow with it where no other client of the tenant has it', async () => {
    const discovery = async () =>
      (await service.http('c.test', '/.well-known/openid-configuration')).json<object>();
    const tv = { tenant: 'c.test', clientId: 'tv' };
    await run(service, 'clients.create', { ...tv, name: 'TV', type: 'public' });
    await run(service, 'clients.setDeviceFlow', { ...tv, enabled: true });
    expect(await discovery()).toHaveProperty('device_authorization_endpoint');
    await run(service, 'clients.disable', tv);
    expect(await discovery()).not.toHaveProperty('device_authorization_endpoint');
  });
});

describe('the device flow of a client', () => {
  const app = { tenant, clientId: 'nodev' };
  const set = (input: object) => run(service, 'clients.setDeviceFlow', { ...app, ...input });
  const on = { ...app, enabled: true };

  it('is turned on by those alone who have every tenant', async () => {
    expect((await refusal(service, 'clients.setDeviceFlow', on, adminOf(service, tenant))).kind).toBe(
      'denied',
    );
  });

  it('is turned on at the stage tenant first, or by force', async () => {
    await run(service, 'tenants.setStage', { tenant, stageTenant: 'b.test' });
    expect((await refusal(service, 'clients.setDeviceFlow', on)).kind).toBe('conflict');
    expect(await set({ enabled: true, force: true })).toMatchObject({ deviceFlow: true });
    // It is on already: nothing is turned on.
    expect(await set({ enabled: true })).toMatchObject({ deviceFlow: true });
    expect(await set({ enabled: false })).toMatchObject({ deviceFlow: false });

    const stage = { tenant: 'b.test', clientId: 'nodev' };
    await run(service, 'clients.setDeviceFlow', { ...stage, enabled: true });
    expect(await run(service, 'clients.read', app)).toMatchObject({ deviceFlowOnStage: true });
    await run(service, 'clients.disable', stage);
    expect((await refusal(service, 'clients.setDeviceFlow', on)).kind).toBe('conflict');
    await run(service, 'clients.enable', stage);
    expect(await set({ enabled: true })).toMatchObject({ deviceFlow: true });
    await run(service, 'tenants.setStage', { tenant, stageTenant: null });
    expect(await run(service, 'clients.read', app)).toMatchObject({ deviceFlowOnStage: null });
  });
});
