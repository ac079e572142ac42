// The service behind a real Caddy and a real nginx: npm run test:proxies. It takes a minute, and the proxies from
// Debian's packages where they are not installed; where they cannot be had it says so and ends well.
import { match, strictEqual } from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SMTPServer } from 'smtp-server';
import { createPasswords } from '../../src/secrets/password.ts';
import { openVault } from '../../src/secrets/vault.ts';
import { openStore } from '../../src/storage/sqlite/open.ts';
import { systemRandom } from '../../src/system/random.ts';
import { hosts } from '../../test/support/fixtures.ts';
import { type Started, startProcess } from '../../test/support/process/started.ts';
import { fixtureKey, loadData } from '../../test/support/run/fixture-folders.ts';
import { freePort } from '../../test/support/service.ts';
import { doctor, keepsInside, leadsToHttps, wholeFlow } from './checks.ts';
import { findProgram } from './packages.ts';
import { type Change, caddy, nginx, type RealProxy } from './proxies.ts';
import { tlsClient } from './tls-client.ts';

const downloads = fileURLToPath(new URL('../output/proxies/', import.meta.url));
const counts = { passed: 0, failed: 0, skipped: 0 };

async function check(title: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    counts.passed += 1;
    console.log(`ok      ${title}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED  ${title}\n${error instanceof Error ? error.stack : String(error)}`);
  }
}

/** What an operator may have got wrong in each file, and what the doctor must say. */
const faults: Readonly<Record<RealProxy['name'], readonly { change: Change; says: RegExp }[]>> = {
  nginx: [
    {
      change: { from: '        proxy_set_header Host $host;\n', to: '' },
      says: /Host arrives as 127\.0\.0\.1/,
    },
    {
      change: { from: '        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;\n', to: '' },
      says: /passes on whatever address a caller claims/,
    },
    {
      change: { from: 'X-Forwarded-For $proxy_add_x_forwarded_for', to: 'X-Forwarded-For ""' },
      says: /no X-Forwarded-For arrives/,
    },
    { change: { from: 'X-Forwarded-Proto $scheme', to: 'X-Forwarded-Proto http' }, says: /Proto says http/ },
    {
      change: { from: 'proxy_redirect off;', to: 'proxy_cookie_flags ~ nosecure nohttponly;' },
      says: /cookies arrive changed: they lack Secure, lack HttpOnly/,
    },
    {
      change: { from: 'proxy_redirect off;', to: 'proxy_hide_header Strict-Transport-Security;' },
      says: /HSTS does not get through/,
    },
  ],
  Caddy: [
    { fault: 'header_up Host {upstream_hostport}', says: /Host arrives as 127\.0\.0\.1/ },
    { fault: 'header_up -X-Forwarded-For', says: /no X-Forwarded-For arrives/ },
    { fault: 'header_up X-Forwarded-Proto http', says: /Proto says http/ },
    { fault: 'header_down Set-Cookie "; Secure" "; Open"', says: /cookies arrive changed: they lack Secure/ },
    { fault: 'header_down -Strict-Transport-Security', says: /HSTS does not get through/ },
  ].map(({ fault, says }) => ({
    change: { from: '\t\ttransport http {', to: `\t\t${fault}\n\t\ttransport http {` },
    says,
  })),
};

async function main(): Promise<void> {
  process.umask(0o077);
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-proxies-'));
  const dataFolder = join(folder, 'data');
  const smtp = new SMTPServer({ disabledCommands: ['AUTH', 'STARTTLS'], logger: false });
  await new Promise<void>((resolve) => {
    smtp.listen(0, '127.0.0.1', resolve);
  });
  const mailPort = (smtp.server.address() as { port: number }).port;
  const ports = { http: await freePort(), https: await freePort(), service: await freePort() };
  await fill(dataFolder);
  const settings = {
    MEMBERDOOR_ENV: 'production',
    MEMBERDOOR_DATA: dataFolder,
    MEMBERDOOR_PORT: String(ports.service),
    MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64'),
    MEMBERDOOR_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    MEMBERDOOR_MAIL_FROM: 'door@example.test',
    MEMBERDOOR_TRUSTED_PROXIES: '127.0.0.1',
    MEMBERDOOR_LOG_LEVEL: 'warn',
  };
  let service: Started | undefined;
  const startService = async (changed: Partial<typeof settings> = {}) => {
    service = startProcess({ settings: { ...settings, ...changed } });
    await service.ready;
  };
  try {
    await startService();
    for (const [name, make] of Object.entries({ caddy, nginx })) {
      const program = findProgram(name, downloads);
      if ('missing' in program) {
        counts.skipped += 1;
        console.log(`skipped ${name}: ${program.missing}`);
        continue;
      }
      const proxy = make(program.path, join(folder, name), ports);
      await checkProxy(proxy, ports, settings);
      await check(`${proxy.name}: the doctor finds that it is not trusted`, async () => {
        await service?.stop();
        await startService({ MEMBERDOOR_TRUSTED_PROXIES: '192.0.2.9' });
        await expectFault(
          proxy,
          undefined,
          ports.https,
          settings,
          /set MEMBERDOOR_TRUSTED_PROXIES=127\.0\.0\.1/,
        );
        await service?.stop();
        await startService();
      });
    }
  } finally {
    await service?.kill();
    smtp.close(() => {});
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkProxy(
  proxy: RealProxy,
  ports: { http: number; https: number; service: number },
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const { name } = proxy;
  await proxy.start();
  for (const host of [hosts.a, hosts.b]) {
    await check(`${name}: ${host} works from end to end`, async () => {
      const http = tlsClient(ports.https, readFileSync(proxy.authorityFile, 'utf8'));
      await wholeFlow(http, host);
      await keepsInside(http, host);
      http.close();
    });
    await check(`${name}: plain http of ${host} leads on to https`, () => leadsToHttps(ports.http, host));
  }
  await check(`${name}: a domain that is not ours gets no certificate`, async () => {
    const http = tlsClient(ports.https, readFileSync(proxy.authorityFile, 'utf8'));
    const error = await http('unknown.test', '/livez').then(
      () => null,
      (reason: unknown) => reason,
    );
    http.close();
    match(String(error), /SSL alert/);
  });
  await check(`${name}: the doctor finds all well`, async () => {
    const { code, text } = await doctor(settings, ports.https, proxy.authorityFile);
    strictEqual(code, 0, text);
    strictEqual(text.endsWith('All is well.\n'), true, text);
  });
  await proxy.stop();
  for (const { change, says } of faults[name]) {
    await check(`${name}: the doctor finds a planted fault and names it: ${says.source}`, () =>
      expectFault(proxy, change, ports.https, settings, says),
    );
  }
}

/** Starts the proxy with a fault, and holds the doctor to find it at each of the tenants and nothing else. */
async function expectFault(
  proxy: RealProxy,
  change: Change | undefined,
  port: number,
  settings: Readonly<Record<string, string>>,
  says: RegExp,
): Promise<void> {
  await proxy.start(change);
  const { code, text } = await doctor(settings, port, proxy.authorityFile).finally(() => proxy.stop());
  strictEqual(code, 1, text);
  const wrong = text.split('\n').filter((line) => line.startsWith('wrong'));
  strictEqual(wrong.length, Object.keys(hosts).length, text);
  for (const line of wrong) strictEqual(says.test(line), true, line);
}

async function fill(dataFolder: string): Promise<void> {
  const store = await openStore(dataFolder, true);
  const deps = {
    vault: openVault(fixtureKey),
    passwords: createPasswords(),
    random: systemRandom,
    now: Date.now(),
  };
  await loadData(store, 'security', deps, 0);
  await store.close();
  chmodSync(dataFolder, 0o700);
}

await main();
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 ? 0 : 1);
