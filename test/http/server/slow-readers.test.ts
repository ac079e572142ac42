import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { connectionsCheckingInterval, slowReader, unsentBytes } from '../../../src/core/limits.ts';
import { connectionsOf } from '../../../src/http/server/connections.ts';
import { letGoOfSlowReaders } from '../../../src/http/server/slow-readers.ts';
import { handSchedule } from '../../support/hand-schedule.ts';
import { freePort } from '../../support/service.ts';

const chunk = Buffer.alloc(64 * 1_024);
const chunks = 1_024;

it('H14: a client that reads a bit now and then loses the connection within 30 s; one that reads does not', async () => {
  expect(slowReader.time + 2 * connectionsCheckingInterval).toBeLessThanOrEqual(30_000);
  const app = fastify();
  const { schedule, comes } = handSchedule();
  let time = 0;
  const limits = { time: slowReader.time, bytes: chunk.length, interval: 20, unsent: unsentBytes };
  letGoOfSlowReaders(app, connectionsOf(app.server), limits, { now: () => time, schedule });
  /** So much time goes by (ms), and the service looks. */
  const passes = (ms: number) => {
    time += ms;
    return comes();
  };
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
  slow.pause();
  const [served] = (await once(app.server, 'connection')) as [Socket];
  while (served.writableLength === 0) await new Promise(setImmediate);
  while (!served.destroyed) {
    slow.read(1);
    await passes(slowReader.time / 10);
    await new Promise(setImmediate);
  }
  expect(served.writableFinished).toBe(false);
  slow.destroy();

  let taken = 0;
  // The whole of it takes longer than a connection may stand; the system's buffers hide some megabytes of what is read.
  for await (const read of ask()) {
    taken += read.length;
    await passes(((2 * slowReader.time) / chunks) * (read.length / chunk.length));
  }
  expect(taken).toBeGreaterThan(chunks * chunk.length);
  await app.close();
});

it('F9: where more waits to be sent than the service holds, those who have stood longest lose the connection', async () => {
  const app = fastify();
  // The system buffers some MB of what is not read, and what it took no longer waits with us.
  const answer = Buffer.alloc(16 * 1_024 ** 2);
  const unsent = 3.5 * answer.length;
  letGoOfSlowReaders(app, connectionsOf(app.server), { ...slowReader, interval: 60_000, unsent });
  app.get('/', async () => answer);
  const port = await freePort();
  await app.listen({ port, host: '127.0.0.1' });
  const ask = async () => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n');
    const [{ socket: served }] = (await once(app.server, 'request')) as [IncomingMessage];
    while (served.writableLength === 0) await new Promise(setImmediate);
    return { socket, served };
  };
  const first = await ask();
  const second = await ask();
  const third = await ask();
  expect([first, second, third].map(({ served }) => served.destroyed)).toEqual([false, false, false]);
  // Who begins to read is no longer the one who has stood longest.
  first.socket.resume();
  while (first.served.writableLength > 0) await new Promise(setImmediate);
  const fourth = await ask();
  expect([first, second, fourth].map(({ served }) => served.destroyed)).toEqual([false, false, false]);
  const fifth = await ask();
  // Room for as much again: not every answer of a flood looks through all that wait.
  const all = [first, second, third, fourth, fifth];
  expect(all.map(({ served }) => served.destroyed)).toEqual([false, true, true, true, false]);
  for (const { socket } of all) socket.destroy();
  await app.close();
});
