import { chmodSync, existsSync, readdirSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { textOf } from '../../src/cli/commands/doctor.ts';
import type { Place } from '../../src/doctor/call.ts';
import { type DoctorDeps, examine } from '../../src/doctor/examine.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import {
  judgeAccess,
  judgeFreeDisk,
  judgeSchema,
  judgeTime,
  judgeWriteAheadLog,
} from '../../src/doctor/machine.ts';
import { systemRandom } from '../../src/random.ts';
import { readDatabase } from '../../src/storage/backup.ts';
import { hosts } from '../support/fixtures.ts';
import { startSmtp } from '../support/members/smtp.ts';
import { type Authority, type Certificate, makeAuthority } from '../support/proxy/certificate.ts';
import { forward, type ProxyOptions, startProxy } from '../support/proxy/proxy.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';
import { freePort, startTestService, type TestService } from '../support/service.ts';

const now = Date.now();
const hour = 60 * 60 * 1_000;
const day = 24 * hour;
const names = Object.values(hosts);
const origin = 'https://a.test';

let service: TestService;
let authority: Authority;
let certificate: Certificate;
const trustedBefore = getCACertificates('default');

beforeAll(async () => {
  service = await startTestService({ data: 'security', trustedProxies: ['127.0.0.1'] });
  chmodSync(service.folder, 0o700);
  chmodSync(join(service.folder, 'memberdoor.db'), 0o600);
  chmodSync(join(service.folder, 'memberdoor.db-wal'), 0o600);
  service.clock.set(now);
  authority = makeAuthority(now);
  certificate = authority.issue(names, now - day, now + 60.5 * day);
  setDefaultCACertificates([...trustedBefore, authority.cert]);
});
afterAll(async () => {
  setDefaultCACertificates(trustedBefore);
  await service.stop();
});

/** Lets the doctor look at a service, by default through a proxy that does everything right. */
async function findings(
  options: Partial<ProxyOptions> = {},
  { of = service, at, plainAt = null, smtpUrl = null }: Looked = {},
): Promise<readonly Finding[]> {
  const down: ProxyOptions['down'] = (headers) => {
    // The real time goes on, and the clock of this test does not.
    headers.date = new Date(now).toUTCString();
    options.down?.(headers);
  };
  const proxy = await startProxy({ to: of.port, certificate, up: forward, ...options, down });
  onTestFinished(() => proxy.close());
  const { folder: dataFolder, port } = of;
  const mail = { smtpUrl, from: 'door@example.test' };
  const config = { apiHost: null, dataFolder, host: 'localhost', mail, port, settingFiles: [] } as const;
  return examine({
    config: { ...config, environment: 'production' },
    clock: () => now,
    random: systemRandom,
    at: at ?? { host: '127.0.0.1', port: proxy.port },
    plainAt,
  });
}

interface Looked {
  readonly of?: TestService;
  readonly at?: Place;
  readonly plainAt?: DoctorDeps['plainAt'];
  readonly smtpUrl?: string | null;
}

const wrongAt = (all: readonly Finding[], where: string) =>
  all.filter((finding) => !finding.isWell && finding.where === where).map(({ what }) => what);

describe('a doctor', () => {
  it('finds nothing wrong behind a proxy that passes everything on', async () => {
    const all = await findings();
    expect(all.filter(({ isWell }) => !isWell)).toEqual([]);
    for (const name of names) {
      expect(all.filter(({ where }) => where === `https://${name}`).map(({ what }) => what)).toEqual([
        'its certificate is good for 60 days',
        `Host arrives as ${name}`,
        'the scheme is https',
        'callers are known by X-Forwarded-For of 127.0.0.1',
        'cookies arrive as they were set',
        'browsers stay on https (HSTS)',
        'the clocks agree',
      ]);
    }
  });

  it('finds nothing wrong with a development start, which has no proxy', async () => {
    const development = await startTestService({ data: 'development' });
    onTestFinished(() => development.stop());
    development.clock.set(now);
    const all = await findings({}, { of: development, at: { host: '127.0.0.1', port: development.port } });
    expect(all.filter(({ isWell, where }) => !isWell && where.startsWith('http'))).toEqual([]);
    expect(all.filter(({ where }) => where === `http://localhost:${development.port}`)).toHaveLength(5);
  });

  it('leaves nothing behind', async () => {
    await findings();
    expect(readdirSync(service.folder).filter((name) => name.startsWith('doctor'))).toEqual([]);
  });
});

describe('of the way to the service a doctor finds', () => {
  const cookieWithout =
    (part: RegExp) =>
    (headers: IncomingHttpHeaders): void => {
      headers['set-cookie'] = headers['set-cookie']?.map((line) => line.replace(part, '')) ?? [];
    };

  it.each<[string, Partial<ProxyOptions>, RegExp, string]>([
    [
      'a Host that arrives as the address of the service',
      { up: (headers) => forward(Object.assign(headers, { host: '127.0.0.1:3000' })) },
      /^Host arrives as 127\.0\.0\.1:3000 instead of a\.test$/,
      'proxy_set_header Host $host;',
    ],
    [
      'a Host that is the one of another tenant',
      { up: (headers) => forward(Object.assign(headers, { host: 'b.test' })) },
      /^Host arrives as b\.test instead of a\.test$/,
      'proxy_set_header Host $host;',
    ],
    [
      'a scheme that arrives wrong',
      { up: (headers) => forward(headers, '127.0.0.1', 'http') },
      /^X-Forwarded-Proto says http/,
      'proxy_set_header X-Forwarded-Proto $scheme;',
    ],
    [
      'an X-Forwarded-For that is missing',
      {
        up: (headers) => {
          delete headers['x-forwarded-for'];
        },
      },
      /^no X-Forwarded-For arrives, so everybody seems to come from 127\.0\.0\.1$/,
      'proxy_set_header X-Forwarded-For',
    ],
    [
      'an X-Forwarded-For that callers choose',
      { up: () => {} },
      /^the proxy passes on whatever address a caller claims$/,
      'proxy_set_header X-Forwarded-For',
    ],
    [
      'cookies that lost Secure',
      { up: forward, down: cookieWithout(/; Secure/) },
      /^cookies arrive changed: they lack Secure$/,
      'proxy_cookie_flags',
    ],
    [
      'cookies that lost HttpOnly, SameSite and their prefix',
      { up: forward, down: cookieWithout(/__Host-|; HttpOnly; Secure; SameSite=Lax/g) },
      /^cookies arrive changed: they lack __Host-, lack Secure, lack HttpOnly, lack SameSite=Lax$/,
      'proxy_cookie_flags',
    ],
    [
      'cookies that are dropped',
      {
        down: (headers) => {
          delete headers['set-cookie'];
        },
      },
      /^cookies do not get through$/,
      'proxy_hide_header',
    ],
    [
      'an HSTS that is dropped',
      {
        down: (headers) => {
          delete headers['strict-transport-security'];
        },
      },
      /^HSTS does not get through$/,
      'Strict-Transport-Security',
    ],
    [
      'an HSTS that was shortened',
      {
        down: (headers) => {
          headers['strict-transport-security'] = 'max-age=60';
        },
      },
      /^HSTS arrives as max-age=60$/,
      'Strict-Transport-Security',
    ],
    [
      'a clock of the proxy that is off',
      {
        down: (headers) => {
          headers.date = new Date(now - 60_000).toUTCString();
        },
      },
      /^the clock of the proxy differs from this one by -6[01] s$/,
      '',
    ],
  ])('%s, names it, and nothing else', async (_what, options, message, line) => {
    const all = await findings(options);
    expect(wrongAt(all, origin)).toEqual([expect.stringMatching(message)]);
    const found = all.find(({ where, isWell }) => where === origin && !isWell);
    expect(found?.advice).not.toBe(null);
    expect(found === undefined ? '' : textOf(found)).toContain(line);
  });

  it('a proxy that is not trusted, and the setting that mends it', async () => {
    const untrusting = await startTestService({ data: 'security' });
    onTestFinished(() => untrusting.stop());
    untrusting.clock.set(now);
    const all = await findings({}, { of: untrusting });
    expect(wrongAt(all, origin)).toEqual([
      'X-Forwarded-For from 127.0.0.1 is not trusted, so everybody seems to come from there',
    ]);
    expect(all.map(textOf).join('')).toContain('set MEMBERDOOR_TRUSTED_PROXIES=127.0.0.1');
  });

  it('a trust in everybody', async () => {
    const trusting = await startTestService({
      data: 'security',
      trustedProxies: ['0.0.0.0/1', '128.0.0.0/1'],
    });
    onTestFinished(() => trusting.stop());
    trusting.clock.set(now);
    expect(wrongAt(await findings({}, { of: trusting }), origin)).toEqual([
      'every address is trusted as a proxy, so callers can claim any',
    ]);
  });

  it.each<[string, () => Certificate, RegExp]>([
    [
      'has expired',
      () => authority.issue(names, now - 9 * day, now - 3 * day),
      /^its certificate expired 3 days ago$/,
    ],
    [
      'expires soon',
      () => authority.issue(names, now - 80 * day, now + 5.5 * day),
      /^its certificate is good for 5 days$/,
    ],
    [
      'lasts for hours, and expires soon',
      () => authority.issue(names, now - 11 * hour, now + 1.5 * hour),
      /^its certificate is good for 1 hours$/,
    ],
    [
      'is for another name',
      () => authority.issue(['other.test'], now - day, now + 60.5 * day),
      /for another name$/,
    ],
    [
      'nobody trusts',
      () => makeAuthority(now).issue(names, now - day, now + 60.5 * day),
      /^its certificate is not trusted: /,
    ],
  ])('a certificate that %s, and looks further', async (_what, issue, message) => {
    const all = await findings({ certificate: issue() });
    expect(wrongAt(all, origin)).toEqual([expect.stringMatching(message)]);
    expect(all.filter(({ where }) => where === origin)).toHaveLength(7);
  });

  it('nothing wrong with a certificate that lasts for hours, as some do', async () => {
    const short = authority.issue(names, now - 6 * hour, now + 6 * hour);
    expect(wrongAt(await findings({ certificate: short }), origin)).toEqual([]);
  });

  it('an address where nobody listens, or somebody else does', async () => {
    const closed = await findings({}, { at: { host: '127.0.0.1', port: await freePort() } });
    expect(wrongAt(closed, origin)).toEqual(['it cannot be reached: ECONNREFUSED']);
    expect(closed.map(textOf).join('')).toContain(`reverse_proxy 127.0.0.1:${service.port}`);
    const other = await startTestService({ data: 'security' });
    onTestFinished(() => other.stop());
    expect(wrongAt(await findings({ to: other.port }), origin)).toEqual([
      'something else answers there (status 404)',
    ]);
  });

  it('a service that is also there over plain http', async () => {
    const plain = await startProxy({ to: service.port, certificate: null });
    onTestFinished(() => plain.close());
    const all = await findings({}, { plainAt: { host: '127.0.0.1', port: plain.port } });
    expect(wrongAt(all, origin)).toEqual(['it is served over plain http too']);
    const none = await findings({}, { plainAt: { host: '127.0.0.1', port: await freePort() } });
    expect(wrongAt(none, origin)).toEqual([]);
  });

  it('a clock of the service that is off', async () => {
    service.clock.set(now + 90_000);
    onTestFinished(() => service.clock.set(now));
    expect(wrongAt(await findings(), origin)).toEqual([
      'the clock of the service differs from this one by 90 s',
    ]);
  });
});

describe('of the machine a doctor finds', () => {
  it('a service that is not running, and asks no proxy', async () => {
    const stopped = await startTestService({ data: 'security', folder: temporaryFolder() });
    await stopped.stop();
    const all = await findings({}, { of: stopped });
    expect(wrongAt(all, 'service')).toEqual(['it is not ready: ECONNREFUSED']);
    expect(all.filter(({ where }) => where.startsWith('http'))).toEqual([]);
  });

  it('a folder without a database', async () => {
    const all = await findings({}, { of: { ...service, folder: temporaryFolder() } });
    expect(all).toHaveLength(1);
    expect(wrongAt(all, 'database')).toEqual([expect.stringMatching(/cannot be read/)]);
  });

  it('a mail server that takes no mails, and says nothing of its password', async () => {
    const smtp = await startSmtp({ user: 'door', password: 'secret' });
    onTestFinished(() => smtp.stop());
    expect(wrongAt(await findings({}, { smtpUrl: smtp.url }), 'mail')).toEqual([]);
    const wrongUrl = smtp.url.replace('secret', 'not-the-one');
    const all = await findings({}, { smtpUrl: wrongUrl });
    expect(wrongAt(all, 'mail')).toEqual(['127.0.0.1 takes no mails: EAUTH 535']);
    expect(all.map(textOf).join('')).not.toContain('not-the-one');
    const gone = await findings({}, { smtpUrl: `smtp://127.0.0.1:${await freePort()}` });
    expect(wrongAt(gone, 'mail')).toEqual([
      expect.stringMatching(/^127\.0\.0\.1 takes no mails: .*ECONNREF/),
    ]);
  });

  it('a schema that is older or newer, and events of the future', () => {
    const facts = readDatabase(join(service.folder, 'memberdoor.db'));
    expect(judgeSchema(facts).isWell).toBe(true);
    expect(judgeSchema({ ...facts, schema: facts.schema.slice(0, 2) }).what).toMatch(/lacks 0003-members/);
    expect(judgeSchema({ ...facts, schema: [...facts.schema, '9999-later'] }).what).toMatch(/newer.*9999/);
    expect(judgeTime({ ...facts, newestEventAt: now + 60_000 }, now).what).toMatch(/60 s ahead/);
    expect(judgeTime({ ...facts, newestEventAt: null }, now).isWell).toBe(true);
  });

  it('a disk that is nearly full, and a write-ahead log that grows', () => {
    const megabyte = 1_024 * 1_024;
    expect(judgeFreeDisk(300 * megabyte, 10 * megabyte).isWell).toBe(true);
    expect(judgeFreeDisk(200 * megabyte, 10 * megabyte).isWell).toBe(false);
    expect(judgeFreeDisk(900 * megabyte, 1_000 * megabyte).isWell).toBe(false);
    expect(judgeWriteAheadLog(4 * megabyte).isWell).toBe(true);
    expect(judgeWriteAheadLog(65 * megabyte).isWell).toBe(false);
  });

  it('files that others can read', () => {
    const folder = temporaryFolder();
    const secret = join(temporaryFolder(), 'key');
    const look = (settingFiles: readonly string[] = []) => judgeAccess({ dataFolder: folder, settingFiles });
    expect(look([secret]).isWell).toBe(true);
    chmodSync(folder, 0o750);
    expect(look().what).toBe(`others can read ${folder}`);
    expect(look().advice).toBe(`run chmod go= ${folder}`);
    expect(existsSync(secret)).toBe(false);
  });
});
