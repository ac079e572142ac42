import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serviceSource } from '../../src/core/operators/audit-event.ts';
import { type AuditStream, readAuditStream } from '../../src/core/operators/audit-stream.ts';
import { auditDeed } from '../../src/operations/audit/audit.ts';
import { createAuditStream } from '../../src/operations/upkeep/audit-stream.ts';
import { actingAs } from '../../src/storage/operators/audited.ts';
import { systemRandom } from '../../src/system/random.ts';
import { day, now } from '../support/records/records.ts';
import { storeWithMember } from '../support/records/store.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';
import { openShared, sharedDatabase } from '../support/run/test-store.ts';

const machine = { schedule: () => () => {}, random: systemRandom };

/** A service that streams its audit when the test says so; one of several would wait a moment for the others. */
async function streaming(to: AuditStream) {
  const store = await storeWithMember();
  const told: string[] = [];
  const say = (_facts: unknown, words?: string) => void told.push(words ?? String(_facts));
  let time = now;
  const make = () =>
    createAuditStream({ ...machine, store, clock: () => time, log: () => ({ warn: say, info: say }) }, to);
  const run = async () => {
    const stream = make();
    await stream.run();
    time += day;
    await stream.run();
  };
  const happens = (target: string) =>
    store.transaction((tx) =>
      auditDeed(
        actingAs(tx, () => serviceSource(now)),
        { event: 'member_changed', tenantId: 'tenant-a', target },
      ),
    );
  return { run, happens, told };
}

const targetsIn = (lines: string) =>
  lines
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { target: string }).target);

describe('the stream of the audit', () => {
  it('adds each event to a file from its first start on, and goes on where it was', async () => {
    const path = join(temporaryFolder(), 'audit.jsonl');
    const { run, happens } = await streaming({ kind: 'file', path });
    await happens('before');
    await run();
    for (const target of ['a', 'b']) await happens(target);
    await run();
    await happens('c');
    await run();
    expect(targetsIn(readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'c']);
    // A full disk or a kill may leave half a line.
    appendFileSync(path, '{"half');
    await happens('d');
    await run();
    expect(readFileSync(path, 'utf8')).toMatch(/\n\{"half\n\{.*"target":"d".*\}\n$/);
  });

  it('EV15: loses nothing to a disk that is full, says so once, and stops no one', async () => {
    const folder = temporaryFolder();
    const full = await streaming({ kind: 'file', path: '/dev/full' });
    await full.run();
    await full.happens('a');
    await full.run();
    await full.happens('b');
    expect(full.told).toEqual(['the audit cannot be streamed now: its events wait']);
    const path = join(folder, 'not-there', 'audit.jsonl');
    const missing = await streaming({ kind: 'file', path });
    await missing.run();
    await missing.happens('a');
    await missing.run();
    expect(missing.told).toHaveLength(1);
  });

  it('sends messages of syslog, each with its length, and sends them again where the receiver was gone', async () => {
    const received: string[] = [];
    const server = createServer({ allowHalfOpen: true }, async (socket) => {
      received.push(await text(socket));
      socket.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    onTestFinished(() => void server.close());
    const { run, happens, told } = await streaming({ kind: 'syslog', host: '127.0.0.1', port });
    await run();
    await happens('a');
    await run();
    const message = /^(\d+) (<109>1 2026-\S+ \S+ memberdoor - member_changed - (\{.*\}))$/.exec(
      received.join(''),
    );
    expect(Number(message?.[1])).toBe(Buffer.byteLength(String(message?.[2])));
    expect(JSON.parse(String(message?.[3]))).toMatchObject({ target: 'a', event: 'member_changed' });
    server.close();
    await once(server, 'close');
    await happens('b');
    await run();
    expect(told).toHaveLength(1);
  });

  it('is told by one of several processes at a time', async () => {
    const url = await sharedDatabase();
    const stores = [await openShared(url), await openShared(url)];
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
    const came = Promise.withResolvers<Socket>();
    let connections = 0;
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      connections += 1;
      socket.resume();
      came.resolve(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    let time = now;
    const quiet = { warn: () => {}, info: () => {} };
    const streams = stores.map((store) =>
      createAuditStream(
        { ...machine, store, clock: () => time, log: () => quiet },
        { kind: 'syslog', host: '127.0.0.1', port },
      ),
    );
    const happens = () =>
      stores[0]?.transaction((tx) =>
        auditDeed(
          actingAs(tx, () => serviceSource(now)),
          { event: 'service_started' },
        ),
      );
    const settle = async () => {
      for (const stream of streams) {
        await stream.run();
        time += day;
      }
    };
    await happens();
    await settle();
    await settle();
    await happens();
    await settle();
    const [first, second] = streams.map((stream) => () => stream.run());
    const telling = first?.();
    const socket = await came.promise;
    await second?.();
    expect(connections).toBe(1);
    socket.end();
    await telling;
    time += day;
    await settle();
    expect(connections).toBe(1);
  });

  it.each([
    ['/var/log/audit.jsonl', { kind: 'file', path: '/var/log/audit.jsonl' }],
    ['syslog://siem.example.com:601', { kind: 'syslog', host: 'siem.example.com', port: 601 }],
    ['syslog://[2001:db8::1]:601', { kind: 'syslog', host: '2001:db8::1', port: 601 }],
    ['syslog://siem.example.com', null],
    ['syslog://siem.example.com:70000', null],
    ['audit.jsonl', null],
  ])('%s as its setting', (setting, stream) => {
    expect(readAuditStream(setting)).toEqual(stream);
  });
});
