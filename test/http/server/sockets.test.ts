import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectJsonError, expectSecurityHeaders } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import { type RawSocket, rawExchange, rawSocket } from '../../support/process/raw-socket.ts';
import type { TestService } from '../../support/service.ts';
import { serviceForTest, useService } from '../../support/use-service.ts';

const discovery = '/.well-known/openid-configuration';
const head = (line: string, ...headers: string[]) => `${[line, 'Host: a.test', ...headers].join('\r\n')}\r\n`;
const post = (...headers: string[]) =>
  head('POST /api/oidc/token HTTP/1.1', 'Content-Type: application/x-www-form-urlencoded', ...headers);

const service = useService({ data: 'security' });

describe('a body', () => {
  it('H4: of 16 KiB is read, and one byte more is 413', async () => {
    const fits = `grant_type=${'x'.repeat(16 * 1_024 - 11)}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const read = await service.http(hosts.a, '/api/oidc/token', { body: fits, headers });
    expectJsonError(read, 400, 'unsupported_grant_type');
    const refused = await service.http(hosts.a, '/api/oidc/token', { body: `${fits}x`, headers });
    expectJsonError(refused, 413, 'invalid_request');
    expect(refused.headers.connection).toBe('close');
  });

  it('H4: of 100 MB in chunks is cut off after a fraction of it', async () => {
    const socket = await rawSocket(service.port);
    let isOpen = true;
    const closed = socket.closed.finally(() => {
      isOpen = false;
    });
    socket.write(`${post('Transfer-Encoding: chunked')}\r\n`);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    let sent = 0;
    for (; isOpen && sent < 1_600; sent++) {
      socket.write(chunk);
      await new Promise(setImmediate);
    }
    socket.destroy();
    await closed;
    expect(sent).toBeLessThan(400);
    expect((await service.http(hosts.a, discovery)).status).toBe(200);
  });

  it('H4: longer than its Content-Length says is not read on, and the connection closes', async () => {
    const answer = await rawExchange(service.port, `${post('Content-Length: 3')}\r\na=bcdef\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('H4: shorter than its Content-Length says is no request when the sender hangs up', async () => {
    const socket = await rawSocket(service.port);
    socket.write(`${post('Content-Length: 300')}\r\ngrant_type=password`);
    socket.end();
    expect(await socket.closed).not.toContain('unsupported_grant_type');
  });

  it.each([
    ['two lengths', 'Content-Length: 3', 'Content-Length: 4'],
    ['a length and chunks', 'Content-Length: 3', 'Transfer-Encoding: chunked'],
    ['a length that is no number', 'Content-Length: 3x'],
    ['a negative length', 'Content-Length: -1'],
  ])('H4: with %s is refused, and the connection closes', async (_what, ...headers) => {
    const answer = await rawExchange(service.port, `${post(...headers)}\r\na=b`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/^connection: close\r\ncontent-length: 0\r\n\r\n$/im);
  });

  it('H4: a head of more than 32 KiB is 431, and the connection closes', async () => {
    const answer = await rawExchange(
      service.port,
      `${head('GET / HTTP/1.1', `X: ${'x'.repeat(33 * 1_024)}`)}\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('slow senders', () => {
  it('H14: are given 15 s for a request, looked at every 5 s, and 25 s of silence', () => {
    const server = service.app.server as typeof service.app.server & { connectionsCheckingInterval: number };
    expect(server.requestTimeout).toBe(15_000);
    expect(server.headersTimeout).toBeLessThanOrEqual(15_000);
    expect(server.requestTimeout + server.connectionsCheckingInterval).toBeLessThanOrEqual(30_000);
    expect(server.timeout).toBeLessThanOrEqual(30_000);
  });

  it('H14: of heads and bodies, a byte at a time on 500 sockets, lose them while others are served', async () => {
    const slow = await serviceForTest({ data: 'security' });
    // However long it takes to open them all and to ask: none is over before that.
    slow.app.server.requestTimeout = 0;
    slow.app.server.headersTimeout = 0;
    let open = 0;
    slow.app.server.on('connection', (served) => {
      open += 1;
      served.once('close', () => {
        open -= 1;
      });
    });
    const sockets: RawSocket[] = [];
    for (let count = 0; count < 500; count++) {
      const socket = await rawSocket(slow.port);
      socket.write(count % 2 === 0 ? 'GET / HTTP/1.1\r\nX: ' : `${post('Content-Length: 1000')}\r\n`);
      sockets.push(socket);
    }
    const drip = setInterval(() => {
      for (const socket of sockets) socket.write('x');
    }, 50);
    for (let asked = 0; asked < 5; asked += 1) {
      expect((await slow.http(hosts.a, discovery)).status).toBe(200);
    }
    // All of them, and the one that was served.
    expect(open).toBe(sockets.length + 1);
    slow.app.server.requestTimeout = 100;
    slow.app.server.headersTimeout = 100;
    const ends = await Promise.all(sockets.map(({ closed }) => closed));
    clearInterval(drip);
    for (const end of ends) expect(end).toMatch(/^HTTP\/1\.1 408 /);
    expectSecurityHeaders(String(ends[0]));
  });
});

describe('a socket that is kept for the next request', () => {
  /** A service that closes idle sockets as it does, but after so many ms, to the dot. */
  async function impatient(ms: number): Promise<TestService> {
    const started = await serviceForTest({ data: 'security' });
    started.app.server.keepAliveTimeout = ms;
    (started.app.server as { keepAliveTimeoutBuffer?: number }).keepAliveTimeoutBuffer = 0;
    return started;
  }
  const ask = (line: string) => `${head(line)}\r\n`;

  it('H14: is closed after 72 s, later than a proxy would close it', () => {
    expect(service.app.server.keepAliveTimeout).toBe(72_000);
    const caddy = readFileSync(new URL('../../../deploy/Caddyfile', import.meta.url), 'utf8');
    expect(Number(/^\s*keepalive (\d+)s$/m.exec(caddy)?.[1])).toBeLessThan(72);
  });

  it('H14: and idle is closed after that time, without a word', async () => {
    const brief = await impatient(150);
    const socket = await rawSocket(brief.port);
    const sent = performance.now();
    socket.write(ask(`GET ${discovery} HTTP/1.1`));
    const answer = await socket.until(/\}$/);
    expect(await socket.closed).toBe(answer);
    expect(performance.now() - sent).toBeGreaterThanOrEqual(149);
  });

  it('H14: and has a request under way when the time is over is closed after its answer only', async () => {
    const brief = await impatient(100);
    const idle = await rawSocket(brief.port);
    const busy = await rawSocket(brief.port);
    for (const socket of [idle, busy]) {
      socket.write(ask(`GET ${discovery} HTTP/1.1`));
      await socket.until(/\}$/);
    }
    // What holds up the storage holds up the answer, until the idle socket tells that the time is over.
    let release = () => {};
    const held = brief.store.transaction(() => new Promise<void>((resolve) => (release = resolve)));
    const body = 'grant_type=refresh_token&refresh_token=x&client_id=pub1';
    busy.write(`${post(`Content-Length: ${body.length}`)}\r\n${body}`);
    await idle.closed;
    const later = await rawSocket(brief.port);
    later.write(ask(`GET ${discovery} HTTP/1.1`));
    await later.closed;
    release();
    await held;
    expect(await busy.until(/invalid_grant/)).toMatch(/HTTP\/1\.1 400 /);
    await busy.closed;
  });
});

describe('a service that drains', () => {
  it('H21: finishes what is under way, and tells what comes now to come back', async () => {
    const draining = await serviceForTest({ data: 'security' });
    const body = 'grant_type=password';
    const underWay = await rawSocket(draining.port);
    underWay.write(`${post(`Content-Length: ${body.length}`)}\r\n${body.slice(0, 5)}`);
    const late = await Promise.all(
      ['/api/oidc/token', '/sign-in', discovery].map(async (path) => {
        const socket = await rawSocket(draining.port);
        socket.write(head(`GET ${path} HTTP/1.1`));
        return { path, socket };
      }),
    );
    // By the time this is answered the others have been read, since they came before.
    await draining.http(hosts.a, discovery);
    const stopped = draining.app.close();
    while (draining.app.server.listening) await new Promise(setImmediate);

    underWay.write(body.slice(5));
    expect(await underWay.until(/unsupported_grant_type/)).toMatch(/^HTTP\/1\.1 400 /);
    for (const { path, socket } of late) {
      socket.write('\r\n');
      const answer = await socket.closed;
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
      expect(answer).toMatch(/^retry-after: 5\r$/im);
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(answer).toMatch(/^x-content-type-options: nosniff\r$/im);
      const type = path === '/sign-in' ? /^content-type: text\/html/im : /^content-type: application\/json/im;
      expect(answer).toMatch(type);
    }
    underWay.destroy();
    await stopped;
    await draining.stop();
  });
});

describe('an address', () => {
  it.each(['/account/subscriptions', '/checkout/x', '/sign-in', '/api/oidc/auth?client_id=pub1'])(
    'K2: that names another authority than Host is refused, whatever follows: %s',
    async (path) => {
      for (const target of [`http://evil.test${path}`, `https://a.test${path}`, `//evil.test${path}`]) {
        const answer = await rawExchange(
          service.port,
          `GET ${target} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`,
        );
        expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
        expect(answer).not.toMatch(/^location:/im);
        expect(answer).not.toContain('evil.test');
      }
    },
  );
});
