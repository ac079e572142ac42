import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fileBodyBytes } from '../../../src/core/limits.ts';
import { type LocalSocket, openSocket } from '../../../src/http/admin/socket.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { defineOperation } from '../../../src/operations/admin/operation.ts';
import { socketPath } from '../../../src/operations/service/command-socket.ts';
import { auditEvents, callApi } from '../../support/operators/api.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
let socket: LocalSocket | null = null;
let path: string;

const open = async (folder = service.folder) => {
  socket = await openSocket(folder, operations, service.deps, service.app.log);
  return socket;
};

beforeAll(() => {
  path = socketPath(service.folder);
});
afterEach(async () => {
  await socket?.close();
  socket = null;
});

/** Asks through the socket, as the command does. */
function ask(method: string, url: string, body?: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request({ socketPath: path, method, path: url, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe('the local socket', () => {
  it('is in the data folder, for its owner alone, while the service runs', async () => {
    await open();
    expect(path).toBe(join(service.folder, 'memberdoor.sock'));
    expect(statSync(path).isSocket()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await socket?.close();
    expect(existsSync(path)).toBe(false);
  });

  it('serves the operations at the addresses of the API to the operator, who may do all of them', async () => {
    await open();
    const before = await auditEvents(service);
    const changed = await ask('PATCH', '/api/v1/admin/tenants/b.test', { brandColor: '#112233' });
    expect({ status: changed.status, color: JSON.parse(changed.text).brandColor }).toEqual({
      status: 200,
      color: '#112233',
    });
    expect((await auditEvents(service)).slice(before.length)).toMatchObject([
      { event: 'admin_acted', actorKind: 'operator', actorId: null, address: null },
    ]);
    expect((await ask('PATCH', '/api/v1/admin/tenants/b.test', { brandColor: 'red' })).status).toBe(400);
    expect((await ask('GET', '/api/v1/admin/tenants/no.test')).status).toBe(404);
    expect(JSON.parse((await ask('GET', '/local/tenants')).text)).toEqual({
      hosts: ['a.test', 'b.test', 'c.test'],
    });
  });

  it('takes as much as an operation asks for, and 16 KiB elsewhere', async () => {
    const takesText = (name: string, more: object) =>
      defineOperation<{ readonly text: string }>({
        name,
        summary: '',
        permission: 'tenants:read',
        reach: 'system',
        method: 'POST',
        path: `/${name}`,
        input: { type: 'object', properties: { text: { type: 'string' } } },
        output: {},
        acts: false,
        run: async (_context, { text }) => ({ length: text.length }),
        ...more,
      });
    const table = [takesText('small', {}), takesText('large', { bodyBytes: fileBodyBytes })];
    socket = await openSocket(service.folder, table, service.deps, service.app.log);
    const send = (url: string, size: number) =>
      ask('POST', `/api/v1/admin${url}`, { text: 'x'.repeat(size - 11) });
    expect((await send('/small', 16 * 1_024)).status).toBe(200);
    expect((await send('/small', 16 * 1_024 + 1)).status).toBe(413);
    expect((await send('/large', fileBodyBytes)).status).toBe(200);
    expect((await send('/large', fileBodyBytes + 1)).status).toBe(413);
  });

  it('does not make a caller on the network the operator', async () => {
    await open();
    expect((await service.http('a.test', '/local/tenants')).status).toBe(404);
    for (const host of ['a.test', 'localhost', '']) {
      const { status } = await callApi(service, { path: '/tenants', host });
      expect([400, 401, 404]).toContain(status);
    }
    expect((await ask('GET', '/sign-in')).status).toBe(404);
  });

  it('takes the place of one that a killed service left', async () => {
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(path, resolve));
    await open();
    expect((await ask('GET', '/local/tenants')).status).toBe(200);
    dead.close();
  });

  it('is not led astray by a link in its place, and what the link leads to stays as it is', async () => {
    const other = join(service.folder, 'other');
    writeFileSync(other, 'untouched', { mode: 0o640 });
    symlinkSync(other, path);
    await open();
    expect(lstatSync(path).isSocket()).toBe(true);
    expect((await ask('GET', '/local/tenants')).status).toBe(200);
    expect(readFileSync(other, 'utf8')).toBe('untouched');
    expect(statSync(other).mode & 0o777).toBe(0o640);
  });

  it('is left out where a folder has its name, and where every user may write', async () => {
    mkdirSync(path);
    expect(await open()).toBeNull();
    rmdirSync(path);
    const folder = join(service.folder, 'everybody');
    mkdirSync(folder);
    chmodSync(folder, 0o1777);
    expect(await open(folder)).toBeNull();
    expect(existsSync(socketPath(folder))).toBe(false);
    expect(service.logLines.at(-1)).toContain('everybody may write');
  });

  it.each([
    ['half a line', 'GET /loc'],
    [
      'half a body',
      'POST /api/v1/admin/tenants HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    ],
    ['nothing', ''],
  ])('stops at once although a client has sent %s, and no other client waits', async (_what, sent) => {
    await open();
    const hanging = connect(path);
    const closed = once(hanging, 'close');
    hanging.on('error', () => {}).resume();
    await once(hanging, 'connect');
    hanging.write(sent);
    expect((await ask('GET', '/local/tenants')).status).toBe(200);
    await socket?.close();
    await closed;
    expect(existsSync(path)).toBe(false);
  });

  it('answers what was asked before it is closed', async () => {
    const [begun, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = defineOperation<object>({
      name: 'slow',
      summary: '',
      permission: 'tenants:read',
      reach: 'system',
      method: 'POST',
      path: '/slow',
      input: { type: 'object', properties: {} },
      output: {},
      acts: false,
      run: async () => {
        begun.resolve();
        await finished.promise;
        return {};
      },
    });
    socket = await openSocket(service.folder, [slow], service.deps, service.app.log);
    const answer = ask('POST', '/api/v1/admin/slow', {});
    await begun.promise;
    const closing = socket?.close();
    finished.resolve();
    expect((await answer).status).toBe(200);
    await closing;
  });

  it('is done without where its path is longer than the system allows, and a line says so', async () => {
    const folder = join(service.folder, 'x'.repeat(100));
    mkdirSync(folder);
    expect(await open(folder)).toBeNull();
    expect(existsSync(socketPath(folder))).toBe(false);
    expect(service.logLines.at(-1)).toContain('no local socket: the path');
  });

  it('is done without where the folder takes no sockets', async () => {
    expect(await open(join(service.folder, 'missing'))).toBeNull();
    expect(service.logLines.at(-1)).toContain('no local socket');
  });
});
