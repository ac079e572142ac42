import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { writeRefreshToken } from '../../../src/core/grants/refresh-token.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { itOfSqlite } from '../../support/run/it-of-sqlite.ts';
import { apps, expectError, profile, refreshAs, revoke, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import type { Tokens } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

/** The answer to every revocation that is not refused, whether or not it ended anything (RFC 7009 §2.2). */
const expectEmpty = (answer: Answer) => {
  expect(answer.status).toBe(200);
  expect(answer.text).toBe('');
  expect(answer.headers['content-length']).toBe('0');
  expect(answer.headers['content-type']).toBeUndefined();
  expect(answer.headers['cache-control']).toBe('no-store');
};

const pub1Revokes = (token: string | undefined, more: Record<string, string> = {}, host: string = hosts.a) =>
  revoke(service, host, { client_id: 'pub1', token: String(token), ...more });

const pub1Refreshes = (token: string | undefined, host: string = hosts.a) =>
  refreshAs(service, host, apps.pub1, token);

const expectWorks = async (token: string | undefined, host: string = hosts.a) =>
  expect((await pub1Refreshes(token, host)).status).toBe(200);

const expectDead = async (token: string | undefined) =>
  expectError(await pub1Refreshes(token), 400, 'invalid_grant');

describe('a token of its own', () => {
  it('V1: the current refresh token is revoked with 200 and an empty body; the access token lives on', async () => {
    const tokens = await tokensOf(service, hosts.a, apps.pub1);
    expectEmpty(await pub1Revokes(tokens.refresh_token, { token_type_hint: 'refresh_token' }));
    await expectDead(tokens.refresh_token);
    expect((await profile(service, hosts.a, tokens.access_token)).status).toBe(200);
  });

  it('decision 35: a superseded refresh token ends the sign-in too', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1);
    const next = (await pub1Refreshes(first.refresh_token)).json<Tokens>();
    expectEmpty(await pub1Revokes(first.refresh_token));
    await expectDead(next.refresh_token);
  });

  it('decision 35: an access token is answered 200 and changes nothing', async () => {
    const tokens = await tokensOf(service, hosts.a, apps.pub1);
    expectEmpty(await pub1Revokes(tokens.access_token));
    expectEmpty(await pub1Revokes(tokens.access_token, { token_type_hint: 'access_token' }));
    expect((await profile(service, hosts.a, tokens.access_token)).status).toBe(200);
    await expectWorks(tokens.refresh_token);
  });

  it.each(['access_token', 'id_token', 'REFRESH_TOKEN'])(
    'decision 35: the wrong hint %s is answered 200 and changes nothing',
    async (hint) => {
      const tokens = await tokensOf(service, hosts.a, apps.pub1);
      expectEmpty(await pub1Revokes(tokens.refresh_token, { token_type_hint: hint }));
      await expectWorks(tokens.refresh_token);
    },
  );
});

describe('V2: a token that is none is answered 200 with an empty body', () => {
  const tokenKey = () => service.tenants.byHost(hosts.a)?.tokenKey ?? Buffer.alloc(32);
  const unknownSignIn = () => ({ signInId: systemRandom.id(Date.now()), generation: 1 });

  it.each([
    ['of an unknown sign-in', () => writeRefreshToken(tokenKey(), unknownSignIn())],
    ['with a forged proof', () => writeRefreshToken(Buffer.alloc(32), unknownSignIn())],
    ['of garbage', () => '%00 \u{1f98a} <script>'],
    ['of 10 KB', () => 'x'.repeat(10 * 1_024)],
  ])('a token %s', async (_kind, token) => {
    expectEmpty(await pub1Revokes(token()));
  });

  it('a token that is already revoked', async () => {
    const tokens = await tokensOf(service, hosts.a, apps.pub1);
    expectEmpty(await pub1Revokes(tokens.refresh_token));
    expectEmpty(await pub1Revokes(tokens.refresh_token));
    await expectDead(tokens.refresh_token);
  });
});

describe("another's token", () => {
  it('V4: another client is answered 200, and the refresh token still works', async () => {
    const tokens = await tokensOf(service, hosts.a, apps.pub1);
    expectEmpty(await revoke(service, hosts.a, { client_id: 'pub2', token: String(tokens.refresh_token) }));
    await expectWorks(tokens.refresh_token);
  });

  it('V6: the same client of another tenant is answered 200, and the token still works on its own', async () => {
    const tokens = await tokensOf(service, hosts.b, apps.pub1);
    expectEmpty(await pub1Revokes(tokens.refresh_token, {}, hosts.a));
    await expectWorks(tokens.refresh_token, hosts.b);
  });
});

describe('a confidential client', () => {
  const body = (token: string | undefined) => ({ client_id: 'conf1', token: String(token) });
  const basic = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`conf1:${secret}`).toString('base64')}`,
  });

  it('V5: it is served without credentials, since holding the token proves enough to end it', async () => {
    const { refresh_token: token } = await tokensOf(service, hosts.a, apps.conf1);
    expectEmpty(await revoke(service, hosts.a, body(token)));
    expectError(await refreshAs(service, hosts.a, apps.conf1, token), 400, 'invalid_grant');
  });

  it('V5: with a wrong secret it is invalid_client, and the token still works', async () => {
    const { refresh_token: token } = await tokensOf(service, hosts.a, apps.conf1);
    expectError(
      await revoke(service, hosts.a, { ...body(token), client_secret: 'wrong' }),
      401,
      'invalid_client',
    );
    expectError(await revoke(service, hosts.a, body(token), basic('wrong')), 401, 'invalid_client');
    expect((await refreshAs(service, hosts.a, apps.conf1, token)).status).toBe(200);
  });

  it('V5: with the right secret it is served, in the body and by Basic', async () => {
    for (const [more, headers] of [
      [{ client_secret: apps.conf1.secret }, {}],
      [{}, basic(apps.conf1.secret)],
    ] as const) {
      const { refresh_token: token } = await tokensOf(service, hosts.a, apps.conf1);
      expectEmpty(await revoke(service, hosts.a, { ...body(token), ...more }, headers));
      expectError(await refreshAs(service, hosts.a, apps.conf1, token), 400, 'invalid_grant');
    }
  });
});

describe('a request that is none', () => {
  it('V12: GET is 405 and changes nothing', async () => {
    const { refresh_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    const query = new URLSearchParams({ client_id: 'pub1', token: String(token) });
    const answer = await service.http(hosts.a, `/api/oidc/token/revocation?${query}`);
    expectError(answer, 405, 'invalid_request');
    expect(answer.headers.allow).toBe('POST, OPTIONS');
    await expectWorks(token);
  });

  it('V12: JSON is 400 invalid_request and changes nothing', async () => {
    const { refresh_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    const answer = await service.http(hosts.a, '/api/oidc/token/revocation', {
      body: JSON.stringify({ client_id: 'pub1', token }),
      headers: { 'content-type': 'application/json' },
    });
    expectError(answer, 400, 'invalid_request');
    await expectWorks(token);
  });
});

describe('storage in trouble', () => {
  itOfSqlite(
    'decision 35: a revocation that cannot be written is 503, never a false 200, and can be sent again',
    async () => {
      const { refresh_token: token } = await tokensOf(service, hosts.a, apps.pub1);
      const foreign = new SQLite(join(service.folder, 'memberdoor.db'));
      try {
        foreign.exec('begin immediate');
        const answer = await pub1Revokes(token);
        expectError(answer, 503, 'server_error');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        foreign.exec('rollback');
        const next = await pub1Refreshes(token);
        expect(next.status).toBe(200);
        expectEmpty(await pub1Revokes(next.json<Tokens>().refresh_token));
        await expectDead(next.json<Tokens>().refresh_token);
      } finally {
        foreign.close();
      }
    },
  );
});
