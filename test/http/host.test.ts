import { describe, expect, it } from 'vitest';
import { hosts } from '../support/fixtures.ts';
import { rawExchange } from '../support/process/raw-socket.ts';
import { allRows } from '../support/records/rows.ts';
import type { TestService } from '../support/service.ts';
import { serviceForTest, useService } from '../support/use-service.ts';
import { authorizationParameters, codeFor, pkce, visitor } from '../support/visitor.ts';

const discovery = '/.well-known/openid-configuration';
const parameters = authorizationParameters('pub1', 'https://pub1.test/cb', pkce());

const service = useService({ data: 'security' });

/** The addresses that the log names for the requests since a line. */
const loggedAddresses = ({ logLines }: TestService, since: number) =>
  logLines
    .slice(since)
    .map((line) => JSON.parse(line) as { msg: string; address?: string })
    .filter(({ msg }) => msg === 'request')
    .map(({ address }) => address);

describe('an unknown Host', () => {
  it.each([
    'unknown.test',
    'a.test.evil.test',
    'evil-a.test',
    'a.test.',
    'a.test:8443',
    'user@a.test',
    'a.test/b.test',
    'localhost',
    '127.0.0.1',
    '',
  ])('X7: %j is 404 at every address, and learns no name', async (host) => {
    for (const path of [discovery, '/api/oidc/jwks', '/api/oidc/auth', '/sign-in', '/account', '/', '/x']) {
      const answer = await service.http(host, path);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 404, text: 'Not found\n' });
      expect(JSON.stringify(answer.headers)).not.toMatch(/tenant|[abc]\.test|memberdoor/i);
    }
    for (const path of ['/api/oidc/token', '/api/oidc/token/revocation', '/sign-in']) {
      expect((await service.http(host, path, { body: { client_id: 'pub1' } })).status).toBe(404);
    }
  });

  it('X7: none at all is 404 in HTTP/1.0, and a malformed request in HTTP/1.1', async () => {
    expect(await rawExchange(service.port, `GET ${discovery} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 404 /);
    expect(await rawExchange(service.port, `GET ${discovery} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('X7: in the Host header is not outdone by a known host in the request line', async () => {
    const request = `GET https://a.test${discovery} HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n`;
    expect(await rawExchange(service.port, request)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it("decision 1: a known one is known in any case, and with its scheme's own port", async () => {
    for (const host of ['A.Test', 'a.test:443', 'a.test:80']) {
      expect((await service.http(host, discovery)).json().issuer).toBe('https://a.test');
    }
  });
});

describe('forwarded headers of a peer that is not trusted', () => {
  const forwarded: readonly Record<string, string>[] = [
    { 'x-forwarded-host': 'b.test' },
    { 'x-forwarded-host': 'evil.test' },
    { forwarded: 'for=1.2.3.4;host=b.test;proto=http' },
    { 'x-original-url': '/api/oidc/jwks' },
    { 'x-rewrite-url': '/api/oidc/jwks' },
    { 'x-forwarded-proto': 'http' },
    { 'x-forwarded-port': '8080', 'x-forwarded-prefix': '/evil', 'x-http-method-override': 'DELETE' },
  ];

  it.each(forwarded)('X8: %j changes neither discovery nor Location nor cookies', async (headers) => {
    const plain = await service.http(hosts.a, discovery);
    expect((await service.http(hosts.a, discovery, { headers })).text).toBe(plain.text);
    const address = `/api/oidc/auth?${new URLSearchParams(parameters)}`;
    const answer = await service.http(hosts.a, address, { headers });
    expect(answer.headers.location).toMatch(/^\/sign-in\?flow=/);
    for (const line of answer.headers['set-cookie'] ?? []) expect(line).toMatch(/^__Host-.*; Secure/);
    expect(answer.headers['strict-transport-security']).toMatch(/max-age=\d{8}/);
  });

  it('X8: brings no unknown host to a tenant', async () => {
    const headers = { 'x-forwarded-host': hosts.a, forwarded: `host=${hosts.a}` };
    expect((await service.http('evil.test', discovery, { headers })).status).toBe(404);
  });

  it.each([
    'a',
    Array.from({ length: 100 }, (_, n) => `10.0.0.${n}`).join(', '),
    '127.0.0.1',
    '10.9.8.7',
    "'",
  ])(
    'X9: X-Forwarded-For: %s leaves the sign-in working, and the peer is what is logged and kept',
    async (address) => {
      const since = service.logLines.length;
      const browser = visitor(service, hosts.a);
      const send = browser.send;
      const headers = { 'x-forwarded-for': address, 'x-real-ip': '10.9.8.7' };
      const page = await send(
        (await send(`/api/oidc/auth?${new URLSearchParams(parameters)}`, { headers })).headers.location ?? '',
        { headers },
      );
      expect((await browser.signIn(page, 'u1@example.test')).status).toBe(303);
      await send('/account', { headers });
      expect(new Set(loggedAddresses(service, since))).toEqual(new Set(['127.0.0.1']));
      const { sessions = [] } = await allRows(service);
      expect(new Set(sessions.map((row) => (row as { ipAddress: string }).ipAddress))).toEqual(
        new Set(['127.0.0.1']),
      );
    },
  );
});

describe('forwarded headers of a configured proxy', () => {
  it('decision 1: name the client, but never the tenant', async () => {
    const behind = await serviceForTest({ data: 'security', trustedProxies: ['127.0.0.1'] });
    const headers = {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': hosts.b,
      'x-forwarded-proto': 'http',
    };
    const since = behind.logLines.length;
    const answer = await behind.http(hosts.a, discovery, { headers });
    await codeFor(visitor(behind, hosts.a), 'pub1', 'https://pub1.test/cb');
    expect(answer.json().issuer).toBe('https://a.test');
    expect(loggedAddresses(behind, since)[0]).toBe('203.0.113.7');
  });

  it('Defaults: the ports of one client are one address, and what is no address is the peer’s own', async () => {
    const behind = await serviceForTest({ data: 'security', trustedProxies: ['127.0.0.1'] });
    const since = behind.logLines.length;
    const told = ['203.0.113.6:40001', '203.0.113.6:40002', '[2001:db8::1]:40001', 'x'.repeat(3_000)];
    for (const address of told) {
      await behind.http(hosts.a, '/account', { headers: { 'x-forwarded-for': address } });
    }
    // The last line of the log is written before the service is down.
    await behind.stop();
    expect(loggedAddresses(behind, since)).toEqual([
      '203.0.113.6',
      '203.0.113.6',
      '2001:db8::1',
      '127.0.0.1',
    ]);
  });
});
