import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { prepareService } from '../../../src/operations/service/service.ts';
import { createPasswords } from '../../../src/secrets/password.ts';
import { openVault } from '../../../src/secrets/vault.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { type HttpClient, httpClient } from '../../support/http.ts';
import { type Started, startProcess } from '../../support/process/started.ts';
import { freePort } from '../../support/service.ts';

const key = randomBytes(32);
const password = 'kvist og eld i skogen';
const issuer = 'https://login.example.test';
const facts = { tenantName: 'Post', issuer, fullName: 'Olga', email: 'olga@example.test', password };

let folder: string;
let port: number;
let http: HttpClient;
const running: Started[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'memberdoor-first-'));
  port = await freePort();
  http = httpClient(port);
});
afterEach(() => Promise.all(running.splice(0).map((started) => started.kill())));
afterAll(() => {
  http.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A production start on a data folder of this name. */
function start(name: string, settings: Record<string, string> = {}, words?: readonly string[]): Started {
  const started = startProcess({
    settings: {
      MEMBERDOOR_ENV: 'production',
      MEMBERDOOR_MASTER_KEY: key.toString('base64'),
      MEMBERDOOR_SMTP_URL: 'smtp://127.0.0.1:2525',
      MEMBERDOOR_MAIL_FROM: 'door@example.com',
      MEMBERDOOR_DATA: join(folder, name),
      MEMBERDOOR_PORT: String(port),
      ...settings,
    },
    ...(words === undefined ? {} : { words }),
  });
  running.push(started);
  return started;
}

/** What "memberdoor init" makes. */
async function makeFolder(name: string): Promise<void> {
  const store = await openStore(join(folder, name), true);
  const deps = { vault: openVault(key), passwords: createPasswords(), random: systemRandom, now: Date.now() };
  await prepareService(store, 'production', deps, port);
  await store.close();
}

/** The link that a start printed, if it did. */
const linkOf = (started: Started) =>
  /^ {2}(https?:\/\/\S+\/setup\/\S+)$/m.exec(started.lines().join('\n'))?.[1];
const pathOf = (link: string | undefined) => new URL(link ?? '').pathname;

/** The events of the audit in the log of a start. */
const auditLines = (started: Started) =>
  started.lines().flatMap((line) => {
    const found = line.startsWith('{') ? (JSON.parse(line) as { readonly audit?: object }).audit : undefined;
    return found === undefined ? [] : [found];
  });

/** Whether a member of the tenant has this address and password. */
async function canSignIn(): Promise<boolean> {
  const host = new URL(issuer).host;
  const jar = new Map<string, string>();
  const send = async (path: string, body?: Record<string, string>) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await http(host, path, { headers: { cookie }, ...(body === undefined ? {} : { body }) });
    for (const line of answer.headers['set-cookie'] ?? []) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? [];
      jar.set(name, value);
    }
    return answer;
  };
  let page = await send('/account');
  while (page.headers.location !== undefined) page = await send(page.headers.location);
  const flow = /name="flow" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  return (await send('/sign-in', { flow, email: facts.email, password })).status === 303;
}

describe('the first run', () => {
  it('prints a link that makes the administrator; each start makes the one before it worthless', async () => {
    expect((await start('link', {}, ['init']).exited).code).toBe(0);
    const first = start('link');
    expect(await first.ready).toBe(`http://127.0.0.1:${port}`);
    const old = linkOf(first);
    expect(old).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/setup/[\\w-]{43}$`));
    expect((await http('any.test', pathOf(old))).status).toBe(200);
    await first.stop();

    const second = start('link', { MEMBERDOOR_ISSUER: issuer });
    await second.ready;
    const link = linkOf(second);
    expect(link?.startsWith(`${issuer}/setup/`)).toBe(true);
    expect((await http('any.test', pathOf(old))).text).toBe('Not found\n');
    expect((await http('any.test', pathOf(link), { body: facts })).status).toBe(303);
    expect((await http('any.test', pathOf(link))).text).toContain(`${issuer}/admin`);
    expect(await canSignIn()).toBe(true);
    await second.stop();

    const third = start('link', { MEMBERDOOR_ISSUER: issuer });
    expect(await third.ready).toBe(issuer);
    expect(linkOf(third)).toBeUndefined();
    expect((await http('any.test', pathOf(link))).text).toBe('Not found\n');
    expect(await canSignIn()).toBe(true);
  });

  it('makes the administrator that the settings name, logs it, and prints no link and no password', async () => {
    await makeFolder('settings');
    const file = join(folder, 'password');
    writeFileSync(file, `${password}\n`);
    const named = { MEMBERDOOR_ISSUER: issuer, MEMBERDOOR_ADMIN_EMAIL: facts.email };
    const started = start('settings', { ...named, MEMBERDOOR_ADMIN_PASSWORD_FILE: file });
    expect(await started.ready).toBe(issuer);
    expect(await canSignIn()).toBe(true);
    expect(linkOf(started)).toBeUndefined();
    expect(started.lines().join('\n')).not.toContain(password);
    expect(auditLines(started)).toContainEqual(
      expect.objectContaining({ event: 'admin_acted', reason: 'set up', actorKind: 'operator' }),
    );
    await started.stop();

    // What the settings say later changes nothing.
    const again = start('settings', { ...named, MEMBERDOOR_ADMIN_PASSWORD: 'another password' });
    await again.ready;
    expect(await canSignIn()).toBe(true);
  });

  it('refuses a common password, in one line that does not repeat it', async () => {
    await makeFolder('common');
    const refused = start('common', {
      MEMBERDOOR_ISSUER: issuer,
      MEMBERDOOR_ADMIN_EMAIL: facts.email,
      MEMBERDOOR_ADMIN_PASSWORD: 'passwordpassword',
    });
    expect((await refused.exited).code).toBe(1);
    expect(refused.errorLines()).toEqual([
      'memberdoor: MEMBERDOOR_ADMIN_PASSWORD is too easy to guess. Add another word or two.',
    ]);
  });
});

describe('another master key', () => {
  it('M16: after "memberdoor reencrypt" the service starts with the new key alone', async () => {
    await makeFolder('reencrypted');
    const next = randomBytes(32).toString('base64');
    const file = join(folder, 'new.key');
    writeFileSync(file, next);
    const command = start('reencrypted', {}, ['reencrypt', file]);
    expect((await command.exited).code).toBe(0);
    expect(command.lines().join('\n')).not.toContain(next);
    const old = start('reencrypted', {}, ['init']);
    expect((await old.exited).code).toBe(1);
    expect(old.errorLines().join('\n')).toContain('The master key is not the one');
    const now = start('reencrypted', { MEMBERDOOR_MASTER_KEY: next }, ['init']);
    expect((await now.exited).code).toBe(0);
    const wrong = start('reencrypted', { MEMBERDOOR_MASTER_KEY: next }, [
      'reencrypt',
      join(folder, 'nothing'),
    ]);
    expect((await wrong.exited).code).toBe(1);
  });
});
