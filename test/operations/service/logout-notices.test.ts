import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { httpClient } from '../../support/http.ts';
import { command } from '../../support/operators/command.ts';
import { type Started, startProcess } from '../../support/process/started.ts';
import { freePort, type TestService } from '../../support/service.ts';
import { apps, claimsOf, tokensOf } from '../../support/tokens.ts';
import { visitor } from '../../support/visitor.ts';

it('tells a client after the sign-out, and after a kill what was under way', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-told-'));
  const port = await freePort();
  const host = `localhost:${port}`;
  const settings = { MEMBERDOOR_DATA: folder, MEMBERDOOR_PORT: String(port), MEMBERDOOR_LOG_LEVEL: 'warn' };
  const http = httpClient(port, 10);
  const service = { http } as TestService;
  let running: Started = startProcess({ settings });

  const sids: unknown[] = [];
  let isSilent = true;
  const reached = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const receiver = createServer(async (request, reply) => {
    const token = new URLSearchParams(await text(request)).get('logout_token') ?? '';
    sids.push(claimsOf(token).sid);
    reached.resolve();
    if (isSilent) return;
    reply.end();
    told.resolve();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(async () => {
    await running.kill();
    http.close();
    receiver.closeAllConnections();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  });

  await running.ready;
  const uri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/signed-out`;
  const words = [
    'clients',
    'change',
    '--tenant',
    host,
    '--client-id',
    'spa',
    '--backchannel-logout-uri',
    uri,
  ];
  expect(await command(folder, words)).toMatchObject({ code: 0, err: '' });
  const browser = visitor(service, host);
  const { id_token } = await tokensOf(service, host, apps.spa, { browser, email: 'ada@example.com' });
  expect((await browser.send('/api/oidc/session/end')).status).toBe(200);
  expect((await browser.send(`/api/oidc/session/end?id_token_hint=${id_token}`)).status).toBe(200);
  await reached.promise;
  await running.kill();

  isSilent = false;
  running = startProcess({ settings });
  await running.ready;
  await told.promise;
  const { sid } = claimsOf(id_token);
  expect(sids).toEqual([sid, sid]);
  expect(await running.stop()).toBe(0);
});
