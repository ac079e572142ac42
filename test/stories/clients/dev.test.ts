import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Start, type Started, startProcess } from '../../support/process/started.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

/** `memberdoor dev` in a folder. */
function dev(folder: string, words: readonly string[], more: Partial<Start> = {}): Started {
  const started = startProcess({ settings: {}, folder, words: ['dev', ...words], ...more });
  onTestFinished(() => started.kill());
  return started;
}

/** What the one line of JSON says. */
const told = async ({ ready }: Started) =>
  JSON.parse(await ready) as {
    readonly port: number;
    readonly tenants: readonly { readonly name: string; readonly issuer: string }[];
    readonly data: string | null;
  };

const shop = (more = '') => `tenants:
  - issuer: http://localhost:3000
    name: Shop
    development: true
    clients:
      - { clientId: shop, name: Shop, type: public, redirectUris: [http://localhost:8080/callback] }
${more}`;

/** Resolves when the errors that a process told have a line. */
async function untilTold(started: Started, pattern: RegExp): Promise<string> {
  for (;;) {
    const line = started.errorLines().find((one) => pattern.test(one));
    if (line !== undefined) return line;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const discoveryOf = async (issuer: string) =>
  (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as { readonly issuer: string };

/** The files that a process has open and may write into; Linux tells. */
const writtenBy = (pid: number) =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const path = readlinkSync(`/proc/${pid}/fd/${fd}`);
    const flags = Number.parseInt(
      /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0',
      8,
    );
    return path.startsWith('/') && !path.startsWith('/dev/') && (flags & 0o3) !== 0 ? [path] : [];
  });

describe('memberdoor dev in the folder of another project', () => {
  it('RR35: keeps its data beside the project, for its user alone and out of the repository', async () => {
    const folder = temporaryFolder();
    const started = dev(folder, ['--port', '0', '--json', '--examples', 'first']);
    const { tenants, data, port } = await told(started);
    expect(tenants).toEqual([{ name: 'Acme', issuer: `http://localhost:${port}` }]);
    expect(data).toBe(join(folder, '.memberdoor'));
    expect(readdirSync(folder)).toEqual(['.memberdoor']);
    expect(statSync(join(folder, '.memberdoor')).mode & 0o077).toBe(0);
    expect(readFileSync(join(folder, '.memberdoor/.gitignore'), 'utf8')).toBe('*\n');
    expect((await discoveryOf(tenants[0]?.issuer ?? '')).issuer).toBe(tenants[0]?.issuer);
    expect(await started.stop()).toBe(0);
    expect(started.lines()).toHaveLength(1);
    expect(started.errorLines()).toEqual([]);
  });

  it('is the service that commands mean which are run in the folder, unless the settings name another', async () => {
    const folder = temporaryFolder();
    const started = dev(folder, ['--port', '0', '--json', '--examples', 'first']);
    const { tenants } = await told(started);
    const refused = await fetch(`${tenants[0]?.issuer}/api/oidc/token/`, { method: 'POST' });
    expect(refused.status).toBe(404);
    const words = ['why', refused.headers.get('request-id') ?? ''];
    const why = startProcess({ settings: {}, folder, words });
    expect(await why.exited).toMatchObject({ code: 0 });
    expect(why.lines()).toContain('There is nothing for programs at this address.');
    expect(why.lines()).toContain('Sent: POST /api/oidc/token/, answered 404');

    const elsewhere = startProcess({ settings: { MEMBERDOOR_DATA: temporaryFolder() }, folder, words });
    expect(await elsewhere.exited).toMatchObject({ code: 1 });
    expect(elsewhere.errorLines().join('\n')).toContain('There is no database at');
  });

  it('follows a tenant file: what is right is done at once, what is wrong is told, and leaves all as it was', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'tenants.yaml');
    writeFileSync(file, shop());
    const started = dev(folder, ['--memory', '--port', '0', '--json', '--file', 'tenants.yaml']);
    const { tenants, port } = await told(started);
    expect(tenants).toEqual([{ name: 'Shop', issuer: `http://localhost:${port}` }]);
    // As many editors do it.
    const save = (text: string) => {
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
    };
    const tv = '      - { clientId: tv, name: TV, type: public, deviceFlow: true }\n';
    save(shop(tv));
    expect(await untilTold(started, /1 added/)).toBe('tenants.yaml: Done: 1 added, 0 changed, 0 ended.');
    expect(started.errorLines()).toContain('  + client tv');
    expect(await discoveryOf(`http://localhost:${port}`)).toHaveProperty('device_authorization_endpoint');

    save(shop(tv.replace('public', 'publik')));
    expect(await untilTold(started, /publik|type/)).toMatch(/^tenants\.yaml:7:\d+: /);
    // RR31
    save('tenants:\n  - { issuer: https://login.example.com, name: Shop }\n');
    expect(await untilTold(started, /development tenants alone/)).toMatch(/^tenants\.yaml:2:5: /);
    expect(await discoveryOf(`http://localhost:${port}`)).toHaveProperty('device_authorization_endpoint');

    save(shop());
    expect(await untilTold(started, /1 ended/)).toBe('tenants.yaml: Done: 0 added, 0 changed, 1 ended.');
    expect(await discoveryOf(`http://localhost:${port}`)).not.toHaveProperty('device_authorization_endpoint');
    expect(started.lines()).toHaveLength(1);
  });

  it.runIf(process.platform === 'linux')(
    'RR33: with --memory writes nothing to a disk, mails and keys included, whenever it is killed',
    async () => {
      const folder = temporaryFolder();
      const temporary = join(folder, 'tmp');
      mkdirSync(temporary);
      const started = dev(folder, ['--memory', '--port', '0', '--json', '--examples', 'first'], {
        settings: { TMPDIR: temporary },
      });
      const { tenants, data } = await told(started);
      expect(data).toBeNull();
      const { issuer = '' } = tenants[0] ?? {};
      const ask = (path: string, init?: RequestInit) =>
        fetch(`${issuer}${path}`, { redirect: 'manual', ...init });
      const page = await ask('/recover');
      const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0]);
      const body = new URLSearchParams({ email: 'ada@example.com' });
      for (const [, name = '', value = ''] of (await page.text()).matchAll(
        /type="hidden" name="([^"]+)" value="([^"]*)"/g,
      ))
        body.set(name, value);
      await ask('/recover', { method: 'POST', body, headers: { origin: issuer, cookie: cookie.join('; ') } });
      await ask('/rehearsal/snapshots', {
        method: 'POST',
        body: '{"name":"one"}',
        headers: { 'content-type': 'application/json' },
      });
      expect(await (await ask('/rehearsal/mails')).json()).toMatchObject({
        mails: [{ to: 'ada@example.com' }],
      });
      expect(writtenBy(started.pid)).toEqual([]);
      await started.kill();
      expect(readdirSync(folder)).toEqual(['tmp']);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  it('RR30: is a development service of this machine alone, whatever the settings say', async () => {
    const folder = temporaryFolder();
    const settings = {
      MEMBERDOOR_ENV: 'production',
      MEMBERDOOR_HOST: '0.0.0.0',
      MEMBERDOOR_TRUSTED_PROXIES: '10.0.0.1',
      MEMBERDOOR_DATA: '/var/lib/memberdoor',
      MEMBERDOOR_DATABASE_URL: 'postgres://localhost/memberdoor',
      MEMBERDOOR_MASTER_KEY_FILE: '/run/secrets/master-key',
    };
    const refused = dev(folder, ['--port', '70000'], { settings });
    expect((await refused.exited).code).toBe(2);
    for (const name of Object.keys(settings)) {
      expect(refused.errorLines().join('\n')).toContain(`${name} does not go with "memberdoor dev"`);
    }
    expect(refused.errorLines().at(-1)).toContain('--port must be a whole number from 0 to 65535');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('RR31: does not begin with a tenant file that is wrong, and says all that is', async () => {
    const input = 'tenants:\n  - { issuer: https://login.example.com, name: Shop, colour: red }\n';
    const words = ['--memory', '--port', '0', '--json', '--file', '-'];
    const refused = dev(temporaryFolder(), words, { input });
    expect((await refused.exited).code).toBe(1);
    expect(refused.errorLines()).toEqual([
      expect.stringMatching(/^-:2:5: .*development tenants alone/),
      expect.stringMatching(/^-:2:\d+: .*colour/),
      'memberdoor: Nothing was started: the tenant file has to be mended first.',
    ]);
    expect(refused.lines()).toEqual([]);
  });
});
