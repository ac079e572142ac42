import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { connectionsCheckingInterval, slowReader } from '../../../src/core/limits.ts';
import { connectionsOf } from '../../../src/http/server/connections.ts';
import { letGoOfSlowReaders } from '../../../src/http/server/slow-readers.ts';
import { freePort } from '../../support/service.ts';

const chunk = Buffer.alloc(64 * 1_024);
const chunks = 1_024;

it('H14: who reads an answer a bit now and then loses the connection within 30 s, not the one who reads', async () => {
  expect(slowReader.time + 2 * connectionsCheckingInterval).toBeLessThanOrEqual(30_000);
  const app = fastify();
  letGoOfSlowReaders(app, connectionsOf(app.server), { time: 200, bytes: chunk.length }, 20);
  app.get('/', async () => Readable.from(Array.from({ length: chunks }, () => chunk)));
  const port = await freePort();
  await app.listen({ host: '127.0.0.1', port });
  const ask = () => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n');
    return socket;
  };

  const slow = ask();
  const sips = setInterval(() => slow.read(1), 30);
  slow.pause();
  const [served] = (await once(app.server, 'connection')) as [Socket];
  await once(served, 'close');
  clearInterval(sips);
  expect(served.writableFinished).toBe(false);
  slow.destroy();

  let taken = 0;
  const quick = ask().on('data', (chunk: Buffer) => {
    taken += chunk.length;
  });
  await once(quick, 'close');
  expect(taken).toBeGreaterThan(chunks * chunk.length);
  await app.close();
});
