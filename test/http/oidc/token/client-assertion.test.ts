import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { foreignPair } from '../../../support/clients/foreign-jwt.ts';
import {
  asSigned,
  assertionOf,
  authenticate,
  registerSigned,
} from '../../../support/clients/signed-client.ts';
import { setLimits, unlimited } from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { run } from '../../../support/operators/desk.ts';
import { revoke } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import {
  authorizationParameters,
  codeFor,
  pkce,
  type Tokens,
  token,
  visitor,
} from '../../../support/visitor.ts';

const pair = await foreignPair();
const others = {
  ES256: pair,
  PS256: await foreignPair('PS256'),
  EdDSA: await foreignPair('EdDSA'),
  RS256: await foreignPair('RS256'),
};
const foreign = await foreignPair();

const service = useService({ data: 'security' });

beforeAll(async () => {
  await setLimits(service, hosts.a, unlimited);
  await registerSigned(service, hosts.a, 'signed', Object.values(others));
  await run(service, 'clients.setDeviceFlow', { tenant: hosts.a, clientId: 'signed', enabled: true });
  await registerSigned(service, hosts.a, 'signed2', [foreign]);
});
beforeEach(() => service.clock.advance(60_000));

const make = (changes: object = {}, more: object = {}) => assertionOf(service, pair, changes, more);
const send = (assertion: string, more: Record<string, string> = {}) =>
  authenticate(service, { ...asSigned(assertion), ...more });

describe('a client authenticates by an assertion', () => {
  it.each(Object.entries(others))('I53: signed by %s', async (_algorithm, key) => {
    expectJsonError(await send(assertionOf(service, key)), 400, 'invalid_grant');
  });

  it.each<[string, object, object, Record<string, string>]>([
    ['its client_id beside it', {}, {}, { client_id: 'signed' }],
    ['the token endpoint as its audience', { aud: `https://${hosts.a}/api/oidc/token` }, {}, {}],
    ['the type JWT', {}, { typ: 'JWT' }, {}],
    ['the type client-authentication+jwt', {}, { typ: 'client-authentication+jwt' }, {}],
    ['no iat', { iat: undefined }, {}, {}],
  ])('I53: with %s', async (_what, changes, more, fields) => {
    expectJsonError(await send(make(changes, more), fields), 400, 'invalid_grant');
  });

  it('I53: of a clock that is 10 s ahead, and for 5 minutes', async () => {
    const now = Math.floor(service.clock.now() / 1_000);
    const ahead = make({ iat: now + 10, nbf: now + 10, exp: now + 310 });
    expectJsonError(await send(ahead), 400, 'invalid_grant');
  });

  it('I53: for a code, a refresh, a TV and a revocation, each with one of its own', async () => {
    const { code, verifier } = await codeFor(visitor(service, hosts.a), 'signed', 'https://app.test/cb', {
      scope: 'openid offline_access',
    });
    const ask = async (fields: Record<string, string>) => {
      const answer = await token(service, hosts.a, { ...fields, ...asSigned(make()) });
      expect(answer.status, answer.text).toBe(200);
      return answer.json<Tokens>();
    };
    const first = await ask({ grant_type: 'authorization_code', code, code_verifier: verifier });
    const next = await ask({ grant_type: 'refresh_token', refresh_token: String(first.refresh_token) });
    const device = await service.http(hosts.a, '/api/oidc/device/auth', {
      body: { scope: 'openid', ...asSigned(make()) },
    });
    expect(device.status, device.text).toBe(200);
    const polled = await token(service, hosts.a, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(device.json().device_code),
      ...asSigned(make()),
    });
    expectJsonError(polled, 400, 'authorization_pending');
    const refreshToken = String(next.refresh_token);
    const revoked = await revoke(service, hosts.a, { token: refreshToken, ...asSigned(make()) });
    expect(revoked.status, revoked.text).toBe(200);
    const dead = { refresh_token: refreshToken, grant_type: 'refresh_token', ...asSigned(make()) };
    expectJsonError(await token(service, hosts.a, dead), 400, 'invalid_grant');
  });

  it('I53: for a request that it pushes, once', async () => {
    await registerSigned(service, hosts.a, 'pushing', [pair], { pushedRequests: 'required' });
    const parameters = authorizationParameters('pushing', 'https://app.test/cb', pkce());
    const body = { ...parameters, ...asSigned(make({ iss: 'pushing', sub: 'pushing' })) };
    const push = () => service.http(hosts.a, '/api/oidc/par', { body });
    expect((await push()).status).toBe(201);
    expectJsonError(await push(), 401, 'invalid_client');
  });

  it('I53: a refused one burns no code', async () => {
    const { code, verifier } = await codeFor(visitor(service, hosts.a), 'signed', 'https://app.test/cb');
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const wrong = await token(service, hosts.a, { ...fields, ...asSigned(make({ aud: 'x' })) });
    expectJsonError(wrong, 401, 'invalid_client');
    const right = await token(service, hosts.a, { ...fields, ...asSigned(make()) });
    expect(right.status, right.text).toBe(200);
  });
});
