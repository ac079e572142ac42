import { describe, expect, it } from 'vitest';
import { createFailedClients } from '../../../src/http/guessed-secrets.ts';
import { createRateLimiter } from '../../../src/storage/memory/rate-limit.ts';
import {
  askForCode,
  codesFor,
  deviceGrant,
  phoneOf,
  pollTokens,
  setLimits,
  tenantOf,
} from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { type App, apps, credentialsOf, expectError, tokensOf } from '../../support/tokens.ts';
import { useFreshService } from '../../support/use-service.ts';
import { codeFor, token, visitor } from '../../support/visitor.ts';

const { a, b } = hosts;
const { pub1, pub2, conf1, conf2 } = apps;
const minute = 60_000;
const home = '198.51.100.7';
// Behind a proxy, so that a request can come from any address.
const service = useFreshService({ data: 'security', trustedProxies: ['127.0.0.1'] });

interface From {
  readonly host?: string;
  readonly address?: string;
}

const grant = (fields: Record<string, string>, { host = a, address = home }: From = {}): Promise<Answer> =>
  token(service, host, fields, { 'x-forwarded-for': address });

const refreshFrom = (app: App, text = 'forged', from: From = {}): Promise<Answer> =>
  grant({ grant_type: 'refresh_token', ...credentialsOf(app), refresh_token: text }, from);

const pollFrom = (app: App, deviceCode: string, from: From = {}): Promise<Answer> =>
  grant({ grant_type: deviceGrant, ...credentialsOf(app), device_code: deviceCode }, from);

const expectLimited = (answer: Answer) => {
  expectError(answer, 429, 'temporarily_unavailable');
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
};

/** Sends something as often as the limit allows: each is answered by what is wrong with it. */
const repeat = async (times: number, send: () => Promise<Answer>, status: number) => {
  for (let count = 0; count < times; count += 1) expect((await send()).status).toBe(status);
};

const failGrants = (app: App = pub1, from: From = {}) =>
  repeat(60, () => refreshFrom(app, 'forged', from), 400);
const wrong = { ...conf1, secret: 'wrong' };
const failClients = (from: From = {}) => repeat(10, () => refreshFrom(wrong, 'forged', from), 401);

describe('failed grants', () => {
  it('Defaults: of one client and address 60 a minute are answered, of whatever grant; then 429', async () => {
    const code = { grant_type: 'authorization_code', client_id: 'pub1', code: 'x', code_verifier: 'y' };
    await repeat(20, () => refreshFrom(pub1), 400);
    await repeat(20, () => pollFrom(pub1, 'forged'), 400);
    await repeat(20, () => grant(code), 400);
    for (const answer of [await refreshFrom(pub1), await pollFrom(pub1, 'forged'), await grant(code)]) {
      expectLimited(answer);
    }
    service.clock.advance(minute);
    expectError(await refreshFrom(pub1), 400, 'invalid_grant');
  });

  it('Defaults: another client, address and tenant are counted apart; a /64 of IPv6 is one address', async () => {
    await failGrants(pub1, { address: '2001:db8::1' });
    expectLimited(await refreshFrom(pub1, 'forged', { address: '2001:db8::ffff' }));
    const others: [App, From][] = [
      [pub2, { address: '2001:db8::1' }],
      [pub1, { address: '2001:db8:0:1::1' }],
      [pub1, { address: '2001:db8::1', host: b }],
    ];
    for (const [app, from] of others)
      expectError(await refreshFrom(app, 'forged', from), 400, 'invalid_grant');
  });

  it('promise 7: what succeeds is neither counted nor refused, even if other clients fail at the same address', async () => {
    const { refresh_token: text } = await tokensOf(service, a, pub1);
    const { code, verifier } = await codeFor(visitor(service, a), 'pub1', pub1.redirectUri);
    await failGrants();
    let current = String(text);
    for (let count = 0; count < 70; count += 1) {
      const answer = await refreshFrom(pub1, current);
      expect(answer.status).toBe(200);
      current = answer.json<{ refresh_token: string }>().refresh_token;
    }
    const fields = { grant_type: 'authorization_code', client_id: 'pub1', code, code_verifier: verifier };
    expect((await grant(fields)).status).toBe(200);
    expectLimited(await refreshFrom(pub1));
  });

  it('Defaults: polls are paced by their interval alone: pending, slow_down, expired and denied are no failures', async () => {
    const phone = await phoneOf(service, a);
    const { device_code: denied, user_code: userCode } = await codesFor(service, a);
    await phone.reject(userCode);
    const { device_code: expired } = await codesFor(service, a);
    service.clock.advance(15 * minute);
    const { device_code: pending } = await codesFor(service, a);
    expectError(await pollFrom(pub1, pending), 400, 'authorization_pending');
    await repeat(70, () => pollFrom(pub1, pending), 400);
    await repeat(70, () => pollFrom(pub1, denied), 400);
    await repeat(70, () => pollFrom(pub1, expired), 400);
    expectError(await pollFrom(pub1, pending), 400, 'slow_down');
    expectError(await refreshFrom(pub1), 400, 'invalid_grant');
  });

  it('promise 7: a TV goes on polling and signs in while another client fails at the same address', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codesFor(service, a);
    await failGrants();
    expectError(await pollFrom(pub1, deviceCode), 400, 'authorization_pending');
    await (await phoneOf(service, a)).approve(userCode);
    service.clock.advance(5_000);
    await failGrants(pub1, { address: '127.0.0.1' });
    await pollTokens(service, a, deviceCode);
  });

  it('T2: a reused token ends its sign-in beyond the limit too, and is answered as ever', async () => {
    const { refresh_token: first } = await tokensOf(service, a, pub1);
    const second = (await refreshFrom(pub1, String(first))).json<{ refresh_token: string }>().refresh_token;
    await failGrants();
    expectError(await refreshFrom(pub1, String(first)), 400, 'invalid_grant');
    service.clock.advance(minute);
    expectError(await refreshFrom(pub1, second), 400, 'invalid_grant');
  });

  it('I51: a tenant may set another limit, or none (security, Defaults)', async () => {
    await setLimits(service, a, { failedGrantsPerClientAddressAndMinute: 2 });
    await repeat(2, () => refreshFrom(pub1), 400);
    expectLimited(await refreshFrom(pub1));
    await setLimits(service, a, { failedGrantsPerClientAddressAndMinute: null });
    await repeat(100, () => refreshFrom(pub1), 400);
  });
});

describe('failed client authentications', () => {
  it('Defaults: of one address 10 a minute are looked at; then no secret is, right or wrong', async () => {
    const { refresh_token: text } = await tokensOf(service, a, conf1);
    await failClients();
    expectLimited(await refreshFrom(wrong));
    expectLimited(await refreshFrom(conf1, text));
    expectLimited(await refreshFrom(conf2));
    service.clock.advance(minute);
    expect((await refreshFrom(conf1, text)).status).toBe(200);
  });

  it('Defaults: at the token, device and revocation endpoints alike', async () => {
    const address = '127.0.0.1';
    const sends = [
      () => refreshFrom(wrong, 'forged', { address }),
      () => askForCode(service, a, wrong),
      () => service.http(a, '/api/oidc/token/revocation', { body: { ...credentialsOf(wrong), token: 'x' } }),
    ];
    for (const send of sends) {
      await repeat(10, send, 401);
      for (const other of sends) expectLimited(await other());
      service.clock.advance(minute);
    }
  });

  it('Defaults: by Basic too; unknown clients and missing secrets count, and are refused beyond the limit', async () => {
    const authorization = `Basic ${Buffer.from('conf1:wrong').toString('base64')}`;
    const basic = () =>
      token(
        service,
        a,
        { grant_type: 'refresh_token', refresh_token: 'x' },
        { authorization, 'x-forwarded-for': home },
      );
    const unknown = () => refreshFrom({ clientId: 'nobody', redirectUri: '' });
    const missing = () => refreshFrom({ clientId: 'conf1', redirectUri: '' });
    await repeat(4, basic, 401);
    await repeat(3, unknown, 401);
    await repeat(3, missing, 401);
    for (const send of [basic, unknown, missing]) expectLimited(await send());
  });

  it('promise 7: public clients of the same address go on, and other addresses and tenants', async () => {
    const { refresh_token: text } = await tokensOf(service, a, pub1);
    await failClients();
    expect((await refreshFrom(pub1, text)).status).toBe(200);
    expectError(await refreshFrom(conf1, 'forged', { address: '198.51.100.8' }), 400, 'invalid_grant');
    expectError(await refreshFrom(conf1, 'forged', { host: b }), 400, 'invalid_grant');
  });

  it('Defaults: 50 at the same moment are told no more than 50 in turn', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => refreshFrom(wrong)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
  });

  it('decision 35: a revocation without a secret is served beyond the limit', async () => {
    const { refresh_token: text = '' } = await tokensOf(service, a, conf1);
    await failClients({ address: '127.0.0.1' });
    const body = { client_id: 'conf1', token: text };
    expect((await service.http(a, '/api/oidc/token/revocation', { body })).status).toBe(200);
    service.clock.advance(minute);
    expectError(await refreshFrom(conf1, text), 400, 'invalid_grant');
  });

  it('I51: a tenant may set another limit, or none (security, Defaults)', async () => {
    await setLimits(service, a, { failedClientAuthenticationsPerAddressAndMinute: null });
    await repeat(50, () => refreshFrom(wrong), 401);
    expectError(await refreshFrom(conf1), 400, 'invalid_grant');
  });

  it('Defaults: the addresses that reached the limit are bounded in memory', async () => {
    const clock = service.clock.now;
    const clients = createFailedClients(createRateLimiter(clock), clock, null, 2);
    const tenant = tenantOf(service, a);
    for (const ip of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) {
      for (let count = 0; count < 10; count += 1) {
        expect(await service.store.transaction(async (tx) => clients.count(tx, tenant, ip))).toBeNull();
      }
    }
    const waits = await service.store.transaction((tx) =>
      Promise.all(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((ip) => clients.waitOf(tx, tenant, ip))),
    );
    expect(waits).toEqual([null, 60, 60]);
  });
});
