import { describe, expect, it } from 'vitest';
import { codesFor } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { newAdmin, portalOf } from '../../../support/operators/portal.ts';
import { useCards } from '../../../support/rehearsal/rehearsal.ts';
import { serviceForTest } from '../../../support/use-service.ts';
import { codeFor, visitor } from '../../../support/visitor.ts';

const { service, at, ask, rule, pollAtOnce } = useCards();
const tv = { clientId: 'tv' };

describe('the portal', () => {
  const clientPage = async (host: string, clientId: string, headers = {}, at = host) => {
    const browser = await portalOf(service, at, 'sam@example.com', 'memberdoor-development');
    const page = await browser.send(`/admin/tenants/${host}/clients/${clientId}`, { headers });
    expect(page.status).toBe(200);
    return page.text;
  };

  it('has the sum of a client’s card beside its device flow', async () => {
    await pollAtOnce();
    const shown = await clientPage(at.acme, 'tv');
    expect(shown).toContain(
      `<a href="http://${at.acme}/rehearsal/card/tv">Report card</a>: 0 of 12 rules kept, 1 broken`,
    );
    expect(await clientPage(at.globex, 'tv')).toContain('0 of 12 rules kept, 0 broken');
  });

  it('RR57: shows none to a visitor through a proxy, and none where there is no room', async () => {
    await pollAtOnce();
    expect(await clientPage(at.acme, 'tv', { 'x-forwarded-for': '203.0.113.9' })).not.toContain(
      'Report card',
    );
    const makeDevelopment = (development: 0 | 1) =>
      service.store.transaction(async (tx) => {
        await tx.updateTable('tenants').set({ development }).where('host', '=', at.globex).execute();
        await service.tenants.reload(tx);
      });
    await makeDevelopment(0);
    expect(await clientPage(at.globex, 'tv', {}, at.acme)).not.toContain('Report card');
    await makeDevelopment(1);
    expect(await clientPage(at.globex, 'tv', {}, at.acme)).toContain('Report card');
    const production = await serviceForTest({ data: 'security' });
    const admin = await newAdmin(production, hosts.a, 'admin@example.test');
    const shown = await admin.send(`/admin/tenants/${hosts.a}/clients/pub1`);
    expect(shown.text).toContain('Device flow');
    expect(shown.text).not.toMatch(/Report card|rehearsal/);
  });
});

describe('moved endpoints', () => {
  const discovery = async (headers = {}, host = at.acme) =>
    service.http(host, '/.well-known/openid-configuration', { headers });
  const move = async (moved: boolean) =>
    (await at.room.ask('endpoints', { moved })).json<
      { moved: boolean; mark: string | null } & Record<string, unknown>
    >();

  it('are told by discovery, also to those who have it, and answer where they were too', async () => {
    const before = await discovery();
    const { mark } = await move(true);
    expect(mark).toMatch(/^[\w-]{8}$/);
    const after = await discovery({ 'if-none-match': before.headers.etag ?? '' });
    expect(after).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(after.headers.etag).toBeUndefined();
    const plain = before.json<Record<string, string>>();
    const changed = Object.entries(after.json<Record<string, string>>()).filter(
      ([name, value]) => JSON.stringify(plain[name]) !== JSON.stringify(value),
    );
    expect(Object.fromEntries(changed)).toEqual({
      device_authorization_endpoint: `http://${at.acme}/api/oidc/device/auth?moved=${mark}`,
      revocation_endpoint: `http://${at.acme}/api/oidc/token/revocation?moved=${mark}`,
      token_endpoint: `http://${at.acme}/api/oidc/token?moved=${mark}`,
    });
    await codesFor(service, at.acme, tv);
    expect((await rule('discovery'))?.verdict).toBe('not_seen');
    await at.room.ask('clock', { advance: 300 });
    await codesFor(service, at.acme, tv);
    expect((await rule('discovery'))?.verdict).toBe('broken');
    expect(await move(false)).toEqual({ moved: false, mark: null });
    expect((await discovery()).text).toBe(before.text);
  });

  it('RR56: a mark is of one tenant and one move, and no guess', async () => {
    const first = await move(true);
    const { mark } = await move(true);
    expect(mark).not.toBe(first.mark);
    expect((await discovery({}, at.globex)).text).not.toContain('moved=');
    expect((await ask('endpoints', at.globex)).json()).toEqual({ moved: false, mark: null });
    for (const guess of [first.mark, '', `${mark}&moved=${mark}`, `${mark}0`]) {
      await at.room.delete('card/tv');
      await service.http(at.acme, `/api/oidc/device/auth?moved=${guess}`, {
        body: { client_id: 'tv', scope: 'openid' },
      });
      expect((await rule('discovery'))?.verdict, String(guess)).toBe('broken');
    }
  });
});

describe('an answer with another state', () => {
  const redirectUri = 'http://localhost:9879/callback';
  const signIn = async (client: string | undefined, state: string) => {
    await at.room.ask('faults', { kind: 'wrong_state', ...(client === undefined ? {} : { client }) });
    const browser = visitor(service, at.acme);
    await codeFor(browser, 'spa', redirectUri, { state }, 'ada@example.com');
    return at.room.wire();
  };

  it('comes back once, to the client that it is for, and the log says so', async () => {
    await at.room.ask('faults', { kind: '500', endpoint: 'token' });
    const led = (await signIn('spa', 'a-state')).find(({ fault }) => fault === 'wrong_state');
    expect(led).toMatchObject({ client: 'spa', endpoint: 'page', answer: { status: 303 } });
    expect(
      (await ask('faults')).json<{ faults: { kind: string }[] }>().faults.map(({ kind }) => kind),
    ).toEqual(['500']);
  });

  it('comes back to no other client, and not where none was sent', async () => {
    expect((await signIn('web', 'a-state')).some(({ fault }) => fault !== null)).toBe(false);
    expect((await ask('faults')).json<{ faults: unknown[] }>().faults).toHaveLength(1);
    await at.room.delete('faults');
    expect((await signIn(undefined, '')).some(({ fault }) => fault !== null)).toBe(false);
    expect((await signIn(undefined, 'b-state')).filter(({ fault }) => fault === 'wrong_state')).toHaveLength(
      1,
    );
  });
});
