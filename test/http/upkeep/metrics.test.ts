import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countPasswords } from '../../../src/http/upkeep/metrics.ts';
import {
  createMetrics,
  type MetricsServer,
  serveMetrics,
  watch,
} from '../../../src/http/upkeep/prometheus.ts';
import { backUp, lastBackupFile } from '../../../src/operations/upkeep/backup.ts';
import { insertMail } from '../../../src/storage/members/mail.ts';
import { databaseFile } from '../../../src/storage/sqlite/open.ts';
import { StartupError } from '../../../src/system/startup-error.ts';
import { version } from '../../../src/system/version.ts';
import { codesFor, poll } from '../../support/device.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import { apps, refreshAs, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, pkce, type Tokens, token, visitor } from '../../support/visitor.ts';

const metrics = createMetrics();
const service = useService({ data: 'security', metrics });
let server: MetricsServer;
const hashing = { inHand: 0 };

beforeAll(async () => {
  watch(metrics, { ...service.deps, passwordsInHand: () => hashing.inHand, logLinesLost: () => 3 });
  server = await serveMetrics(metrics, 0);
});
afterAll(() => server.close());

const scrape = async () => (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();

/** The value of a series as it is scraped; 0 if there is none. */
async function value(series: string): Promise<number> {
  const line = (await scrape()).split('\n').find((text) => text.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

/** How much each series grew while something was done. */
async function growth(series: readonly string[], work: () => Promise<unknown>): Promise<readonly number[]> {
  const before = await Promise.all(series.map(value));
  await work();
  const after = await Promise.all(series.map(value));
  return after.map((count, index) => count - (before[index] ?? 0));
}

const requests = (route: string, method: string, status: number) =>
  `memberdoor_requests_total{route="${route}",method="${method}",status="${status}"}`;
const grants = (type: string, result: string) =>
  `memberdoor_grants_total{tenant="a.test",type="${type}",result="${result}"}`;

describe('metrics', () => {
  it('count answers by route, method and status, and never by what a caller made up', async () => {
    const series = [
      requests('/api/oidc/jwks', 'GET', 200),
      requests('none', 'GET', 404),
      'memberdoor_request_seconds_count{route="/api/oidc/jwks"}',
    ];
    const grown = await growth(series, async () => {
      await service.http(hosts.a, '/api/oidc/jwks');
      await service.http(hosts.a, '/no/such/address');
      await service.http('unknown.test', '/another?secret=1');
    });
    expect(grown).toEqual([1, 2, 1]);
    expect(await scrape()).not.toMatch(/no\/such|another|unknown\.test/);
  });

  it('count grants by type and result', async () => {
    const series = [
      grants('authorization_code', 'done'),
      grants('refresh_token', 'done'),
      grants('refresh_token', 'invalid_grant'),
      grants('device_code', 'authorization_pending'),
      grants('refresh_token', 'invalid_client'),
      grants('other', 'unsupported_grant_type'),
      grants('other', 'invalid_request'),
      'memberdoor_refresh_reuse_total{tenant="a.test",client="pub1",class="parallel_refresh"}',
    ];
    const grown = await growth(series, async () => {
      const first = await tokensOf(service, hosts.a, apps.pub1);
      const second = (await refreshAs(service, hosts.a, apps.pub1, first.refresh_token)).json<Tokens>();
      await refreshAs(service, hosts.a, apps.pub1, first.refresh_token);
      await refreshAs(service, hosts.a, apps.pub1, second.refresh_token);
      await poll(service, hosts.a, (await codesFor(service, hosts.a)).device_code);
      await refreshAs(service, hosts.a, { ...apps.conf1, secret: 'wrong' }, second.refresh_token);
      await token(service, hosts.a, { grant_type: 'made up', client_id: 'pub1' });
      await service.http(hosts.a, '/api/oidc/token', { body: '{}', headers: { 'content-type': 'x/y' } });
    });
    // The second refusal is of a sign-in that had ended: no second theft.
    expect(grown).toEqual([1, 1, 2, 1, 1, 1, 1, 1]);
    expect(await scrape()).not.toContain('made up');
  });

  it('tell commits, and how many transactions shared them', async () => {
    const series = ['memberdoor_commit_seconds_count', 'memberdoor_transactions_total'];
    const [commits = 0, transactions = 0] = await growth(series, () =>
      Promise.all(Array.from({ length: 20 }, () => service.store.transaction(async () => null))),
    );
    expect(transactions).toBeGreaterThanOrEqual(20);
    expect(commits).toBeLessThan(transactions);
    expect(await scrape()).toMatch(/^memberdoor_transactions_waiting 0$/m);
  });

  it('look at pending codes, mails that wait and passwords in hand when they are asked', async () => {
    const pending = `memberdoor_pending_device_codes{tenant="b.test"}`;
    expect(await value(pending)).toBe(0);
    await codesFor(service, hosts.b);
    await codesFor(service, hosts.b);
    expect(await value(pending)).toBe(2);

    const waiting = await value('memberdoor_mails{state="waiting"}');
    const tenantId = service.tenants.byHost(hosts.a)?.id ?? '';
    const mail = { tenantId, name: 'test', recipientHash: null, message: Buffer.from('sealed') };
    await service.store.transaction((tx) => insertMail(tx, mail, service.clock.now()));
    expect(await value('memberdoor_mails{state="waiting"}')).toBe(waiting + 1);

    hashing.inHand = 7;
    expect(await value('memberdoor_passwords_in_hand')).toBe(7);
  });

  it('count sign-ins by tenant, by way and by their result', async () => {
    const series = ['done', 'refused'].map(
      (result) => `memberdoor_sign_ins_total{tenant="b.test",who="member",way="password",result="${result}"}`,
    );
    const grown = await growth(series, async () => {
      const browser = visitor(service, hosts.b);
      const page = await browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));
      await browser.signIn(page, 'u1@example.test', 'not the password');
      await browser.signIn(page, 'u1@example.test');
    });
    expect(grown).toEqual([1, 1]);
  });

  it('tell of the last backup, the size of the database, lost lines of the log, and the version', async () => {
    expect(await value('memberdoor_last_backup_timestamp_seconds')).toBe(0);
    backUp(service.folder, join(service.folder, 'backup.db'));
    const { mtimeMs } = statSync(join(service.folder, lastBackupFile));
    expect(await value('memberdoor_last_backup_timestamp_seconds')).toBe(Math.floor(mtimeMs / 1_000));
    const { size } = statSync(join(service.folder, databaseFile));
    expect(await value('memberdoor_database_bytes{file="database"}')).toBe(size);
    expect(await value('memberdoor_database_bytes{file="log"}')).toBeGreaterThan(0);
    expect(await value('memberdoor_log_lines_lost')).toBe(3);
    const node = process.versions.node;
    expect(await value(`memberdoor_build_info{version="${version()}",node="${node}"}`)).toBe(1);
  });

  it('tell of the process and of Node', async () => {
    expect(await scrape()).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(await scrape()).toMatch(/^nodejs_eventloop_lag_seconds /m);
  });

  it('hold no secret', async () => {
    const tokens = await tokensOf(service, hosts.a, apps.conf1);
    const text = await scrape();
    for (const secret of [tokens.access_token, String(tokens.refresh_token), secrets.conf1, 'u1@example']) {
      expect(text).not.toContain(secret);
    }
  });
});

describe('the port of the metrics', () => {
  it('serves nothing else, and the public port does not serve them', async () => {
    const address = `http://127.0.0.1:${server.port}`;
    expect((await fetch(`${address}/`)).status).toBe(404);
    expect((await fetch(`${address}/metrics`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${address}/metrics`)).headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect((await service.http(hosts.a, '/metrics')).status).toBe(404);
    expect((await service.http('127.0.0.1', '/metrics')).status).toBe(404);
  });

  it('that is in use is said in one line', async () => {
    const refused = serveMetrics(metrics, server.port);
    await expect(refused).rejects.toThrow(StartupError);
    await expect(refused).rejects.toThrow(
      `The port ${server.port} is in use. Choose another with MEMBERDOOR_METRICS_PORT.`,
    );
  });
});

it('passwords in hand are those that were begun and not ended, well or badly', async () => {
  const { passwords, inHand } = countPasswords(service.passwords);
  const phc = await passwords.hash('a password of some length');
  expect(inHand()).toBe(0);
  const work = [passwords.verify('another', phc), passwords.verify('another', 'no hash')];
  expect(inHand()).toBe(2);
  await Promise.allSettled(work);
  expect(inHand()).toBe(0);
});
