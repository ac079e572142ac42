import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { httpClient } from '../../support/http.ts';
import { startProcess } from '../../support/process/started.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { freePort } from '../../support/service.ts';

it('H21: while the service starts no port is open, and the first request that gets in is served', async () => {
  const port = await freePort();
  const settings = { MEMBERDOOR_DATA: temporaryFolder(), MEMBERDOOR_PORT: String(port) };
  const running = startProcess({ settings });
  let refused = 0;
  while (!(await isOpen(port))) refused += 1;
  const http = httpClient(port);
  const answers = [await http(`localhost:${port}`, '/readyz'), await http(`localhost:${port}`, '/sign-in')];
  http.close();
  await running.ready;
  await running.stop();
  // Migrations and first keys take their time.
  expect(refused).toBeGreaterThan(10);
  expect(answers.map(({ status }) => status)).toEqual([200, 303]);
});

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => setTimeout(() => resolve(false), 5));
    socket.once('connect', () => socket.destroy());
  });
