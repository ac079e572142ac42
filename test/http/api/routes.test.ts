import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiRoutes } from '../../../src/http/api/member-api.ts';
import { developmentMembers } from '../../../src/operations/development/members.ts';
import { disableMember } from '../../../src/operations/member/member.ts';
import { type Api, apiOf, bearer, profileUrl } from '../../support/api.ts';
import { expectJsonError } from '../../support/expected/expectations.ts';
import type { Ask } from '../../support/http.ts';
import { type ApiCall, addresses, expectValid, operations, validatorOf } from '../../support/openapi.ts';
import { apps, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { visitor } from '../../support/visitor.ts';

const apiHost = 'api.test';
const origin = 'http://localhost:9879';

const service = useService({ data: 'development', apiHost });
let acme: Api;

beforeAll(() => {
  acme = apiOf(service, 'localhost');
});

const send = ({ method, address, body }: ApiCall, headers: Ask['headers'], host = acme.host) =>
  service.http(host, address, {
    method,
    headers: { ...(body === null ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });

it('the schemas of all routes are schemas, which no start checks', () => {
  const ajv = new Ajv({ strict: false, logger: false });
  const held = [...apiRoutes.values()].flatMap((routes) =>
    routes.flatMap(({ params, querystring, body, answer }) => [params, querystring, body, answer]),
  );
  const schemas = held.filter((schema) => schema !== undefined);
  expect(schemas.length).toBeGreaterThan(10);
  expect(schemas.filter((schema) => ajv.validateSchema(schema) !== true)).toEqual([]);
  expect(ajv.validateSchema({ type: 'member' })).toBe(false);
});

/** On the API's own host no tenant is known yet, whose document could be named (RFC 9728). */
const challenge =
  /^Bearer realm="memberdoor"(?:, resource_metadata="[^"]+\/\.well-known\/oauth-protected-resource\/api\/v1")?$/;

describe.each(operations)('$name', (operation) => {
  it('M2: without a token is 401, before anything else is looked at', async () => {
    const validate = validatorOf('Error');
    for (const host of [acme.host, apiHost, `${apiHost}:443`]) {
      const bare = await service.http(host, operation.address, { method: operation.method });
      for (const answer of [bare, await send(operation, {}, host)]) {
        expect(answer.status).toBe(401);
        expect(answer.headers['www-authenticate']).toMatch(challenge);
        expect(answer.headers['cache-control']).toBe('no-store');
        expect(answer.headers['x-content-type-options']).toBe('nosniff');
        expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
        expectValid(validate, answer);
      }
    }
  });

  it('M8: with a token that is not ours is 401', async () => {
    const answer = await send(operation, bearer('x.y.z'));
    expectJsonError(answer, 401, 'invalid_token');
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/);
  });

  it('M19: answers as described, and no cache keeps it', async () => {
    const validate = validatorOf(operation.schema);
    const everybody = developmentMembers.filter(({ status }) => status !== 'disabled');
    const who = operation.operationId.startsWith('explain')
      ? ['tina@example.com', 'sam@example.com']
      : everybody.map(({ email }) => email);
    for (const email of who) {
      const answer = await send(operation, bearer(await acme.token(email)));
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      });
      expectValid(validate, answer);
    }
  });

  it("decision 2: is served on the API's own host", async () => {
    const headers = bearer(await acme.token('tina@example.com'));
    const answer = await send(operation, headers, apiHost);
    expect(answer.status).toBe(200);
    // What explains a moment tells which one it was.
    if (operation.operationId.startsWith('explain')) return;
    expect(answer.text).toBe((await send(operation, headers)).text);
  });

  it('decision 27: a token without offline_access ends with its browser session', async () => {
    const browser = visitor(service, acme.host);
    const how = { browser, email: 'tina@example.com', more: { scope: 'openid' } };
    const headers = bearer((await tokensOf(service, acme.host, apps.spa, how)).access_token);
    expect((await send(operation, headers)).status).toBe(200);
    await browser.send('/api/oidc/session/end?client_id=web');
    expectJsonError(await send(operation, headers), 401, 'invalid_token');
  });

  it('decision 28: a disabled member is let in no more', async () => {
    const eve = await acme.member('eve@example.com');
    const token = await acme.tokenWith('tina@example.com', { sub: eve.id });
    expectJsonError(await send(operation, bearer(token)), 401, 'invalid_token');
  });

  it('H10: a registered origin may read the answer, errors too, and no other', async () => {
    const token = bearer(await acme.token('tina@example.com'));
    for (const host of [acme.host, apiHost]) {
      for (const headers of [token, {}]) {
        const answer = await send(operation, { ...headers, origin }, host);
        expect(answer.headers['access-control-allow-origin']).toBe(origin);
        expect(answer.headers.vary).toBe('origin');
        const foreign = await send(operation, { ...headers, origin: 'https://evil.test' }, host);
        expect(foreign.headers['access-control-allow-origin']).toBeUndefined();
        expect(foreign.headers.vary).toBe('origin');
      }
    }
  });
});

describe.each(addresses)('$address', ({ address, methods }) => {
  it('H7: serves its own methods, and answers the others with 405 and what it serves', async () => {
    const allow = ['GET', 'HEAD', ...methods.filter((method) => method !== 'GET'), 'OPTIONS'];
    const headers = bearer(await acme.token('tina@example.com'));
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !allow.includes(name))) {
      for (const host of [acme.host, apiHost]) {
        const answer = await service.http(host, address, { method, headers });
        expectJsonError(answer, 405, 'invalid_request');
        expect(answer.headers.allow).toBe(allow.join(', '));
      }
    }
  });

  it('H9: answers HEAD with the headers of GET and no body', async () => {
    const headers = bearer(await acme.token('tina@example.com'));
    const {
      date: _get,
      'request-id': _ofGet,
      'memberdoor-time': _timeOfGet,
      ...expected
    } = (await service.http(acme.host, address, { headers })).headers;
    const head = await service.http(acme.host, address, { method: 'HEAD', headers });
    const { date: _head, 'request-id': _ofHead, 'memberdoor-time': _timeOfHead, ...found } = head.headers;
    expect({ status: head.status, headers: found, text: head.text }).toEqual({
      status: 200,
      headers: expected,
      text: '',
    });
  });

  it('H10: lets the preflights of registered origins through, for its own methods', async () => {
    const preflight = (host: string, from: string) =>
      service.http(host, address, {
        method: 'OPTIONS',
        headers: {
          origin: from,
          'access-control-request-method': methods.at(-1) ?? '',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
    for (const host of [acme.host, apiHost]) {
      const { status, headers } = await preflight(host, origin);
      expect(status).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': methods.join(', '),
        'access-control-allow-headers': 'authorization, content-type',
      });
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      const foreign = await preflight(host, 'https://evil.test');
      expect(Object.keys(foreign.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('errors', () => {
  it('are as described, whatever was wrong', async () => {
    const validate = validatorOf('Error');
    const json = { 'content-type': 'application/json' };
    const consents = `${profileUrl}/consents`;
    const headers = bearer(await acme.token('bo@example.com'));
    const expected: readonly (readonly [number, string, Ask])[] = [
      [400, consents, { method: 'PUT', headers: json, body: '{}' }],
      [403, `${profileUrl}/info-with-content-access/explain?channel=sport`, {}],
      [404, `${consents}/nothing`, {}],
      [413, consents, { method: 'PUT', headers: json, body: ' '.repeat(20_000) }],
      [415, consents, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'x' }],
    ];
    for (const [status, address, ask] of expected) {
      const answer = await service.http(acme.host, address, {
        ...ask,
        headers: { ...headers, ...ask.headers },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers['cache-control']).toBe('no-store');
      expectValid(validate, answer);
    }
  });

  it('decision 28: a member disabled after the token was issued is 401 at once', async () => {
    const ida = await acme.member('ida@example.com');
    const headers = bearer(await acme.token('ida@example.com'));
    const profile = () => service.http(acme.host, `${profileUrl}/info-with-content-access`, { headers });
    expect((await profile()).status).toBe(200);
    await service.store.transaction((tx) => disableMember(tx, acme.tenant.id, ida.id, service.clock.now()));
    expectJsonError(await profile(), 401, 'invalid_token');
  });
});

describe('a request without a token', () => {
  it.each([
    ['a body that is no JSON', 'application/json', '{'],
    ['a body of another type', 'text/plain', 'x'],
    ['a body that is too long', 'application/json', ' '.repeat(20_000)],
  ])('M2: is told so before anything of %s', async (_what, type, body) => {
    const answer = await service.http(acme.host, `${profileUrl}/consents`, {
      method: 'PUT',
      headers: { 'content-type': type },
      body,
    });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(challenge);
  });
});
