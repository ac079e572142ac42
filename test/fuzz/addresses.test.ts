import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readReturnAddress } from '../../src/core/access/checkout.ts';
import { findRedirectUri, redirectUriProblem } from '../../src/core/oidc/client/redirect-uri.ts';
import { isWebOrigin } from '../../src/core/oidc/client/web-origin.ts';
import { readIssuer } from '../../src/core/tenant.ts';
import { contentSecurityPolicy, formTarget } from '../../src/http/headers.ts';
import { nearly, text } from '../support/fuzz/hostile.ts';
import { holds } from '../support/fuzz/runs.ts';

const registered = [
  'https://app.test/cb',
  'https://app.test/cb?x=1',
  'http://127.0.0.1/cb',
  'http://[::1]/cb',
  'http://localhost:8080/',
  'com.example.app:/callback',
];

const pieces = [
  ...[
    '@evil.test',
    '#',
    '?',
    '\\',
    '/',
    '//',
    ':',
    ':80',
    ':443',
    ':8443',
    ':53211',
    ':99999',
    ':0',
    '.evil.test',
    '%2e',
    ' ',
  ],
  ...[
    '\t',
    '\n',
    'localhost',
    '127.1',
    '2130706433',
    'http://',
    'https://',
    ';',
    ',',
    "'",
    '*',
    '%',
    '\0',
    'å',
  ],
];

/** An https origin of nearly any host. */
const hosted = nearly(['app.test', 'a_b.test', '[2001:db8::1]'], pieces).map((host) => `https://${host}`);

/** http on a loopback host, cut by hand: the host, the port and what follows it. */
function loopbackParts(uri: string): { host: string; port: string; rest: string } | null {
  const host = ['127.0.0.1', '[::1]', 'localhost'].find((known) => uri.startsWith(`http://${known}`));
  if (host === undefined) return null;
  const behind = uri.slice(`http://${host}`.length);
  const slash = behind.indexOf('/');
  const rest = slash === -1 ? '' : behind.slice(slash);
  const port = slash === -1 ? behind : behind.slice(0, slash);
  return { host, port, rest };
}

/** Whether two URIs are one but for the port of a loopback address (RFC 8252 §7.3). */
function differInPortAlone(one: string, other: string): boolean {
  const [left, right] = [loopbackParts(one), loopbackParts(other)];
  if (left === null || right === null || left.host !== right.host || left.rest !== right.rest) return false;
  const digits = right.port.slice(1);
  const isPort = /^[0-9]{1,5}$/.test(digits) && Number(digits) > 0 && Number(digits) < 65_536;
  return right.port === '' || (right.port.startsWith(':') && isPort);
}

describe('a redirect_uri', () => {
  it('decision 8: is one of the registered ones, letter by letter, or differs in a loopback port alone', () =>
    holds(
      fc.property(fc.subarray(registered), nearly(registered, pieces), (known, asked) => {
        const found = findRedirectUri(known, asked);
        const isKnown = known.some((uri) => uri === asked || differInPortAlone(uri, asked));
        expect(found).toBe(isKnown ? asked : null);
        if (found === null) return;
        // Browsers go to the same host as well.
        const hosts = known.map((uri) => new URL(uri).hostname);
        expect(hosts).toContain(new URL(found).hostname);
        expect(redirectUriProblem(found)).toBeNull();
      }),
      1_000,
    ));

  it('R18: that can be registered goes into a Location header and a policy as it is', () =>
    holds(
      fc.property(
        fc.oneof(
          nearly(registered, pieces),
          hosted.map((origin) => `${origin}/cb`),
          text(),
        ),
        (uri) => {
          if (redirectUriProblem(uri) !== null) return;
          expect(uri).toMatch(/^[!-~]+$/);
          const { protocol, username, password, hash, hostname } = new URL(uri);
          expect({ username, password, hash }).toEqual({ username: '', password: '', hash: '' });
          if (protocol === 'http:') expect(['127.0.0.1', '[::1]', 'localhost']).toContain(hostname);
          else if (protocol !== 'https:') expect(protocol).toMatch(/^[a-z][^:]*\..*:$/);
          const policy = contentSecurityPolicy('sha256-x', [formTarget(uri)]);
          expect(
            policy
              .split(';')
              .find((part) => part.startsWith('form-action'))
              ?.split(' '),
          ).toHaveLength(3);
          expect(policy.split(';')).toHaveLength(8);
        },
      ),
      1_000,
    ));
});

const origins = ['https://app.test', 'https://www.app.test:8443', 'http://localhost:8080'];
const onward = [
  'https://app.test:443/x',
  'https://app.test.evil.test/x',
  'https://app.test@evil.test/x',
  ...origins,
  'https://app.test/a/b?c=d#e',
  'https://app.test?x',
  'https://app.test/%2e%2e//evil.test',
];

describe('the public address of a tenant', () => {
  it('decision 4: is an origin, and reading it again changes nothing', () =>
    holds(
      fc.property(fc.oneof(nearly([...origins, 'http://127.0.0.1'], pieces), hosted, text()), (sent) => {
        const read = readIssuer(sent);
        if (read === null) return;
        const { origin, host, protocol } = new URL(sent.trim());
        // F19: with the dot of a whole domain name it is the same host.
        const withoutDot = (text: string) => text.replace(/\.(?=:\d+$|$)/, '');
        expect(read).toEqual({ issuer: withoutDot(origin), host: withoutDot(host) });
        expect(protocol === 'https:' || /^(?:(?:.+\.)?localhost(?::|$)|127\.|\[::1\])/.test(host)).toBe(true);
        expect(readIssuer(read.issuer)).toEqual(read);
      }),
      400,
    ));
});

describe('an address that a checkout leads back to', () => {
  it('K2: is of an allowed origin as it is written and as a browser reads it', () =>
    holds(
      fc.property(fc.subarray(origins), nearly(onward, pieces), (allowed, sent) => {
        const read = readReturnAddress(sent, allowed);
        if (sent === '') {
          expect(read.kind).toBe('none');
          return;
        }
        if (read.kind !== 'allowed') {
          expect(read.kind).toBe('refused');
          return;
        }
        const origin = allowed.find(
          (one) => sent === one || ['/', '?', '#'].includes(sent.charAt(one.length)),
        );
        expect(sent.slice(0, origin?.length)).toBe(origin);
        const url = new URL(read.url);
        expect(allowed).toContain(url.origin);
        expect({ user: url.username, password: url.password }).toEqual({ user: '', password: '' });
        // It goes into a Location header.
        expect(read.url).toMatch(/^[!-~]+$/);
        // What is checked again when the checkout redirects comes out as it went in.
        expect(readReturnAddress(read.url, allowed)).toEqual(read);
      }),
      1_000,
    ));

  it('decision 40: is checked against origins that go into a policy as they are', () =>
    holds(
      fc.property(fc.oneof(nearly(origins, pieces), hosted, text()), (origin) => {
        if (!isWebOrigin(origin)) return;
        expect(new URL(origin).origin).toBe(origin);
        const policy = contentSecurityPolicy('sha256-x', [formTarget(origin)]);
        expect(policy.split(';')).toHaveLength(8);
      }),
      1_000,
    ));
});
