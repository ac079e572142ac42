import { beforeAll, describe, expect, it } from 'vitest';
import { codesFor, poll } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { run } from '../../support/operators/desk.ts';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import { serviceForTest, useService } from '../../support/use-service.ts';
import { authorizationParameters, pkce, token } from '../../support/visitor.ts';

const service = useService({ data: 'development' });
let acme: string;
let globex: string;
let room: Room;

beforeAll(() => {
  acme = `localhost:${service.port}`;
  globex = `127.0.0.1:${service.port}`;
  room = roomOf(service, acme);
});

interface Told {
  readonly clientId: string | null;
  readonly reasons: readonly {
    readonly rule: string;
    readonly because: string | null;
    readonly offered: { readonly kind: string; readonly value: string | null } | null;
    readonly registered: readonly { readonly setting: string; readonly values: readonly string[] }[];
  }[];
  readonly sent: {
    readonly parameters: readonly { readonly name: string; readonly values: readonly string[] }[];
  } | null;
}

const html = { accept: 'text/html' };
const askWhy = (reference: string, host = acme, headers: Record<string, string> = {}) =>
  service.http(host, `/rehearsal/why/${reference}`, { headers });
const whyOf = async (reference: string) => (await askWhy(reference)).json<Told & Record<string, unknown>>();
const mend = (reference: string, kind: string, headers: Record<string, string> = {}) =>
  room.ask(`why/${reference}/mend`, { mend: kind }, headers);

const authorize = (clientId: string, redirectUri: string, host = acme) =>
  service.http(
    host,
    `/api/oidc/auth?${new URLSearchParams(authorizationParameters(clientId, redirectUri, pkce()))}`,
    {
      headers: html,
    },
  );

/** The reference that a page shows, or the header of an answer. */
function referenceOf(answer: Answer): string {
  const reference = answer.headers['request-id'] ?? /Reference: (\w{8})/.exec(answer.text)?.[1];
  expect(reference).toMatch(/^\w{8}$/);
  return String(reference);
}

const clientNow = (clientId: string) =>
  run<{
    redirectUris: string[];
    webOrigins: string[];
    postLogoutRedirectUris: string[];
    deviceFlow: boolean;
  }>(service, 'clients.read', { tenant: acme, clientId });

describe('why a request was refused, on a development tenant', () => {
  it('says what was sent, what is registered and how to mend it, and a click mends it', async () => {
    const uri = 'http://localhost:9878/other';
    const page = await authorize('web-single', uri);
    expect(page.status).toBe(400);
    expect(page.text).toContain('Add this redirect URI');
    const reference = referenceOf(page);
    expect(page.text).toContain(`/rehearsal/why/${reference}`);
    const told = await whyOf(reference);
    expect(told).toMatchObject({
      clientId: 'web-single',
      reasons: [
        {
          rule: 'redirect_uri_unregistered',
          because: 'the redirect_uri is not registered',
          registered: [{ setting: 'redirectUris', values: ['http://localhost:9878/callback'] }],
          offered: { kind: 'redirect_uri', value: uri },
        },
      ],
    });
    expect(told.sent?.parameters).toContainEqual({ name: 'redirect_uri', values: [uri] });

    const shown = await askWhy(reference, acme, html);
    expect(shown.headers['content-type']).toMatch(/^text\/html/);
    expect(shown.text).toContain('the path alone differs');
    const mended = await service.http(acme, `/rehearsal/why/${reference}/mend`, {
      body: { mend: 'redirect_uri' },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(mended.status).toBe(303);
    expect(mended.headers.location).toBe(`/rehearsal/why/${reference}?mended=redirect_uri`);
    expect((await clientNow('web-single')).redirectUris).toEqual(['http://localhost:9878/callback', uri]);
    expect((await authorize('web-single', uri)).status).toBe(303);
    const again = (await askWhy(reference, acme, html)).text;
    expect(again).toContain('what was missing is registered by now');
    expect(again).not.toContain('Add this redirect URI');
    // A second click changes nothing more.
    expect((await mend(reference, 'redirect_uri')).status).toBe(200);
    expect((await clientNow('web-single')).redirectUris).toHaveLength(2);
    const event = (await auditEvents(service)).findLast(({ operation }) => operation === 'clients.change');
    expect(event).toMatchObject({ actorKind: 'operator', actorId: 'rehearsal room', target: 'web-single' });
  });

  it('turns on the device flow of a client', async () => {
    const asked = await service.http(acme, '/api/oidc/device/auth', {
      body: { client_id: 'tv-off', scope: 'openid' },
    });
    const reference = referenceOf(asked);
    expect((await whyOf(reference)).reasons[0]).toMatchObject({
      rule: 'device_flow_off',
      offered: { kind: 'device_flow' },
    });
    expect((await mend(reference, 'device_flow')).json()).toMatchObject({ mended: { clientId: 'tv-off' } });
    expect((await clientNow('tv-off')).deviceFlow).toBe(true);
    expect((await askWhy(reference, acme, html)).text).toContain('what was missing is registered by now');
  });

  it('allows a web origin whose script could not read the answer, whatever that was', async () => {
    const origin = 'http://127.0.0.1:5173';
    const answer = await token(
      service,
      acme,
      { grant_type: 'refresh_token', client_id: 'spa', refresh_token: 'x' },
      { origin },
    );
    const reference = referenceOf(answer);
    expect((await whyOf(reference)).reasons.map(({ rule }) => rule)).toEqual([
      'refresh_token_foreign',
      'web_origin_unregistered',
    ]);
    await mend(reference, 'web_origin');
    expect((await clientNow('spa')).webOrigins).toContain(origin);
    const again = await token(service, acme, { grant_type: 'refresh_token', client_id: 'spa' }, { origin });
    expect((await whyOf(referenceOf(again))).reasons.map(({ rule }) => rule)).toEqual(['invalid_request']);
  });

  it('allows a post-logout URI', async () => {
    const uri = 'http://localhost:9876/bye';
    const query = new URLSearchParams({ client_id: 'web', post_logout_redirect_uri: uri });
    await service.http(acme, `/api/oidc/session/end?${query}`, { headers: html });
    const reference = String((await room.wire()).at(-1)?.reference);
    expect((await whyOf(reference)).reasons[0]).toMatchObject({ rule: 'post_logout_uri_unregistered' });
    await mend(reference, 'post_logout_uri');
    expect((await clientNow('web')).postLogoutRedirectUris).toContain(uri);
  });

  it('finds an error that goes back to the app by the header of the redirect', async () => {
    const query = {
      ...authorizationParameters('spa', 'http://localhost:9879/callback', pkce()),
      scope: 'profile',
    };
    const answer = await service.http(acme, `/api/oidc/auth?${new URLSearchParams(query)}`);
    expect(answer.status).toBe(303);
    expect((await whyOf(referenceOf(answer))).reasons).toMatchObject([{ rule: 'openid_missing' }]);
  });

  it('tells of what the audit does not: a poll that came too early, and what was not refused at all', async () => {
    const { device_code: code } = await codesFor(service, acme, { clientId: 'tv' });
    await poll(service, acme, code, { clientId: 'tv' });
    const early = referenceOf(await poll(service, acme, code, { clientId: 'tv' }));
    expect((await whyOf(early)).reasons).toMatchObject([{ rule: 'slow_down', offered: null }]);
    const fine = String((await room.wire()).find(({ endpoint }) => endpoint === 'device')?.reference);
    expect((await whyOf(fine)).reasons).toHaveLength(1);
  });

  it('says just that of an address where there is nothing', async () => {
    const asked = await service.http(acme, '/api/oidc/tokens', { body: { grant_type: 'refresh_token' } });
    expect(asked.status).toBe(404);
    expect((await whyOf(referenceOf(asked))).reasons).toMatchObject([
      { rule: 'address_unknown', because: 'there is nothing at this address', registered: [] },
    ]);
  });

  it('says so where nothing is known of a reference', async () => {
    expect((await askWhy('00000000')).status).toBe(404);
    const page = await askWhy('00000000', acme, html);
    expect(page.status).toBe(404);
    expect(page.text).toContain('Nothing is known of this reference');
  });
});

describe('RF: hostile requests for reasons and mends', () => {
  it('RF6: a reference of another tenant is unknown, in the room and to its operators', async () => {
    const reference = referenceOf(await authorize('web', 'http://localhost:9876/elsewhere', globex));
    expect((await askWhy(reference)).status).toBe(404);
    expect((await mend(reference, 'redirect_uri')).status).toBe(404);
    await expect(run(service, 'refusals.why', { tenant: acme, reference })).rejects.toThrow(
      'no such reference',
    );
    expect((await askWhy(reference, globex)).status).toBe(200);
  });

  it.each(['%00', "'--", '..', `${'a'.repeat(41)}`, 'refusals%2F..', '__proto__', '%F0%9F%92%A9'])(
    'RF7: a guessed or garbled reference finds nothing: %s',
    async (reference) => {
      const answer = await askWhy(reference);
      expect([400, 404]).toContain(answer.status);
      expect(answer.text).not.toMatch(/sql|stack|at \w+ \(/i);
    },
  );

  it('RF8: hostile text in what was sent is text on every page, and is nowhere taken for an address', async () => {
    const hostile = '"><img src=x onerror=alert(1)>\u202e';
    const query = new URLSearchParams({ client_id: 'web', redirect_uri: hostile, scope: hostile });
    const page = await service.http(acme, `/api/oidc/auth?${query}`, { headers: html });
    const reference = referenceOf(page);
    const shown = await askWhy(reference, acme, html);
    for (const { text } of [page, shown]) expect(text).not.toContain('<img src=x');
    expect((await whyOf(reference)).reasons[0]).toMatchObject({ offered: null });
    expect((await mend(reference, 'redirect_uri')).status).toBe(409);
  });

  it('RF10: a mend that a page of another site asks for is refused, and changes nothing', async () => {
    const reference = referenceOf(await authorize('native', 'https://native.test/cb'));
    for (const headers of [
      { origin: 'https://evil.test' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: `http://localhost:${service.port + 1}` },
    ]) {
      expect((await mend(reference, 'redirect_uri', headers as Record<string, string>)).status).toBe(403);
    }
    expect((await clientNow('native')).redirectUris).not.toContain('https://native.test/cb');
  });

  it('RF11: what is added is what was sent before, and not what comes with the click', async () => {
    const reference = referenceOf(await authorize('native', 'https://native.test/cb'));
    const more = { mend: 'redirect_uri', value: 'https://evil.test/cb' };
    expect((await room.ask(`why/${reference}/mend`, more)).status).toBe(400);
    expect((await mend(reference, 'device_flow')).status).toBe(409);
    expect((await clientNow('native')).redirectUris).not.toContain('https://evil.test/cb');
  });

  it('RF12: on a tenant that is no development tenant there is no page, no mend and nothing of what was sent', async () => {
    const production = await serviceForTest({ data: 'security' });
    const page = await production.http(
      hosts.a,
      `/api/oidc/auth?${new URLSearchParams(authorizationParameters('pub1', 'https://pub1.test/other', pkce()))}`,
    );
    const reference = referenceOf(page);
    expect(page.text).not.toMatch(/rehearsal|Add this redirect URI|To mend this/);
    for (const path of [`/rehearsal/why/${reference}`, `/rehearsal/why/${reference}/mend`]) {
      const body = path.endsWith('mend') ? { body: { mend: 'redirect_uri' } } : {};
      expect((await production.http(hosts.a, path, body)).status).toBe(404);
    }
    const told = await run<Told>(production, 'refusals.why', { tenant: hosts.a, reference });
    expect(told).toMatchObject({ clientId: 'pub1', sent: null, reasons: [{ offered: null }] });
    expect(JSON.stringify(told)).not.toContain('https://pub1.test/other');
  });

  it('RF13: no secret that was sent stands in a reason', async () => {
    const secrets = {
      refresh_token: 'rt-0123456789abcdef',
      client_secret: 'sesame-sesame-sesame',
      code_verifier: 'v'.repeat(43),
    };
    const answer = await token(service, acme, { grant_type: 'refresh_token', client_id: 'web', ...secrets });
    const reference = referenceOf(answer);
    const shown = (await askWhy(reference, acme, html)).text + (await askWhy(reference)).text;
    for (const secret of Object.values(secrets)) expect(shown).not.toContain(secret);
  });
});
