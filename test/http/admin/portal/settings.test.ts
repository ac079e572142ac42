import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../../support/operators/desk.ts';
import { type PortalVisitor, plain, portalOf } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';
import { field, type Visitor, visitor } from '../../../support/visitor.ts';

// Below the project, so that what runs there finds the libraries.
const folder = fileURLToPath(new URL('../../../output/settings/', import.meta.url));

const service = useService({ data: 'development' });
let sam: PortalVisitor;
let host: string;
let issuer: string;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  // The libraries read the time of tokens by the machine's clock.
  service.clock.set(Date.now());
  host = `localhost:${service.port}`;
  issuer = `http://${host}`;
  sam = await portalOf(service, host, 'sam@example.com', 'memberdoor-development');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The settings on a client's page, by their titles. */
async function settingsOf(clientId: string): Promise<Readonly<Record<string, string>>> {
  const { text } = await sam.send(`/admin/tenants/${host}/clients/${clientId}`);
  const found = text.matchAll(/<summary>([^<]*)<\/summary>\s*<pre[^>]*><code>([\s\S]*?)<\/code>/g);
  return Object.fromEntries([...found].map(([, title = '', code = '']) => [plain(title), plain(code)]));
}

/** Runs the lines for openid-client as a program, and plays the browser that they ask for. */
async function runOpenidClient(code: string, secret: string): Promise<string> {
  const file = `${folder}${secret === '' ? 'public' : 'confidential'}.mjs`;
  const asked = 'const current = new URL(await new Promise((on) => process.stdin.once("data", on)));';
  const program = code.replace(/\/\/ Send the browser[^\n]*\n/, `console.log(address.href);\n${asked}\n`);
  expect(program).toContain(asked);
  writeFileSync(file, `${program}\nconsole.log(tokens.claims().sub, tokens.scope);\nprocess.exit(0);\n`);
  const child = spawn(process.execPath, [file], { env: { ...process.env, CLIENT_SECRET: secret } });
  let said = '';
  const nextLine = () =>
    new Promise<string>((resolve, reject) => {
      child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
      child.stderr.on('data', (data: Buffer) => {
        said += data.toString();
      });
      child.once('close', () => reject(new Error(said)));
    });
  const { pathname, search } = new URL(await nextLine());
  const browser = visitor(service, host);
  let page = await browser.send(`${pathname}${search}`);
  while (page.headers.location?.startsWith('/')) page = await browser.send(page.headers.location);
  const body = { flow: field(page, 'flow'), email: 'bo@example.com', password: 'memberdoor-development' };
  const back = await browser.send('/sign-in', { body });
  child.stdin.write(`${back.headers.location}\n`);
  return nextLine();
}

/** Runs lines as a program. @param onLine told of its first line @returns what it said last */
async function saidOf(code: string, last: string, secret: string, onLine?: (line: string) => Promise<void>) {
  const file = `${folder}${secret === '' ? 'tv' : 'job'}.mjs`;
  writeFileSync(file, `${code}\n${last}\nprocess.exit(0);\n`);
  const child = spawn(process.execPath, [file], { env: { ...process.env, CLIENT_SECRET: secret } });
  let said = '';
  let told: Promise<void> | undefined;
  child.stderr.on('data', (data: Buffer) => {
    said += data.toString();
  });
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString();
    told ??= onLine?.(data.toString().trim());
  });
  await new Promise((resolve) => child.once('close', resolve));
  await told;
  return said.trim().split('\n').at(-1) ?? '';
}

/** Opens a page that takes a sign-in first. */
async function signInAt(browser: Visitor, path: string): Promise<void> {
  const { headers } = await browser.send(path);
  const page = await browser.send(String(headers.location));
  const body = { flow: field(page, 'flow'), email: 'bo@example.com', password: 'memberdoor-development' };
  await browser.send('/sign-in', { body });
}

describe('the settings on a client’s page', () => {
  it('are there for each library that fits the client, filled with its own values', async () => {
    const titles = async (clientId: string) => Object.keys(await settingsOf(clientId));
    const onServer = ['Auth.js', 'express-openid-connect', 'mod_auth_openidc (Apache)', 'Spring Security'];
    expect(await titles('web')).toEqual(['.env', 'openid-client (Node)', ...onServer, 'curl, web']);
    expect(await titles('spa')).toEqual([
      'openid-client (Node)',
      'oidc-client-ts (browser)',
      'AppAuth (Android, iOS)',
      'curl, web',
    ]);
    expect(await titles('tv')).toEqual(['JavaScript, TV', 'curl, TV']);
    expect(await titles('tv-off')).toEqual([]);
    for (const code of Object.values(await settingsOf('web'))) {
      expect(code).toContain(issuer);
      expect(code).toMatch(/\bweb\b/);
      expect(code).toContain('9876');
      expect(code).not.toContain('web-secret-for-development');
    }
    const native = await settingsOf('native');
    expect(native['AppAuth (Android, iOS)']).toContain('"com.example.app:/callback"');
  });

  it('say what the client is set to: an algorithm, claims, web origins', async () => {
    const es256 = { clientId: 'es256', name: 'ES256', type: 'confidential', idTokenAlgorithm: 'ES256' };
    await run(service, 'clients.create', {
      ...es256,
      tenant: host,
      claimsInIdToken: true,
      redirectUris: ['https://app.example.com/auth/callback'],
    });
    const [own, usual] = [await settingsOf('es256'), await settingsOf('web')];
    for (const title of [
      'Auth.js',
      'express-openid-connect',
      'mod_auth_openidc (Apache)',
      'Spring Security',
    ]) {
      expect(own[title]).toContain('ES256');
      expect(usual[title]).not.toContain('ES256');
    }
    expect(own['Auth.js']).not.toContain('Claims in ID token');
    expect(usual['Auth.js']).toContain('Claims in ID token');
    expect(own['Spring Security']).not.toContain('LogoutSuccessHandler');
    expect(usual['Spring Security']).toContain(
      'setPostLogoutRedirectUri("http://localhost:9876/signed-out")',
    );
    expect(own['express-openid-connect']).toContain("callback: '/auth/callback'");
    expect((await settingsOf('spa'))['oidc-client-ts (browser)']).not.toContain('add http');
    expect((await settingsOf('spa'))['oidc-client-ts (browser)']).toContain('loadUserInfo: true');
    expect((await settingsOf('reader'))['oidc-client-ts (browser)']).toContain('add http://localhost:9880');
  });

  it.each([
    { clientId: 'web-single', secret: 'web-single-secret-for-development' },
    { clientId: 'spa', secret: '' },
  ])('openid-client: as they stand they sign a member in to $clientId', async ({ clientId, secret }) => {
    const settings = await settingsOf(clientId);
    const said = await runOpenidClient(String(settings['openid-client (Node)']), secret);
    expect(said).toMatch(/^[0-9a-f-]{36} openid offline_access profile email$/);
  });

  it('a server job: unchanged, they get a token in its own name', async () => {
    const made = { kind: 'server_job', name: 'Nightly', serviceScopes: ['members:read'] };
    const { secret } = await run<{ secret: string }>(service, 'clients.create', { tenant: host, ...made });
    const settings = await settingsOf('nightly');
    expect(settings['.env']).toBe(`ISSUER=${issuer}\nCLIENT_ID=nightly\nCLIENT_SECRET=...`);
    const said = await saidOf(
      String(settings['Node, server job']),
      'console.log(typeof access_token, expires_in);',
      secret,
    );
    expect(said).toBe('string 3600');
  });

  it('a TV: unchanged, they show a code, and get tokens once a member has approved it', async () => {
    const code = String((await settingsOf('tv'))['JavaScript, TV']).replace('interval * 1_000', '1');
    const member = visitor(service, host);
    const said = saidOf(code, 'console.log(tokens.token_type);', '', async (line) => {
      const address = new URL(line.split(' ').at(-1) ?? '');
      await signInAt(member, `${address.pathname}${address.search}`);
      const page = await member.send(`${address.pathname}${address.search}`);
      const body = { confirm: field(page, 'confirm'), verdict: 'approve' };
      await member.send('/device/approve', { body });
    });
    expect(await said).toMatch(/Bearer$/);
  });

  it('curl: as they stand they ask for a TV’s code, and for a page to sign in on', async () => {
    const tv = String((await settingsOf('tv-secret'))['curl, TV']).replace('device_code=...', 'exit');
    const web = String((await settingsOf('spa'))['curl, web']).replace('code=...', 'exit');
    // Where the machine has no curl, what there is to run is read alone.
    const hasTools = ['curl', 'openssl'].every((tool) => spawnSync(tool, ['version']).error === undefined);
    if (!hasTools) {
      expect(tv).toContain(`curl -s "${issuer}/api/oidc/device/auth"`);
      return;
    }
    const shell = (script: string) =>
      new Promise<string>((resolve) => {
        const env = { ...process.env, CLIENT_SECRET: 'tv-secret-for-development' };
        const child = spawn('sh', ['-c', script], { env });
        let out = '';
        child.stdout.on('data', (data: Buffer) => {
          out += data.toString();
        });
        child.once('close', () => resolve(out));
      });
    expect(JSON.parse(await shell(tv))).toMatchObject({ expires_in: 900, interval: 5 });
    const { pathname, search } = new URL((await shell(web)).trim());
    const answer = await visitor(service, host).send(`${pathname}${search}`);
    expect(answer.headers.location).toMatch(/^\/sign-in\?flow=/);
  });
});
