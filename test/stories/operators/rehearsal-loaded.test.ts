import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpClient } from '../../support/http.ts';
import { project } from '../../support/process/built.ts';
import { type Started, startProcess } from '../../support/process/started.ts';
import { freePort } from '../../support/service.ts';

/** Lets Node say which files of the room it loads, a line each. */
const telling = `import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (/\\/(?:src|templates)\\/.*rehearsal/.test(url)) process.stderr.write('loaded ' + url + '\\n');
    return next(url, context);
  },
});`;
const options = ['--import', `data:text/javascript,${encodeURIComponent(telling)}`];

let folder: string;
const running: Started[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'memberdoor-loaded-'));
});

afterAll(async () => {
  await Promise.all(running.map((started) => started.kill()));
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a service, and asks it for the room. @returns the files of the room that it loaded */
async function loadedBy(name: string, settings: Record<string, string>, host: string | null) {
  const port = await freePort();
  const own = { MEMBERDOOR_DATA: join(folder, name), MEMBERDOOR_PORT: String(port), ...settings };
  if (settings.MEMBERDOOR_ENV === 'production') {
    expect((await startProcess({ settings: own, words: ['init'] }).exited).code).toBe(0);
  }
  const started = startProcess({ settings: own, options, from: project });
  running.push(started);
  await started.ready;
  const http = httpClient(port);
  const statuses: number[] = [];
  for (const path of ['/rehearsal', '/rehearsal/clock', '/rehearsal/sign-in', '/outbox']) {
    statuses.push((await http(host ?? `localhost:${port}`, path)).status);
    statuses.push(
      (await http(host ?? `localhost:${port}`, path, { body: { member: 'ada@example.com' } })).status,
    );
  }
  http.close();
  await started.stop();
  const loaded = started.errorLines().filter((line) => line.startsWith('loaded '));
  return { loaded, statuses: new Set(statuses) };
}

it('RR14: a production service loads nothing of the rehearsal room, whatever it is asked for', async () => {
  const { loaded, statuses } = await loadedBy(
    'production',
    {
      MEMBERDOOR_ENV: 'production',
      MEMBERDOOR_SMTP_URL: 'smtp://127.0.0.1:2525',
      MEMBERDOOR_MAIL_FROM: 'door@example.com',
      MEMBERDOOR_MASTER_KEY: randomBytes(32).toString('base64'),
      MEMBERDOOR_ISSUER: 'https://login.example.com',
      MEMBERDOOR_ADMIN_EMAIL: 'ada@example.com',
      MEMBERDOOR_ADMIN_PASSWORD: 'kvist og eld i skogen',
    },
    'login.example.com',
  );
  expect(loaded).toEqual([]);
  expect(statuses).toEqual(new Set([404]));
});

it('a development service loads it', async () => {
  const { loaded } = await loadedBy('development', {}, null);
  expect(loaded.some((line) => line.endsWith('/http/rehearsal/rehearsal.ts'))).toBe(true);
});
