import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  askForCode,
  codesFor,
  devicePath,
  type Phone,
  phoneOf,
  startUnlimited,
  textOf,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { allRows } from '../../../support/records/rows.ts';
import { apps } from '../../../support/tokens.ts';
import { useStarted } from '../../../support/use-service.ts';

const service = useStarted(startUnlimited);
let phone: Phone;

beforeAll(async () => {
  phone = await phoneOf(service, hosts.a);
});

const codesStored = async () => (await allRows(service)).deviceCodes?.length;
const ask = (more: Record<string, string>) => askForCode(service, hosts.a, apps.pub1, more);

/** Holds a request to being refused before anything was issued. */
const expectRefused = async (send: () => Promise<Answer>, status: number, error: string) => {
  const before = await codesStored();
  expectJsonError(await send(), status, error);
  expect(await codesStored()).toBe(before);
};

describe('the answer', () => {
  it('D1: a client with the device flow gets the six fields of the contract, never stored', async () => {
    const answer = await ask({});
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    const { device_code: deviceCode, user_code: userCode, ...rest } = answer.json();
    expect(userCode).toMatch(/^\d{3} \d{3}$/);
    // 256 bits in base64url.
    expect(deviceCode).toMatch(/^[\w-]{43}$/);
    expect(rest).toEqual({
      verification_uri: 'https://a.test/device',
      verification_uri_complete: `https://a.test/device?user_code=${encodeURIComponent(String(userCode))}`,
      expires_in: 900,
      interval: 5,
    });
  });

  it('D17: parameters of other names, also ours of the answer, are ignored', async () => {
    const answer = await ask({
      ip: '1.2.3.4',
      location: 'Oslo',
      interval: '0',
      expires_in: '99999',
      user_code: '000000',
      device_code: 'chosen',
    });
    expect(answer.status).toBe(200);
    const { user_code: userCode, device_code: deviceCode, expires_in, interval } = answer.json();
    expect({ expires_in, interval }).toEqual({ expires_in: 900, interval: 5 });
    expect(userCode).not.toBe('000 000');
    expect(deviceCode).not.toBe('chosen');
    const page = textOf(await phone.open(String(userCode)));
    expect(page).toContain('127.0.0.1');
    expect(page).not.toMatch(/1\.2\.3\.4|Oslo/);
  });

  it('decision 31: neither code is stored in clear, nor the user code by a hash without a key', async () => {
    const { user_code: userCode, device_code: deviceCode } = await codesFor(service, hosts.a);
    const stored = JSON.stringify((await allRows(service)).deviceCodes);
    const digits = userCode.replace(' ', '');
    for (const text of [digits, userCode]) {
      expect(stored).not.toContain(`"${text}"`);
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        expect(stored).not.toContain(createHash('sha256').update(text).digest(encoding));
      }
    }
    expect(stored).not.toContain(deviceCode);
  });
});

describe('the client', () => {
  it('D2: an unknown client_id is invalid_client', () =>
    expectRefused(() => askForCode(service, hosts.a, { clientId: 'nobody' }), 401, 'invalid_client'));

  it.each([{}, { client_id: '' }])('D2: a request without a client_id %o is invalid_request', (client) =>
    expectRefused(
      () => service.http(hosts.a, devicePath, { body: { scope: 'openid offline_access', ...client } }),
      400,
      'invalid_request',
    ),
  );

  it('D3: a public client that sends a secret is invalid_client and gets no code', () =>
    expectRefused(() => ask({ client_secret: 'x' }), 401, 'invalid_client'));

  it('D4: a confidential client without its secret is invalid_client', () =>
    expectRefused(() => askForCode(service, hosts.a, { clientId: 'conf1' }), 401, 'invalid_client'));

  it('D4: a confidential client with a wrong secret is invalid_client', () =>
    expectRefused(
      () => askForCode(service, hosts.a, { clientId: 'conf1', secret: 'wrong' }),
      401,
      'invalid_client',
    ));

  it('D4: a confidential client with its secret gets codes', async () => {
    expect((await askForCode(service, hosts.a, apps.conf1)).status).toBe(200);
  });

  it('D5: a client without the device flow is invalid_request', () =>
    expectRefused(() => askForCode(service, hosts.a, { clientId: 'nodev' }), 400, 'invalid_request'));
});

describe('a tenant without the device flow', () => {
  const form = 'application/x-www-form-urlencoded';
  it.each([
    ['a request in order', 'POST', form, 'client_id=pub1&scope=openid'],
    ['a client that is not known', 'POST', form, 'client_id=nobody'],
    ['nothing', 'POST', form, ''],
    ['a malformed form', 'POST', form, '%ff=%zz'],
    ['JSON', 'POST', 'application/json', '{"client_id":"pub1"}'],
    ['another type', 'POST', 'text/plain', 'client_id=pub1'],
    ['a body that is too large', 'POST', form, 'a'.repeat(20_000)],
    ['GET', 'GET', '', undefined],
    ['HEAD', 'HEAD', '', undefined],
    ['OPTIONS', 'OPTIONS', '', undefined],
    ['PUT', 'PUT', form, 'client_id=pub1'],
    ['DELETE', 'DELETE', '', undefined],
  ])('D6: the endpoint does not exist there: 404 to %s', async (_what, method, type, body) => {
    const answer = await service.http(hosts.c, devicePath, {
      method,
      headers: type === '' ? {} : { 'content-type': type },
      ...(body === undefined ? {} : { body }),
    });
    expect(answer.status).toBe(404);
  });

  it('D6: its discovery document names neither the endpoint nor revocation', async () => {
    const { status, text } = await service.http(hosts.c, '/.well-known/openid-configuration');
    expect(status).toBe(200);
    expect(JSON.parse(text)).not.toHaveProperty('device_authorization_endpoint');
    expect(JSON.parse(text)).not.toHaveProperty('revocation_endpoint');
    const there = (await service.http(hosts.a, '/.well-known/openid-configuration')).json();
    expect(there).toMatchObject({
      device_authorization_endpoint: 'https://a.test/api/oidc/device/auth',
      revocation_endpoint: 'https://a.test/api/oidc/token/revocation',
    });
  });

  it('D6: its device pages do not exist either', async () => {
    expect((await service.http(hosts.c, '/device')).status).toBe(404);
    expect((await service.http(hosts.c, '/device/approve', { body: {} })).status).toBe(404);
  });
});
