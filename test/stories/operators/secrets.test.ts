import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { secrets as clientSecrets, hosts, passwords } from '../../support/fixtures.ts';
import { apps, profile, profilePath, refreshAs, revoke, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import {
  authorizationParameters,
  codeFor,
  field,
  pkce,
  type Tokens,
  token,
  visitor,
} from '../../support/visitor.ts';

const service = useService({ data: 'security' });
/** Every secret that was issued or used, by what it is. */
const secrets = new Map<string, Set<string>>();

const note = (kind: string, ...values: (string | undefined)[]) => {
  const known = secrets.get(kind) ?? new Set();
  secrets.set(kind, known);
  for (const value of values) if (value !== undefined && value !== '') known.add(value);
};

const noteTokens = (tokens: Tokens) => {
  note('access token', tokens.access_token);
  note('id_token', tokens.id_token);
  note('refresh token', tokens.refresh_token);
  // The proof alone would be enough to make a token of what the database holds.
  note('proof of a refresh token', tokens.refresh_token?.split('.').at(-1));
  note('signature', tokens.access_token.split('.')[2], tokens.id_token.split('.')[2]);
  return tokens;
};

beforeAll(async () => {
  const { http } = service;
  const browser = visitor(service, hosts.a);
  const noteCookies = () => {
    for (const [name, value] of browser.cookies) note(`cookie ${name}`, value);
  };

  // Sign-ins, bad and good.
  const page = await browser.authorize(authorizationParameters('pub1', apps.pub1.redirectUri, pkce()));
  note('flow', field(page, 'flow'));
  for (const [email, password] of [
    ['u1@example.test', 'a wrong password of u1'],
    ['nobody@example.test', 'the password of nobody'],
    ['u1@example.test', 'long '.repeat(300)],
    ['u1@example.test', 'far too long '.repeat(3_000)],
  ] as const) {
    note('password', password);
    await browser.signIn(page, email, password);
  }
  note('password', ...Object.values(passwords[hosts.a]));
  await browser.signIn(page, 'u1@example.test');
  noteCookies();

  // Exchange, refresh, reuse.
  const exchange = async (more: Record<string, string> = {}) => {
    const { code, verifier } = await codeFor(browser, 'conf1', apps.conf1.redirectUri);
    note('authorization code', code);
    note('verifier', verifier);
    const fields = { grant_type: 'authorization_code', client_id: 'conf1', code, code_verifier: verifier };
    return [
      await token(service, hosts.a, { ...fields, ...more }),
      await token(service, hosts.a, { ...fields, ...more }),
    ] as const;
  };
  note('client secret', ...Object.values(clientSecrets), 'a wrong client secret');
  const basic = Buffer.from(`conf1:${clientSecrets.conf1}`).toString('base64');
  note('Authorization header', basic);
  noteTokens((await exchange({ client_secret: clientSecrets.conf1 }))[0].json<Tokens>());
  await exchange({ client_secret: 'a wrong client secret' });
  await exchange({ client_secret: clientSecrets.conf1, code_verifier: pkce().verifier });
  const first = noteTokens(await tokensOf(service, hosts.a, apps.pub1, { browser }));
  const next = await refreshAs(service, hosts.a, apps.pub1, first.refresh_token);
  noteTokens(next.json<Tokens>());
  await refreshAs(service, hosts.a, apps.pub1, first.refresh_token);

  // Revocation, with and without success.
  const second = noteTokens(await tokensOf(service, hosts.a, apps.pub1, { browser }));
  await revoke(service, hosts.a, { client_id: 'pub2', token: String(second.refresh_token) });
  await revoke(service, hosts.a, { client_id: 'pub1', token: String(second.refresh_token) });
  await profile(service, hosts.a, second.access_token);
  await profile(service, hosts.a, `${second.access_token}x`);

  // Requests that carry secrets where they do not belong.
  const third = noteTokens(await tokensOf(service, hosts.a, apps.conf1, { browser }));
  const misplaced = new URLSearchParams({
    refresh_token: String(third.refresh_token),
    client_secret: clientSecrets.conf1,
    access_token: third.access_token,
    id_token_hint: third.id_token,
    code: [...(secrets.get('authorization code') ?? [])].join(' '),
  });
  const authorization = `Basic ${basic}`;
  for (const path of [
    '/api/oidc/token',
    '/api/oidc/token/revocation',
    '/api/oidc/auth',
    '/api/oidc/me',
    '/sign-in',
    '/consent',
    '/account',
    '/no-such-page',
    profilePath,
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      await http(hosts.a, `${path}?${misplaced}`, { method, headers: { authorization } });
    }
  }
  await http(hosts.a, `/${third.access_token}`);
  await http(hosts.a, `/%zz/${third.access_token}`);
  await http(hosts.a, `/api/oidc/token/${third.refresh_token}`, { method: 'POST' });
  await http('unknown.test', `/api/oidc/token?${misplaced}`, { headers: { authorization } });
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    for (const body of [JSON.stringify(third), `${misplaced}&${misplaced}`, `%zz=${third.refresh_token}`]) {
      await http(hosts.a, '/api/oidc/token', { body, headers: { 'content-type': type, authorization } });
    }
  }
  await sendRaw(`GET /api/oidc/token?${misplaced} HTTP/9.9\r\nauthorization: ${authorization}\r\n\r\n`);
  await sendRaw(`GET / HTTP/1.1\r\nhost: a.test\r\ncookie: ${'x'.repeat(40_000)}${basic}\r\n\r\n`);
  await sendRaw(`${basic} ${third.refresh_token}\r\n\r\n`);

  // Trouble with the storage, and with the service itself.
  const foreign = new SQLite(join(service.folder, 'memberdoor.db'));
  foreign.exec('begin immediate');
  await refreshAs(service, hosts.a, apps.conf1, third.refresh_token);
  await browser.signIn(page, 'u1@example.test');
  foreign.exec('rollback');
  foreign.exec('alter table signIns rename to elsewhere');
  await refreshAs(service, hosts.a, apps.conf1, third.refresh_token);
  await revoke(service, hosts.a, { client_id: 'conf1', token: String(third.refresh_token) });
  foreign.exec('alter table elsewhere rename to signIns');
  foreign.close();

  // The way out.
  noteCookies();
  const question = await browser.send('/api/oidc/session/end');
  note('confirmation', field(question, 'confirm'));
  await browser.send('/api/oidc/session/end', { body: { confirm: field(question, 'confirm') } });
  await browser.send(`/api/oidc/session/end?id_token_hint=${third.id_token}`);
});

/** Sends bytes that need not be HTTP, and waits for the service to close. */
async function sendRaw(text: string): Promise<void> {
  const socket = connect(service.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  socket.end(text);
  await once(socket, 'close');
}

/** A secret as it is, and as it would stand in an address or a form. */
const spellings = (secret: string) => [
  ...new Set([secret, encodeURIComponent(secret), encodeURIComponent(secret).replaceAll('%20', '+')]),
];

const kindsOf = () => [...secrets].map(([kind, values]) => [kind, [...values]] as const);

describe('W7: no secret stands in the log', () => {
  it('W7: the run issued and used every kind of secret, and was logged down to debug, errors too', () => {
    for (const [kind, values] of kindsOf()) expect(values.length, kind).toBeGreaterThan(0);
    expect(secrets.size).toBe(14);
    const levels = new Set(service.logLines.map((line) => JSON.parse(line).level));
    expect([...levels]).toEqual(expect.arrayContaining(['info', 'error']));
    expect(service.logLines.length).toBeGreaterThan(80);
    expect(service.logLines.join('')).toContain('unexpected error');
    expect(service.logLines.join('')).toContain('storage unavailable');
  });

  it('W7: none of them is in a line of the log', () => {
    const log = service.logLines.join('');
    for (const [kind, values] of kindsOf()) {
      for (const value of values) {
        for (const text of spellings(value)) expect(log.includes(text), kind).toBe(false);
      }
    }
  });
});

describe('W9: no secret stands in the data folder', () => {
  const files = () =>
    readdirSync(service.folder).map((name) => [name, readFileSync(join(service.folder, name))] as const);

  it('W9: the database and its write-ahead log hold the run', () => {
    const names = files().map(([name]) => name);
    expect(names).toEqual(expect.arrayContaining(['memberdoor.db', 'memberdoor.db-wal']));
    expect(Buffer.concat(files().map(([, bytes]) => bytes)).includes('u1@example.test')).toBe(true);
  });

  it('W9: none of the secrets is in their bytes', () => {
    for (const [name, bytes] of files()) {
      for (const [kind, values] of kindsOf()) {
        for (const value of values) expect(bytes.includes(value), `${kind} in ${name}`).toBe(false);
      }
    }
  });

  it('W9: no private key is there in clear, as PKCS#8, PEM, JWK or bare numbers', () => {
    const parts: Buffer[] = [];
    for (const { keys, tokenKey } of service.tenants.all()) {
      parts.push(tokenKey.export());
      for (const { privateKey } of keys) {
        parts.push(privateKey.export({ type: 'pkcs8', format: 'der' }));
        const { d, p, q, dp, dq, qi } = privateKey.export({ format: 'jwk' });
        for (const part of [d, p, q, dp, dq, qi]) {
          if (part !== undefined) parts.push(Buffer.from(part, 'base64url'));
        }
      }
    }
    expect(parts).toHaveLength(3 * (1 + (1 + 1) + (1 + 6)));
    for (const [name, bytes] of files()) {
      expect(bytes.includes('PRIVATE KEY'), name).toBe(false);
      expect(bytes.includes('"d":'), name).toBe(false);
      for (const part of parts) {
        for (const text of [
          part,
          part.toString('base64'),
          part.toString('base64url'),
          part.toString('hex'),
        ]) {
          expect(bytes.includes(text), name).toBe(false);
        }
      }
    }
  });
});
