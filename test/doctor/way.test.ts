import type { IncomingHttpHeaders } from 'node:http';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { textOf } from '../../src/cli/commands/doctor.ts';
import { names, type Patient, startPatient, wrongAt } from '../support/operators/doctor.ts';
import { type Authority, type Certificate, makeAuthority } from '../support/proxy/certificate.ts';
import { forward, type ProxyOptions, startProxy } from '../support/proxy/proxy.ts';
import { freePort } from '../support/service.ts';
import { serviceForTest, useStarted } from '../support/use-service.ts';

const now = Date.now();
const hour = 60 * 60 * 1_000;
const day = 24 * hour;
const origin = 'https://a.test';

const patient = useStarted(() => startPatient(now));
let service: Patient['service'];
let authority: Authority;
let findings: Patient['findings'];

beforeAll(() => {
  ({ service, authority, findings } = patient);
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
    expect(found === undefined ? '' : textOf(found, null)).toContain(line);
  });

  it('a proxy that is not trusted, and the setting that mends it', async () => {
    const untrusting = await serviceForTest({ data: 'security' });
    untrusting.clock.set(now);
    const all = await findings({}, { of: untrusting });
    expect(wrongAt(all, origin)).toEqual([
      'X-Forwarded-For from 127.0.0.1 is not trusted, so everybody seems to come from there',
    ]);
    expect(all.map((finding) => textOf(finding, null)).join('')).toContain(
      'set MEMBERDOOR_TRUSTED_PROXIES=127.0.0.1',
    );
  });

  it('that every address is trusted', async () => {
    const trusting = await serviceForTest({
      data: 'security',
      trustedProxies: ['0.0.0.0/1', '128.0.0.0/1'],
    });
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
      'is not trusted',
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

  it('an address where no server listens, or another one does', async () => {
    const closed = await findings({}, { at: { host: '127.0.0.1', port: await freePort() } });
    expect(wrongAt(closed, origin)).toEqual(['it cannot be reached: ECONNREFUSED']);
    expect(closed.map((finding) => textOf(finding, null)).join('')).toContain(
      `reverse_proxy 127.0.0.1:${service.port}`,
    );
    const other = await serviceForTest({ data: 'security' });
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
