// Starts the service as `npm start` does, and registers the clients of the cases as an operator would.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../../test/support/browser/app.ts';
import { startBrowser } from '../../test/support/browser/browser.ts';
import { httpClient } from '../../test/support/http.ts';
import { startProcess } from '../../test/support/process/started.ts';
import { makeAuthority } from '../../test/support/proxy/certificate.ts';
import { freePort } from '../../test/support/service.ts';
import { visitor } from '../../test/support/visitor.ts';
import { bundled } from './bundle.ts';
import type { Door } from './case.ts';

const day = 24 * 60 * 60 * 1_000;

/** How long a page may take for each thing that its library does (ms). */
const pageTimeout = 20_000;

/** A running service, until it is closed. */
export interface OpenDoor extends Door {
  /** Closes the pages and the apps of a case. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export async function openDoor(): Promise<OpenDoor> {
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-clients-'));
  const port = await freePort();
  const host = `localhost:${port}`;
  const now = Date.now();
  const authority = makeAuthority(now);
  const trusted = join(folder, 'authority.pem');
  writeFileSync(trusted, authority.cert);
  const settings = {
    MEMBERDOOR_PORT: String(port),
    MEMBERDOOR_DATA: join(folder, 'data'),
    MEMBERDOOR_LOG_LEVEL: 'warn',
    NODE_EXTRA_CA_CERTS: trusted,
  };
  const started = startProcess({ settings });
  const http = httpClient(port);
  try {
    const issuer = await started.ready;
    const apiToken = await newApiToken(settings, host);
    const browser = await startBrowser();
    const apps: { stop(): Promise<void> }[] = [];
    let registered = 0;

    const operate = async <Answered>(method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${apiToken}`, 'content-type': 'application/json' };
      const address = `/api/v1/admin/tenants/${host}${path}`;
      const answer = await http(host, address, { method, headers, body: JSON.stringify(body) });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
      return answer.json<Answered & Record<string, unknown>>();
    };

    const door: Door = {
      issuer,
      service: { http },
      register: async ({ type, ...rest }) => {
        registered += 1;
        const clientId = `client-${registered}`;
        const facts = { clientId, name: `Client ${registered}`, type, ...rest };
        const { secret = '' } = await operate<{ secret?: string }>('POST', '/clients', facts);
        return { clientId, secret };
      },
      changeTenant: async (changes) => {
        await operate('PATCH', '', changes);
      },
      registerApi: async (identifier, scope) => {
        const scopes = { [scope]: 'Use your tools' };
        await operate('POST', '/apis', { identifier, name: 'Tools', scopes, unverifiedClients: true });
      },
      deleteApi: async (identifier) => {
        await operate('DELETE', `/apis/${encodeURIComponent(identifier)}`, {});
      },
      certificate: authority.issue(['localhost'], now - day, now + day),
      visitor: () => visitor({ http }, host),
      view: async () => {
        const view = await browser.open();
        // A library that stands still is to say why before its own time is over.
        view.context.setDefaultTimeout(pageTimeout);
        return view;
      },
      page: async (file, settingsOf) => {
        const script = await bundled(file, 'browser');
        // The page has the settings by then: it is not opened before.
        const page = { type: 'text/html; charset=utf-8', body: '' };
        const code = { type: 'text/javascript', body: script };
        const app = await startApp({ '/': page, '/callback': page, '/app.js': code });
        apps.push(app);
        page.body = `<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,">
<div id="root"></div><app-root></app-root>
<script>window.settings = ${JSON.stringify(await settingsOf(app.origin))};</script>
<script type="module" src="/app.js"></script>`;
        return app;
      },
    };
    return {
      ...door,
      tidy: async () => {
        await browser.closeViews();
        await Promise.all(apps.splice(0).map((app) => app.stop()));
      },
      close: async () => {
        await browser.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }

  async function end(): Promise<void> {
    http.close();
    await started.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A token of the admin API, made by the command as the manual says. */
async function newApiToken(settings: Readonly<Record<string, string>>, tenant: string): Promise<string> {
  const permissions = ['apis', 'clients', 'tenants'].flatMap((noun) => [
    '--permissions',
    `${noun}:read`,
    '--permissions',
    `${noun}:write`,
  ]);
  const words = ['tokens', 'create', '--tenant', tenant, '--name', 'Clients', ...permissions];
  const command = startProcess({ settings, words });
  const { code } = await command.exited;
  const [token = ''] = command.lines();
  if (code !== 0 || token === '') throw new Error(`no API token: ${command.errorLines().join('\n')}`);
  return token;
}
