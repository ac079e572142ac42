import { describe, expect, it } from 'vitest';
import type { WireEntry } from '../../../src/core/rehearsal/wire.ts';
import { codesFor, poll } from '../../support/device.ts';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import type { TestService } from '../../support/service.ts';
import { serviceForTest } from '../../support/use-service.ts';
import { codeFor, refresh, type Tokens, token, visitor } from '../../support/visitor.ts';

const tv = { clientId: 'tv' };

async function start(): Promise<{ service: TestService; acme: string; room: Room }> {
  const service = await serviceForTest({ data: 'development' });
  const acme = `localhost:${service.port}`;
  return { service, acme, room: roomOf(service, acme) };
}

/** The newest entry. */
async function last(room: Room): Promise<WireEntry> {
  const entry = (await room.wire()).at(-1);
  if (entry === undefined) throw new Error('nothing went over the wire');
  return entry;
}

describe('the wire log of a development tenant', () => {
  it('has each request with its answer, and what each secret is known again by', async () => {
    const { service, acme, room } = await start();
    const { device_code: deviceCode } = await codesFor(service, acme, tv, { device_name: 'Living room' });
    const pending = await poll(service, acme, deviceCode, tv);
    const [asked, polled] = await room.wire();
    expect(asked).toMatchObject({
      client: 'tv',
      endpoint: 'device',
      request: {
        method: 'POST',
        path: '/api/oidc/device/auth',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        parameters: { client_id: 'tv', scope: 'openid offline_access', device_name: 'Living room' },
      },
      answer: {
        status: 200,
        headers: { 'cache-control': 'no-store' },
        body: { user_code: expect.stringMatching(/^\d{3} \d{3}$/), interval: 5, expires_in: 900 },
      },
      refusal: null,
      fault: null,
      lost: false,
    });
    expect(polled).toMatchObject({
      endpoint: 'token',
      answer: { status: 400, body: { error: 'authorization_pending' } },
      refusal: { error: 'authorization_pending' },
      reference: pending.headers['request-id'],
    });
    const { device_code: mark } = { ...(asked?.answer.body as { device_code: string } | undefined) };
    expect(mark).toMatch(/^dc·[0-9a-f]{8}$/);
    expect(polled?.request.parameters.device_code).toBe(mark);
    expect(asked?.at).toBeLessThanOrEqual(asked?.answeredAt ?? 0);
    expect(asked?.answeredAt).toBeLessThan(polled?.at ?? 0);
  });

  it('says why in words for an operator, where the client is told less', async () => {
    const { service, acme, room } = await start();
    const tokens = await webTokens(service, acme);
    const spa = { client_id: 'spa' };
    await refresh(service, acme, tokens.refresh_token, spa);
    await refresh(service, acme, tokens.refresh_token, spa);
    const { refusal, answer } = await last(room);
    expect(refusal?.error).toBe('invalid_grant');
    expect(refusal?.because).not.toBe((answer.body as { error_description: string }).error_description);
  });

  it('W7: holds no secret of a whole sign-in, and the claims of its tokens', async () => {
    const { service, acme, room } = await start();
    const secrets: string[] = [];
    const tokens = await webTokens(service, acme, secrets);
    const refreshed = (await refresh(service, acme, tokens.refresh_token, { client_id: 'spa' })).json<
      Tokens & Record<string, unknown>
    >();
    await service.http(acme, '/api/oidc/me', {
      headers: { authorization: `Bearer ${refreshed.access_token}` },
    });
    await token(service, acme, {
      grant_type: 'password',
      client_id: 'web',
      client_secret: 'web-secret-for-development',
      password: 'memberdoor-development',
      code_verifier: 'a-verifier-in-the-wrong-place',
    });
    await service.http(acme, `/api/oidc/token?device_code=${'d'.repeat(43)}`, { method: 'GET' });
    await service.http(acme, '/api/oidc/token', {
      body: { grant_type: 'client_credentials' },
      headers: { authorization: `Basic ${Buffer.from('web:web-secret-for-development').toString('base64')}` },
    });
    secrets.push(
      ...[tokens, refreshed].flatMap((one) => [one.access_token, one.id_token, one.refresh_token ?? '']),
      'web-secret-for-development',
      Buffer.from('web:web-secret-for-development').toString('base64'),
      'memberdoor-development',
      'a-verifier-in-the-wrong-place',
      'd'.repeat(43),
    );
    const entries = await room.wire();
    const text = JSON.stringify(entries);
    for (const secret of secrets) {
      expect(secret).not.toBe('');
      expect(text).not.toContain(secret);
    }
    const exchanged = entries.find(({ endpoint, answer }) => endpoint === 'token' && answer.status === 200);
    expect(exchanged?.answer.claims).toMatchObject({
      access_token: { client_id: 'spa', iss: `http://${acme}` },
      id_token: { aud: 'spa' },
    });
    const told = entries.find(({ endpoint }) => endpoint === 'userinfo');
    const rotated = entries.find(({ request }) => request.parameters.grant_type === 'refresh_token');
    const { access_token: mark } = { ...(rotated?.answer.body as Tokens | undefined) };
    expect(told?.request.headers.authorization).toBe(`Bearer ${mark}`);
  });

  it('RR17: holds no secret in whatever place of a request it came', async () => {
    const { service, acme, room } = await start();
    const secret = 'c2VjcmV0LW9mLWEtY2xpZW50LXdoaWNoLWlzLWxvbmc';
    const url = '/api/oidc/token';
    const form = 'application/x-www-form-urlencoded';
    const sent: readonly [string, Record<string, string>, string?][] = [
      [url, { 'content-type': form }, `client_id=${secret}&grant_type=${secret}&scope=${secret}`],
      [url, { 'content-type': form }, `${secret}=1&${secret}&Client_Secret=${secret}&a=${secret}`],
      [url, { 'content-type': form }, `client_id=${secret}&client_id=${secret}&resource=${secret}`],
      [`${url}?client_secret=${secret}&${secret}`, { 'content-type': form }, 'grant_type=refresh_token'],
      [
        url,
        { 'content-type': 'application/json' },
        JSON.stringify({ client_secret: secret, [secret]: secret }),
      ],
      [url, { 'content-type': form, authorization: secret, dpop: secret, cookie: `a=${secret}` }, 'a=b'],
      [url, { 'content-type': form, authorization: `Basic ${secret}` }, 'a=b'],
      ['/api/oidc/me', { authorization: `Token ${secret}` }],
      ['/api/oidc/me', { authorization: `DPoP ${secret}` }],
      [`/api/oidc/${secret}`, {}],
      [`/api/oidc/auth?client_id=${secret}&state=${secret}&redirect_uri=${secret}`, {}],
    ];
    for (const [path, headers, body] of sent) {
      await service.http(acme, path, { headers, ...(body === undefined ? {} : { body }) });
    }
    const entries = await room.wire();
    expect(entries).toHaveLength(sent.length);
    expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it.each([
    ['a refresh token', `01a20dfb-c528-7919-9ea2-2696e7c3b0c0.3.${'c2VjcmV0LW9mLWEtdG9rZW4'.repeat(2)}`],
    ['a JWT', `eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.${'c2VjcmV0LW9mLWEtdG9rZW4'.repeat(4)}`],
  ])('RR70: holds none of %s that came under a name for no secrets', async (_which, secret) => {
    const { service, acme, room } = await start();
    const names = ['client_id', 'scope', 'device_name', 'user_code', 'login_hint', 'grant_type', 'resource'];
    for (const name of names) await service.http(acme, '/api/oidc/token', { body: { [name]: secret } });
    const led = encodeURIComponent(`https://app.test/cb?access_token=${secret}&next=${secret}`);
    await service.http(acme, `/api/oidc/auth?client_id=spa&redirect_uri=${led}&scope=openid%20${secret}`);
    const headers = { origin: secret, 'user-agent': secret, authorization: `Basic ${btoa(`${secret}:x`)}` };
    await service.http(acme, '/api/oidc/token', { headers, body: { grant_type: 'password' } });
    const told = JSON.stringify(await room.wire());
    expect(told).not.toContain(secret.slice(-40));
    expect(told).toContain('https://app.test/cb?access_token=');
    expect((await service.http(acme, '/rehearsal/card.json')).text).not.toContain(secret.slice(-40));
  });

  it('has no values by names that were not sent, where the body is none that is read', async () => {
    const { service, acme, room } = await start();
    const asked = { headers: { 'content-type': 'text/plain' }, body: 'grant_type=x&client_id=tv' };
    await service.http(acme, '/api/oidc/token', asked);
    expect((await room.wire())[0]?.request.parameters).toEqual({});
  });

  it('has pages by their method, their address and their status alone, and nothing of operators', async () => {
    const { service, acme, room } = await start();
    await service.http(acme, '/sign-up/confirm/a-secret-of-a-mail');
    for (const path of ['/admin', '/api/v1/admin/tenants', '/outbox', '/livez', '/assets/none.js']) {
      await service.http(acme, path);
    }
    const entries = await room.wire();
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      endpoint: 'page',
      request: { method: 'GET', headers: {}, parameters: {} },
      answer: { body: null },
    });
    expect(JSON.stringify(entries)).not.toContain('a-secret-of-a-mail');
  });

  it('has what leads to a client, and what leads to nothing', async () => {
    const { service, acme, room } = await start();
    await webTokens(service, acme);
    await service.http(acme, '/api/oauth/token', { body: { grant_type: 'refresh_token', client_id: 'tv' } });
    const entries = await room.wire();
    const led = entries.find(({ answer }) => String(answer.headers.location).includes('/callback'));
    expect(led?.answer.headers.location).toMatch(
      /^http:\/\/localhost:9879\/callback\?code=code·\w{8}&state=state·\w{8}&iss=/,
    );
    expect(entries.at(-1)).toMatchObject({
      endpoint: 'unknown',
      client: 'tv',
      request: { path: '/api/oauth/token' },
      answer: { status: 404 },
    });
  });

  it('X1: has nothing of another tenant', async () => {
    const { service, acme, room } = await start();
    await codesFor(service, acme, tv);
    expect(await room.wire()).toHaveLength(1);
    expect(await roomOf(service, `127.0.0.1:${service.port}`).wire()).toEqual([]);
  });

  it('keeps the newest five hundred, none of them long, however much is sent', async () => {
    const { service, acme, room } = await start();
    const long = { client_id: 'c '.repeat(4_000), scope: 's '.repeat(2_000) };
    for (let round = 0; round < 26; round += 1) {
      await Promise.all(
        Array.from({ length: 20 }, () => service.http(acme, '/api/oidc/device/auth', { body: long })),
      );
    }
    const entries = await room.wire();
    expect(entries).toHaveLength(500);
    expect(Math.max(...entries.map((entry) => JSON.stringify(entry).length))).toBeLessThanOrEqual(4_096);
    const after = entries.at(-2)?.id ?? 0;
    expect(await room.wire(after)).toEqual(entries.slice(-1));
  });

  it('is turned page by page to its oldest entry, of one client too, and leads back to the newest', async () => {
    const { service, acme, room } = await start();
    for (const clientId of ['tv', 'native']) {
      for (let round = 0; round < 70; round += 1) await poll(service, acme, 'no-code', { clientId });
    }
    const ids = (await room.wire()).map(({ id }) => id);
    /** The entries that a page shows, and where its two links lead. */
    const look = async (path: string) => {
      const { text } = await service.http(acme, path);
      const [, log = ''] = /<ol>([\s\S]*?)<\/ol>/.exec(text.slice(text.indexOf('id="log"'))) ?? [];
      const linkOf = (rel: string) =>
        new RegExp(`<a class="chip" href="([^"]*)" rel="${rel}">`).exec(text)?.[1]?.replaceAll('&amp;', '&');
      const shown = [...log.matchAll(/ id="wire-(\d+)"/g)].map(([, id]) => Number(id));
      return { shown, older: linkOf('next') ?? '', newest: linkOf('first') };
    };
    const first = await look('/rehearsal');
    expect([first.shown, first.newest]).toEqual([ids.slice(80), undefined]);
    const second = await look(first.older);
    expect([second.shown, second.newest]).toEqual([ids.slice(20, 80), '/rehearsal']);
    const third = await look(second.older);
    expect([third.shown, third.older]).toEqual([ids.slice(0, 20), '']);

    const ofTv = await look((await look('/rehearsal?client=tv')).older);
    expect([ofTv.shown, ofTv.newest]).toEqual([ids.slice(0, 10), '/rehearsal?client=tv']);
    expect((await look('/rehearsal?before=none')).shown).toEqual(first.shown);
  });
});

async function webTokens(service: TestService, host: string, secrets: string[] = []): Promise<Tokens> {
  const more = { state: 'the-state-of-a-client', nonce: 'the-nonce-of-a-client' };
  const redirectUri = 'http://localhost:9879/callback';
  const { code, verifier } = await codeFor(
    visitor(service, host),
    'spa',
    redirectUri,
    more,
    'ada@example.com',
  );
  const answer = await token(service, host, {
    grant_type: 'authorization_code',
    client_id: 'spa',
    code,
    code_verifier: verifier,
  });
  secrets.push(code, verifier, ...Object.values(more));
  return answer.json<Tokens & Record<string, unknown>>();
}
