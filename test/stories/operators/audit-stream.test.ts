import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { command } from '../../support/operators/command.ts';
import { type Started, startProcess } from '../../support/process/started.ts';
import { freePort } from '../../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'memberdoor-stream-'));

async function serviceWith(stream: string, data: string) {
  const settings = {
    MEMBERDOOR_DATA: join(folder, data),
    MEMBERDOOR_PORT: String(await freePort()),
    MEMBERDOOR_AUDIT_STREAM: stream,
  };
  let running: Started = startProcess({ settings });
  onTestFinished(() => running.kill());
  await running.ready;
  return {
    kill: () => running.kill(),
    start: async () => {
      running = startProcess({ settings });
      await running.ready;
    },
    /** Something happens that the audit tells of. */
    act: async (name: string) => {
      const words = ['service-tokens', 'create', '--name', name, '--permissions', 'audit:read'];
      expect((await command(settings.MEMBERDOOR_DATA, words)).code).toBe(0);
    },
  };
}

/** The events of lines and messages that are whole, in their order: one that came again counts once. */
function eventsIn(received: string) {
  const told = received
    .split(/\n|\d+ <\d+>1 /)
    .map((line) => line.slice(line.indexOf('{')))
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as { id: number; event: string });
  return [...new Map(told.map((event) => [event.id, event])).values()];
}

const actedIn = (received: string) =>
  eventsIn(received).filter(({ event }) => event === 'admin_acted').length;

it('the audit of a running service is added to a file, also behind half a line that a killed one left', async () => {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'audit.jsonl');
  const service = await serviceWith(path, 'file');
  const read = () => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  await service.act('one');
  await expect.poll(() => actedIn(read())).toBe(1);
  await service.kill();
  appendFileSync(path, '{"id":99,"ev');
  await service.start();
  await service.act('two');
  await expect.poll(() => actedIn(read())).toBe(2);
  const ids = eventsIn(read()).map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
});

it('the audit of a running service is sent to syslog, and waits for a receiver that is gone', async () => {
  const port = await freePort();
  let received = '';
  const listen = async (): Promise<Server> => {
    const server = createServer({ allowHalfOpen: true }, async (socket) => {
      received += await text(socket);
      socket.end();
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await listen();
  onTestFinished(() => void server.close());
  const service = await serviceWith(`syslog://127.0.0.1:${port}`, 'syslog');
  const acted = () => actedIn(received);
  await service.act('one');
  await expect.poll(acted).toBe(1);
  server.close();
  await service.act('two');
  await service.kill();
  server = await listen();
  await service.start();
  await expect.poll(acted).toBe(2);
  expect(received).toMatch(/^\d+ <\d+>1 \S+ \S+ memberdoor /);
});
