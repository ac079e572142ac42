import fastify from 'fastify';
import { expect, it } from 'vitest';
import { connectionsOf, drain } from '../../../src/http/server/connections.ts';
import { rawSocket } from '../../support/process/raw-socket.ts';
import { freePort } from '../../support/service.ts';

it('Z15: of requests that were sent ahead on one connection each is answered, not the first alone', async () => {
  const app = fastify();
  drain(app, connectionsOf(app.server));
  const ahead = 3;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  let all = () => {};
  const allUnderWay = new Promise<void>((resolve) => (all = resolve));
  let underWay = 0;
  app.get('/', async () => {
    underWay += 1;
    if (underWay === ahead) all();
    await answered;
    return 'done';
  });
  const port = await freePort();
  await app.listen({ port, host: '127.0.0.1' });
  const socket = await rawSocket(port);
  socket.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'.repeat(ahead));
  await allUnderWay;
  const closed = app.close();
  while (app.server.listening) await new Promise(setImmediate);
  answer();
  expect((await socket.closed).match(/done/g)).toHaveLength(ahead);
  await closed;
});
