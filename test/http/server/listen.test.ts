import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../src/http/server/http-server.ts';
import { StartupError } from '../../../src/system/startup-error.ts';
import { expectSecurityHeaders } from '../../support/expected/expectations.ts';
import { loopbackAddresses, rawExchange, rawSocket } from '../../support/process/raw-socket.ts';
import { freePort, startTestService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

describe.each(loopbackAddresses)('localhost, asked at %s', (address) => {
  const service = useService({ data: 'security' });

  it.each([
    [400, 'a folded header', 'GET / HTTP/1.1\r\nHost: a.test\r\nX: 1\r\n 2\r\n\r\n'],
    [431, 'too long a head', `GET / HTTP/1.1\r\nHost: a.test\r\nX: ${'x'.repeat(33 * 1_024)}\r\n\r\n`],
    [400, 'no Host', 'GET / HTTP/1.1\r\n\r\n'],
    [417, 'an unknown Expect', 'GET / HTTP/1.1\r\nHost: a.test\r\nExpect: wonders\r\n\r\n'],
  ])('H4, W2: answers %i with the headers of every answer: %s', async (status, _what, text) => {
    const answer = await rawExchange(service.port, text, address);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expectSecurityHeaders(answer);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it('serves its tenants', async () => {
    const ask = 'GET /.well-known/openid-configuration HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n';
    expect(await rawExchange(service.port, ask, address)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('H14: gives a head that does not end its time, and no more', async () => {
    const slow = fastify({
      clientErrorHandler: (_error, socket) => socket.end('too slow'),
      http: { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 },
    });
    const port = await freePort();
    await listen(slow, { host: 'localhost', port });
    expect(await rawExchange(port, 'GET / HTTP/1.1\r\n', address)).toBe('too slow');
    await slow.close();
  });

  it('is closed when the service has stopped, and so are idle connections', async () => {
    const stopping = await startTestService({ data: 'security' });
    const idle = await rawSocket(stopping.port, address);
    idle.write('GET /livez HTTP/1.1\r\nHost: a.test\r\n\r\n');
    await idle.until(/live\n$/);
    await stopping.stop();
    await idle.closed;
    const again = once(connect({ port: stopping.port, host: address }), 'connect');
    await expect(again).rejects.toThrow('ECONNREFUSED');
  });
});

it.each(['192.0.2.7', '2001:db8::1', 'nobody.invalid', '[::1]'])(
  'the host %s, which is not of this machine, is one clear line',
  async (host) => {
    const app = fastify();
    await expect(listen(app, { host, port: await freePort() })).rejects.toThrow(
      new StartupError(`${host} is no address of this machine. Choose another with MEMBERDOOR_HOST.`),
    );
    await app.close();
  },
);

it('a port that another program has at one of the addresses of localhost is said to be in use, and none stays open', async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) =>
    other.listen({ port, host: loopbackAddresses.at(-1), ipv6Only: true }, resolve),
  );
  const app = fastify();
  await expect(listen(app, { host: 'localhost', port })).rejects.toThrow(
    `The port ${port} is in use. Choose another with MEMBERDOOR_PORT.`,
  );
  expect(app.server.listening).toBe(false);
  await new Promise((resolve) => other.close(resolve));
});
