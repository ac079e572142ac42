import { statSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import { readinessLife, readinessTime } from '../../../src/core/operators/limits.ts';
import { hosts } from '../../support/fixtures.ts';
import { commandHere } from '../../support/operators/command.ts';
import { rawSocket } from '../../support/process/raw-socket.ts';
import { freePort } from '../../support/service.ts';
import { serviceForTest, useService } from '../../support/use-service.ts';

const service = useService({ data: 'security', apiHost: 'api.test' });

const wordOf = async (path: string, host: string = hosts.a) => {
  const { status, text, headers } = await service.http(host, path);
  return { status, text, retryAfter: headers['retry-after'] };
};

const ready = { status: 200, text: 'ready\n', retryAfter: undefined };

/** Asks until the answer is another than before: the last one stands for a second. */
async function readiness(until: number) {
  for (;;) {
    const answer = await wordOf('/readyz');
    if (answer.status === until) return answer;
    await new Promise(setImmediate);
  }
}

describe('/livez and /readyz', () => {
  it.each(['a.test', 'api.test', 'unknown.test', '127.0.0.1', ''])(
    'H21: answer on the host %j, and name nothing',
    async (host) => {
      for (const [path, text] of [
        ['/livez', 'live\n'],
        ['/readyz', 'ready\n'],
      ] as const) {
        const answer = await service.http(host, path);
        expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text });
        expect(answer.headers['cache-control']).toBe('no-store');
        expect(JSON.stringify(answer.headers)).not.toMatch(/tenant|[abc]\.test|memberdoor/i);
        const head = await service.http(host, path, { method: 'HEAD' });
        expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
      }
    },
  );

  it('stand in the log at debug alone', async () => {
    const since = service.logLines.length;
    await service.http(hosts.a, '/readyz');
    await service.http(hosts.a, '/livez');
    await service.http(hosts.a, '/account');
    const levels = service.logLines.slice(since).map((line) => {
      const { level, route } = JSON.parse(line) as { level: string; route: string };
      return [route, level];
    });
    expect(levels).toEqual([
      ['/readyz', 'debug'],
      ['/livez', 'debug'],
      ['/account', 'info'],
    ]);
  });

  it('H21: not ready while the database cannot be written, though the process lives', async () => {
    const other = new SQLite(join(service.folder, 'memberdoor.db'));
    onTestFinished(() => void other.close());
    other.exec('begin immediate');
    expect(await readiness(503)).toEqual({ status: 503, text: 'storage\n', retryAfter: '5' });
    expect(await wordOf('/livez')).toEqual({ status: 200, text: 'live\n', retryAfter: undefined });
    other.exec('rollback');
    expect(await readiness(200)).toEqual(ready);
  });

  it('H21: not ready while the storage stands still, which is waited for no longer than 250 ms', async () => {
    expect(readinessTime).toBe(250);
    let release = () => {};
    const standing = service.store.transaction(() => new Promise<void>((resolve) => (release = resolve)));
    expect(await readiness(503)).toEqual({ status: 503, text: 'storage\n', retryAfter: '5' });
    release();
    await standing;
    expect(await readiness(200)).toEqual(ready);
  });

  it('cost at most one write a second, however many ask', async () => {
    await readiness(200);
    const written = () => statSync(join(service.folder, 'memberdoor.db-wal')).size;
    const before = written();
    const begun = performance.now();
    for (let count = 0; count < 20; count++) await wordOf('/readyz');
    const seconds = Math.ceil((performance.now() - begun) / readinessLife);
    const page = 4_096 + 24;
    expect(written() - before).toBeLessThanOrEqual(seconds * page);
  });
});

describe('H21: a service that drains', () => {
  it('is alive and not ready', async () => {
    const draining = await serviceForTest({ data: 'security' });
    const sockets = await Promise.all(['/livez', '/readyz'].map(() => rawSocket(draining.port)));
    for (const [index, path] of ['/livez', '/readyz'].entries()) {
      sockets[index]?.write(`GET ${path} HTTP/1.1\r\nHost: unknown.test\r\n`);
    }
    // By the time this is answered the others have been read, since they came before.
    await draining.http(hosts.a, '/livez');
    const stopped = draining.stop();
    while (draining.app.server.listening) await new Promise(setImmediate);
    for (const socket of sockets) socket.write('\r\n');
    const [live, unready] = await Promise.all(sockets.map(({ closed }) => closed));
    expect(live).toMatch(/^HTTP\/1\.1 200 [\s\S]*live\n$/);
    expect(unready).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 5[\s\S]*draining\n$/);
    await stopped;
  });
});

describe('memberdoor healthcheck', () => {
  const config = (port: number, host = 'localhost') => ({ port, host }) as Config;
  const healthcheck = (of: Config) => commandHere(['healthcheck'], { configuration: () => of });

  it('ends with 0 where the service is ready, on whatever address it listens', async () => {
    expect((await healthcheck(config(service.port))).code).toBe(0);
    expect((await healthcheck(config(service.port, '0.0.0.0'))).code).toBe(0);
  });

  it('ends with 1 where nothing listens', async () => {
    expect((await healthcheck(config(await freePort()))).code).toBe(1);
  });
});

describe('/internal/domains', () => {
  const ask = (domain: string, host = `127.0.0.1:${service.port}`, headers = {}) =>
    service.http(host, `/internal/domains?domain=${domain}`, { headers });

  it.each([
    ['a.test', 200],
    ['B.TEST', 200],
    ['api.test', 200],
    ['unknown.test', 404],
    ['', 404],
    ['a.test&domain=b.test', 200],
  ])('says of %j whether it is ours: %i', async (domain, status) => {
    expect((await ask(domain)).status).toBe(status);
  });

  it.each([
    ['x-forwarded-for', '198.51.100.1'],
    ['x-forwarded-proto', 'https'],
    ['x-real-ip', '198.51.100.1'],
    ['forwarded', 'for=198.51.100.1'],
    ['via', '1.1 proxy'],
  ])('is not there through a proxy that sends %s', async (name, value) => {
    const answer = await ask('a.test', '127.0.0.1', { [name]: value });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 404, text: 'Not found\n' });
  });

  it('knows the first domain before there is a tenant, while the set-up link waits', async () => {
    const options = { data: 'security', issuer: 'https://first.test' } as const;
    for (const setupOffered of [true, false]) {
      const begun = await serviceForTest({ ...options, setupOffered });
      const { status } = await begun.http('127.0.0.1', '/internal/domains?domain=first.test');
      expect(status).toBe(setupOffered ? 200 : 404);
    }
  });

  it('is not there on the host of a tenant', async () => {
    const answer = await ask('a.test', hosts.a);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('Page not found');
  });
});
