import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { changeClient } from '../../../src/operations/client/client.ts';
import { type Files, startApp } from '../../support/browser/app.ts';
import { startBrowser } from '../../support/browser/browser.ts';
import { registerClients, submitSignIn } from '../../support/browser/site.ts';
import { phoneOf } from '../../support/device.ts';
import { codeOf, placed, type RunningProgram, runProgram } from '../../support/documents/documents.ts';
import { shellReader } from '../../support/documents/shell-reader.ts';
import { run } from '../../support/operators/desk.ts';
import { startReceiver } from '../../support/outbound/receiver.ts';
import { freePort } from '../../support/service.ts';
import { claimsOf, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { visitor } from '../../support/visitor.ts';

const service = useService({ data: 'development' });
let host: string;
const web = {
  clientId: 'web',
  redirectUri: 'http://localhost:9876/callback',
  secret: 'web-secret-for-development',
};
let places: Record<string, string>;
/** A pause of the TV ends when the test says so. */
const pausesOnInput = { 'setTimeout(resolve, seconds * 1_000)': "process.stdin.once('data', resolve)" };

beforeAll(() => {
  // The libraries compare the times in tokens with their own clock.
  service.clock.set(Date.now());
  host = `localhost:${service.port}`;
  places = { 'http://localhost:3000': `http://${host}` };
});

function started(program: RunningProgram): RunningProgram {
  onTestFinished(() => program.stop());
  return program;
}

/** Goes through the sign-in pages as a member; returns the address that leads back to the app. */
async function signIn(address: string, browser = visitor(service, host)): Promise<string> {
  const { pathname, searchParams } = new URL(address);
  expect(pathname).toBe('/api/oidc/auth');
  const page = await browser.authorize(Object.fromEntries(searchParams));
  const answer = await browser.signIn(page, 'ada@example.com');
  return answer.headers.location ?? '';
}

describe('the programs of the guides run as they are written', () => {
  it('a web app signs in, reads the profile and signs out', async () => {
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    await service.store.transaction(async (tx) => {
      const tenantId = service.tenants.byHost(host)?.id ?? '';
      await changeClient(tx, tenantId, 'web', { postLogoutRedirectUris: [`${origin}/signed-out`] });
    });
    const [code = ''] = codeOf('guides/web.md', 'js');
    const program = started(runProgram(code, { ...places, 9876: String(port) }));
    await program.says(/open /);

    let cookie = '';
    const open = async (address: string) => {
      const answer = await fetch(address, { headers: { cookie }, redirect: 'manual' });
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return { text: await answer.text(), location: answer.headers.get('location') ?? '' };
    };
    expect((await open(origin)).text).toContain('Sign in');
    const browser = visitor(service, host);
    const back = await signIn((await open(`${origin}/sign-in`)).location, browser);
    expect((await open(back)).location).toBe(`${origin}/`);
    expect((await open(origin)).text).toContain('Hello');
    expect((await open(`${origin}/profile`)).text).toContain('ada@example.com');
    const leave = new URL((await open(`${origin}/sign-out`)).location);
    const left = await browser.send(`${leave.pathname}${leave.search}`);
    expect(left.headers.location).toBe(`${origin}/signed-out`);
    expect((await open(origin)).text).toContain('Sign in');
  });

  it('a native app signs in over a port of its own', async () => {
    const [code = ''] = codeOf('guides/native.md', 'js');
    const program = started(runProgram(code, places));
    const [, address = ''] = await program.says(/^Open (.*)$/);
    const shown = await fetch(await signIn(address));
    expect(await shown.text()).toBe('You can close this window.');
    await program.says(/^Hello, Ada Nilsen$/);
  });

  it('a TV shows a code, and signs in once a phone has approved it', async () => {
    const [code = ''] = codeOf('guides/tv.md', 'js');
    const program = started(runProgram(code, { ...places, ...pausesOnInput }));
    const [, userCode = ''] = await program.says(/enter (.+)$/);
    await program.says(/or scan /);
    const phone = await phoneOf(service, host, 'ada@example.com');
    await phone.approve(userCode);
    service.clock.advance(5_000);
    program.wake();
    await program.says(/^Hello, Ada Nilsen$/);
  });

  it('I61: a program gets tokens in its own name, for an API and for ours', async () => {
    const reader = shellReader(service, 'guides/machine.md');
    onTestFinished(() => reader.stop());
    expect(await reader.type()).toEqual([]);
    const api = await startReceiver({ answer: (_request, reply) => reply.end('["an invoice"]') });
    const [code = ''] = codeOf('guides/machine.md', 'js');
    const program = started(
      runProgram(code, {
        ...places,
        '`${invoices}/all`': `'http://localhost:${api.port}/all'`,
        'process.env.CLIENT_SECRET': `'${reader.secret()}'`,
      }),
    );
    await program.says(/an invoice/);
    const told = await program.says(/^Ada Nilsen: (.+)$/);
    expect(told[1]).not.toBe('nothing');
    const [, jwt = ''] = String(api.received[0]?.headers.authorization).split(' ');
    const aud = 'https://invoices.example.com';
    expect(claimsOf(jwt)).toMatchObject({ sub: 'nightly', aud, scope: 'invoices:read' });
  });

  it('a CRM reads members, adds one, and hears of changes by webhook and by feed', async () => {
    const port = await freePort();
    const places = { 'localhost:4000': `localhost:${port}`, 'listen(4000': `listen(${port}` };
    const reader = shellReader(service, 'guides/crm.md', {}, places);
    onTestFinished(() => reader.stop());
    expect(await reader.type()).toEqual([]);
    const start = (name: string) =>
      started(runProgram(`await import('${reader.folder}${name}.mjs')`, {}, reader.folder));
    const [webhook, feed, changed] = [start('webhook'), start('feed'), start('changed')];
    await webhook.says(/^listening$/);
    await feed.says(/^following from /);
    await changed.says(/^keep tess@example.com: Tess Tester$/);
    const tess = { tenant: host, memberId: 'tess@example.com' };
    const { id } = await run<{ id: string }>(service, 'members.change', { ...tess, fullName: 'Tess Proven' });
    await service.webhooksTold();
    await webhook.says(/^keep tess@example.com: Tess Proven$/);
    await feed.says(/^keep tess@example.com: Tess Proven$/);
    await run(service, 'members.delete', tess);
    await service.webhooksTold();
    await webhook.says(new RegExp(`^forget ${id}$`));
    await feed.says(new RegExp(`^forget ${id}$`));
  });

  it('a single-page app signs in and out in a browser', async () => {
    const require = createRequire(import.meta.url);
    const library = (name: string, path: string) =>
      readFileSync(new URL(path, `file://${require.resolve(name)}`), 'utf8');
    const imports = { 'oidc-client-ts': '/oidc-client-ts.js', 'jwt-decode': '/jwt-decode.js' };
    const [html = ''] = codeOf('guides/spa.md', 'html');
    const [script = ''] = codeOf('guides/spa.md', 'js');
    const clientId = 'guide-spa';
    const javascript = (body: string) => ({ type: 'text/javascript', body });
    const page = {
      type: 'text/html; charset=utf-8',
      body: placed(html, {
        '<title>': `<link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script><title>`,
      }),
    };
    const files: Files = {
      '/': page,
      '/callback': page,
      '/signed-out': page,
      '/main.js': javascript(placed(script, { ...places, "'spa'": `'${clientId}'` })),
      '/oidc-client-ts.js': javascript(library('oidc-client-ts', '../esm/oidc-client-ts.js')),
      '/jwt-decode.js': javascript(library('jwt-decode', '../esm/index.js')),
    };
    const app = await startApp(files);
    onTestFinished(() => app.stop());
    const { origin } = app;
    await registerClients(service, [
      {
        clientId,
        name: 'Guide',
        type: 'public',
        redirectUris: [`${origin}/callback`],
        postLogoutRedirectUris: [`${origin}/signed-out`],
        webOrigins: [origin],
      },
    ]);
    const browser = await startBrowser();
    onTestFinished(() => browser.close());
    const view = await browser.open();
    await view.page.goto(origin);
    await view.page.click('#sign-in');
    await view.page.waitForURL(`http://${host}/sign-in?*`);
    await submitSignIn(view, 'ada@example.com');
    await view.page.waitForFunction("document.querySelector('#who')?.textContent === 'Hello, Ada Nilsen'");
    await view.page.click('#sign-out');
    await view.page.waitForURL(`${origin}/signed-out`);
    expect(await view.page.textContent('#who')).toBe('Not signed in');
  });

  it('a server verifies that a member signed out, and knows which session to end', async () => {
    const told = await startReceiver();
    const backchannelLogoutUri = `http://localhost:${told.port}/told`;
    await run(service, 'clients.change', { tenant: host, clientId: 'web', backchannelLogoutUri });
    const browser = visitor(service, host);
    const { id_token: idToken } = await tokensOf(service, host, web, { email: 'ada@example.com', browser });
    await browser.send('/api/oidc/session/end?client_id=web');
    await service.clientsTold();
    const token = new URLSearchParams(told.received[0]?.body).get('logout_token');
    const code = codeOf('extensions.md', 'js').find((program) => program.includes('sessionToEnd')) ?? '';
    const program = started(runProgram(`${code}\nconsole.log(await sessionToEnd('${token}'));`, places));
    const [sid] = await program.says(/.+/);
    expect(sid).toBe(claimsOf(idToken).sid);
  });
});
