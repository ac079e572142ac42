import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectJsonError } from '../support/expected/expectations.ts';
import { hosts, secrets } from '../support/fixtures.ts';
import { run } from '../support/operators/desk.ts';
import { rawExchange } from '../support/process/raw-socket.ts';
import { allRows } from '../support/records/rows.ts';
import { useService } from '../support/use-service.ts';
import { codeFor, refresh, token, tokensFor, type Visitor, visitor } from '../support/visitor.ts';

const tok = '/api/oidc/token';
const rev = '/api/oidc/token/revocation';
const dev = '/api/oidc/device/auth';
const profile = '/api/v1/members/profile/info-with-active-subscriptions';
const form = 'application/x-www-form-urlencoded';

const service = useService({ data: 'security' });
let browser: Visitor;

beforeAll(() => {
  browser = visitor(service, hosts.a);
});
// A minute between the tests: what they fail on purpose must not add up to a limit of failures a minute.
beforeEach(() => service.clock.advance(60_000));

const fieldsOf = async (): Promise<Record<string, string>> => {
  const { code, verifier } = await codeFor(browser, 'pub1', 'https://pub1.test/cb');
  return { grant_type: 'authorization_code', client_id: 'pub1', code, code_verifier: verifier };
};

describe('the token endpoint', () => {
  it.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain', undefined])(
    'H1: a body of type %s is invalid_request, and nothing is consumed',
    async (type) => {
      const fields = await fieldsOf();
      const body = type === 'application/json' ? JSON.stringify(fields) : `${new URLSearchParams(fields)}`;
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      expectJsonError(await service.http(hosts.a, tok, { body, headers }), 400, 'invalid_request');
      expect((await token(service, hosts.a, fields)).status).toBe(200);
    },
  );

  it('H1: no body at all is invalid_request', async () => {
    expectJsonError(await service.http(hosts.a, tok, { method: 'POST' }), 400, 'invalid_request');
    const empty = { method: 'POST', headers: { 'content-type': form } };
    expectJsonError(await service.http(hosts.a, tok, empty), 400, 'invalid_request');
  });

  it.each([`${form}; charset=UTF-8`, `${form};charset=utf-8`, 'Application/X-WWW-Form-Urlencoded'])(
    'H1: a form may say its type as %s',
    async (type) => {
      const body = `${new URLSearchParams(await fieldsOf())}`;
      const answer = await service.http(hosts.a, tok, { body, headers: { 'content-type': type } });
      expect(answer.status).toBe(200);
    },
  );

  it.each(['client_id[]=pub1', 'client_id[x]=pub1', 'client_id=pub1&client_id=pub2', 'client_id%00=pub1'])(
    'H6: %s names no client and is invalid_request',
    async (wrong) => {
      const { client_id: _, ...fields } = await fieldsOf();
      const body = `${new URLSearchParams(fields)}&${wrong}`;
      const answer = await service.http(hosts.a, tok, { body, headers: { 'content-type': form } });
      expectJsonError(answer, 400, 'invalid_request');
      expect((await token(service, hosts.a, { ...fields, client_id: 'pub1' })).status).toBe(200);
    },
  );

  it('H6: parameters in the address are not read', async () => {
    const { code = '', ...fields } = await fieldsOf();
    const beside = await service.http(hosts.a, `${tok}?code=${code}`, { body: fields });
    expectJsonError(beside, 400, 'invalid_request');
    const other = await service.http(hosts.a, `${tok}?client_id=pub2&client_secret=x`, {
      body: { ...fields, code },
    });
    expect(other.status).toBe(200);
  });

  it.each(['%ff', '%zz', 'a%', '%c3%28', '\ufffd'])(
    'H6: %j is no form encoding of UTF-8 and invalid_request',
    async (text) => {
      const body = `${new URLSearchParams(await fieldsOf())}&x=${text}`;
      const answer = await service.http(hosts.a, tok, { body, headers: { 'content-type': form } });
      expectJsonError(answer, 400, 'invalid_request');
    },
  );

  it.each(['text/html', '*/*', undefined, 'application/xml', 'application/json;q=0', 'garbage/;;'])(
    'H16: answers JSON to Accept: %s',
    async (accept) => {
      const headers: Record<string, string> = accept === undefined ? {} : { accept };
      const refused = await token(service, hosts.a, { grant_type: 'password' }, headers);
      expectJsonError(refused, 400, 'unsupported_grant_type');
      const answer = await token(service, hosts.a, await fieldsOf(), headers);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(answer.json()).toHaveProperty('access_token');
    },
  );
});

describe('methods', () => {
  it.each(
    [tok, rev, dev].flatMap((path) =>
      ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, path] as const),
    ),
  )('H7: %s %s is 405 with Allow, and does nothing', async (method, path) => {
    const { refresh_token: secret = '' } = await tokensFor(service, hosts.a, {}, browser);
    const before = await allRows(service);
    const query = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'pub1',
      refresh_token: secret,
      token: secret,
    });
    const answer = await service.http(hosts.a, `${path}?${query}`, {
      method,
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: query }),
    });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toContain('POST');
    if (method !== 'HEAD') expectJsonError(answer, 405, 'invalid_request');
    expect(await allRows(service)).toEqual(before);
    expect((await refresh(service, hosts.a, secret)).status).toBe(200);
    expect(service.logLines.join('')).not.toContain(secret);
  });

  it.each(['QUERY', 'TRACE', 'PROPFIND', 'CONNECT', 'BREW'])(
    'H7: %s is refused, never with a page, and does nothing',
    async (method) => {
      const before = await allRows(service);
      for (const path of [tok, rev, dev]) {
        const answer = await rawExchange(
          service.port,
          `${method} ${path}?client_secret=hunter2 HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`,
        );
        expect(answer).toMatch(/^HTTP\/1\.1 40[045] /);
        expect(answer).not.toMatch(/text\/html|hunter2/);
      }
      expect(await allRows(service)).toEqual(before);
      expect(service.logLines.join('')).not.toContain('hunter2');
    },
  );

  const documents = [
    '/.well-known/openid-configuration',
    '/api/oidc/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/api/oidc/jwks',
    '/api/oidc/me',
    profile,
  ];

  it.each(documents)('H9: HEAD %s has the headers of GET and no body', async (path) => {
    const { access_token: accessToken } = await tokensFor(service, hosts.a, {}, browser);
    const headers = { authorization: `Bearer ${accessToken}` };
    const get = await service.http(hosts.a, path, { headers });
    const head = await service.http(hosts.a, path, { method: 'HEAD', headers });
    const { date: _get, 'request-id': _ofGet, ...expected } = get.headers;
    const { date: _head, 'request-id': _ofHead, ...found } = head.headers;
    expect({ status: head.status, headers: found, text: head.text }).toEqual({
      status: 200,
      headers: expected,
      text: '',
    });
  });
});

describe('a preflight from a stranger', () => {
  const preflight = (path: string, origin = 'https://evil.test') =>
    service.http(hosts.a, path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  const corsOf = (headers: object) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'));

  it.each(['/.well-known/openid-configuration', '/api/oidc/jwks'])(
    'H10: may read %s, without credentials',
    async (path) => {
      const { headers } = await preflight(path);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  it.each([tok, rev, dev, '/api/oidc/me', profile])(
    'H10: may not read %s; a registered origin may only where a script has business',
    async (path) => {
      expect(corsOf((await preflight(path)).headers)).toEqual([]);
      expect(corsOf((await preflight(path, 'null')).headers)).toEqual([]);
      const answer = await service.http(hosts.a, path, {
        method: 'POST',
        headers: { origin: 'https://evil.test' },
      });
      expect(corsOf(answer.headers)).toEqual([]);
    },
  );

  it.each(['/api/oidc/auth', '/api/oidc/session/end', '/sign-in', '/consent', '/account', '/device'])(
    'H10: is told nothing at %s, nor is a registered origin',
    async (path) => {
      for (const origin of ['https://evil.test', 'https://pub1.test']) {
        expect(corsOf((await preflight(path, origin)).headers)).toEqual([]);
        const answer = await service.http(hosts.a, path, { headers: { origin } });
        expect(corsOf(answer.headers)).toEqual([]);
      }
    },
  );
});

describe('a script of a developer’s own machine', () => {
  it('decision 43: may read from any port where its client’s redirect_uri may have any port', async () => {
    const local = { tenant: hosts.a, name: 'Local', type: 'public', webOrigins: ['http://localhost:5173'] };
    const mayRead = async (origin: string) => {
      const answers = await Promise.all(
        [tok, '/api/oidc/me', profile].map((path) => service.http(hosts.a, path, { headers: { origin } })),
      );
      const allowed = answers.map(({ headers }) => headers['access-control-allow-origin'] === origin);
      expect(new Set(allowed).size).toBe(1);
      return allowed[0];
    };
    const web = { clientId: 'local-web', redirectUris: ['https://local.test/cb'] };
    await run(service, 'clients.create', { ...local, ...web });
    expect(await mayRead('http://localhost:5173')).toBe(true);
    expect(await mayRead('http://localhost:4000')).toBe(false);
    const spa = { clientId: 'local-spa', redirectUris: ['http://localhost:5173/cb'] };
    await run(service, 'clients.create', { ...local, ...spa });
    expect(await mayRead('http://localhost:4000')).toBe(true);
    expect(await mayRead('http://127.0.0.1:4000')).toBe(false);
    expect(await mayRead('http://localhost.evil.test:4000')).toBe(false);
  });
});

describe('error bodies', () => {
  it('H17: hold error and error_description alone, and nothing of what was sent', async () => {
    const marker = 'mark"\\<3f9a';
    const bodies: Record<string, string>[] = [
      { grant_type: marker },
      { grant_type: 'authorization_code', client_id: marker, code: marker },
      { grant_type: 'authorization_code', client_id: 'conf1', client_secret: marker, code: marker },
      { grant_type: 'authorization_code', client_id: 'pub1', code: marker, code_verifier: marker },
      { grant_type: 'refresh_token', client_id: 'pub1', refresh_token: marker },
      {
        grant_type: 'refresh_token',
        client_id: 'conf1',
        client_secret: secrets.conf1,
        refresh_token: marker,
      },
      { [marker]: marker },
    ];
    for (const body of bodies) {
      const answer = await service.http(hosts.a, tok, { body });
      expectJsonError(answer, answer.status, answer.json<{ error: string }>().error);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).not.toContain('3f9a');
      expect(JSON.stringify(answer.headers)).not.toContain('3f9a');
    }
  });

  it.each(['/api/oidc/nothing', '/api/v1/members', '/api/'])(
    'H17: an address of the API that is not there is a JSON 404: %s',
    async (path) => expectJsonError(await service.http(hosts.a, path), 404, 'invalid_request'),
  );

  it.each(['/%zz', '/api/oidc/%c0%af', '/sign-in/%'])(
    'H17: an address that cannot be read is 400 and is not repeated: %s',
    async (path) => {
      const answer = await service.http(hosts.a, path);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 400, text: 'Bad request\n' });
    },
  );

  it('H17: no answer names the software', async () => {
    for (const path of [tok, '/sign-in', '/nothing', '/%zz', '/.well-known/openid-configuration']) {
      const answer = await service.http(hosts.a, path);
      expect(answer.headers.server).toBeUndefined();
      expect(answer.headers['x-powered-by']).toBeUndefined();
      expect(answer.text).not.toMatch(/fastify|node\.?js|sqlite|FST_|node_modules/i);
    }
  });
});
