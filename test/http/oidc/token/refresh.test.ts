import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRefreshToken, writeRefreshToken } from '../../../../src/core/grants/refresh-token.ts';
import { refreshTokenAbsolute, refreshTokenIdle } from '../../../../src/core/limits.ts';
import { registerClient } from '../../../../src/operations/client/client.ts';
import { disableMember, enableMember } from '../../../../src/operations/member/member.ts';
import { findSignIn } from '../../../../src/storage/grants/sign-in.ts';
import { hosts } from '../../../support/fixtures.ts';
import { apps, claimsOf, expectError, refreshAs, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { refresh, type Tokens, token, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });

const tenant = () => {
  const found = service.tenants.byHost(hosts.a);
  if (found === null) throw new Error('no tenant a');
  return found;
};

/** Refreshes as pub1 and gives the new tokens. */
const rotate = async (refreshToken: string | undefined, more: Record<string, string> = {}) => {
  const answer = await refresh(service, hosts.a, refreshToken, more);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Tokens>();
};

const expectDead = async (...refreshTokens: (string | undefined)[]) => {
  for (const dead of refreshTokens) {
    expectError(await refresh(service, hosts.a, dead), 400, 'invalid_grant');
  }
};

/** The sign-in of a refresh token, as it is stored. */
const signInOf = (refreshToken: string | undefined) =>
  service.store.transaction((tx) =>
    findSignIn(
      tx,
      tenant().id,
      readRefreshToken(tenant().tokenKey, String(refreshToken))?.signInId ?? 'none of ours',
    ),
  );

describe('rotation', () => {
  it('T1, I33: the current refresh token gives a new one, for the same member and the same scope', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1);
    const next = await rotate(first.refresh_token);
    expect(next.refresh_token).toBeTypeOf('string');
    expect(next.refresh_token).not.toBe(first.refresh_token);
    expect(next.scope).toBe(first.scope);
    expect(claimsOf(next.access_token).sub).toBe(claimsOf(first.access_token).sub);
  });

  it('T2, I34: an old refresh token ends the whole sign-in', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1);
    const next = await rotate(first.refresh_token);
    await expectDead(first.refresh_token, next.refresh_token);
    expect(await signInOf(next.refresh_token)).toMatchObject({
      state: 'ended',
      endReason: 'refresh_token_reused',
    });
  });

  it('T3: after ten rotations token number 3 ends the sign-in of number 10', async () => {
    const chain = [(await tokensOf(service, hosts.a, apps.pub1)).refresh_token];
    while (chain.length <= 10) chain.push((await rotate(chain.at(-1))).refresh_token);
    expect(new Set(chain).size).toBe(11);
    await expectDead(chain[3], chain[10]);
  });

  it('T4: of 50 parallel refreshes with one token exactly one succeeds, and then the whole family is dead', async () => {
    const browser = visitor(service, hosts.a);
    const fifty = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 50 }, ask));
    await fifty(() => service.http(hosts.a, '/api/oidc/jwks'));
    for (let round = 0; round < 20; round += 1) {
      const first = await tokensOf(service, hosts.a, apps.pub1, { browser });
      const answers = await fifty(() => refresh(service, hosts.a, first.refresh_token));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const refused = answers.filter(({ status }) => status !== 200);
      for (const answer of refused) expectError(answer, 400, 'invalid_grant');
      const { signInId = '' } = readRefreshToken(tenant().tokenKey, String(first.refresh_token)) ?? {};
      const family = [1, 2, 3, 4].map((generation) =>
        writeRefreshToken(tenant().tokenKey, { signInId, generation }),
      );
      await expectDead(...family);
      // The next round is another minute's: so many failures in one would be a matter for the limiter.
      service.clock.advance(60_000);
    }
  });

  it('T5: a client that lost the answer and sends the old token again ends the sign-in', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1);
    const body = `grant_type=refresh_token&client_id=pub1&refresh_token=${first.refresh_token}`;
    const socket = connect(service.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.end(
      `POST /api/oidc/token HTTP/1.1\r\nhost: ${hosts.a}\r\nconnection: close\r\n` +
        `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      () => socket.destroy(),
    );
    let signIn = await signInOf(first.refresh_token);
    while (signIn?.generation === 1) signIn = await signInOf(first.refresh_token);
    expect(signIn?.generation).toBe(2);
    const lost = writeRefreshToken(tenant().tokenKey, { signInId: signIn?.id ?? '', generation: 2 });
    await expectDead(first.refresh_token, lost);
  });
});

describe('who may refresh', () => {
  it("T8, I34: another client's attempt is invalid_grant and changes nothing for the owner", async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1);
    expectError(await refreshAs(service, hosts.a, apps.pub2, first.refresh_token), 400, 'invalid_grant');
    await rotate(first.refresh_token);
  });

  it("I34: another client's attempt with an old token does not end the owner's sign-in", async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1);
    const next = await rotate(first.refresh_token);
    expectError(await refreshAs(service, hosts.a, apps.pub2, first.refresh_token), 400, 'invalid_grant');
    const last = await rotate(next.refresh_token);
    await expectDead(next.refresh_token, last.refresh_token);
  });

  it('T10: a confidential client without its secret, with a wrong one or with two methods changes nothing', async () => {
    const { refresh_token: current } = await tokensOf(service, hosts.a, apps.conf1);
    const ask = (more: Record<string, string>, headers: Record<string, string> = {}) =>
      token(
        service,
        hosts.a,
        { grant_type: 'refresh_token', client_id: 'conf1', refresh_token: String(current), ...more },
        headers,
      );
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`conf1:${secret}`).toString('base64')}`,
    });
    expectError(await ask({}), 401, 'invalid_client');
    expectError(await ask({ client_secret: 'wrong' }), 401, 'invalid_client');
    const wrongBasic = await ask({}, basic('wrong'));
    expectError(wrongBasic, 401, 'invalid_client');
    expect(wrongBasic.headers['www-authenticate']).toMatch(/^Basic /);
    const { secret } = apps.conf1;
    expectError(await ask({ client_secret: secret }, basic(secret)), 400, 'invalid_request');
    expect((await ask({}, basic(secret))).status).toBe(200);
  });

  it('T11: a public client that sends a secret is invalid_client; an empty one counts as none', async () => {
    const { refresh_token: current } = await tokensOf(service, hosts.a, apps.pub1);
    const refused = await refresh(service, hosts.a, current, { client_secret: 'x' });
    expectError(refused, 401, 'invalid_client');
    await rotate(current, { client_secret: '' });
  });

  it('T16, I27: without offline_access there is no refresh token in the answer', async () => {
    const tokens = await tokensOf(service, hosts.a, apps.pub1, { more: { scope: 'openid' } });
    expect(Object.keys(tokens).sort()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'scope',
      'token_type',
    ]);
    expect(tokens.scope).toBe('openid');
  });
});

describe('scope', () => {
  it('I33: a refresh may narrow the scope of its answer, and the next has all of it again (decision 25)', async () => {
    const more = { scope: 'openid offline_access email' };
    const first = await tokensOf(service, hosts.a, apps.pub1, { more });
    const narrow = await rotate(first.refresh_token, { scope: 'openid' });
    expect(narrow.scope).toBe('openid');
    expect(claimsOf(narrow.access_token).scope).toBe('openid');
    expect((await rotate(narrow.refresh_token)).scope).toBe('openid offline_access email');
  });

  it.each(['openid offline_access email', 'email', 'openid unknown'])(
    'I33: a refresh for the wider scope "%s" is invalid_scope and changes nothing (decision 25)',
    async (scope) => {
      const first = await tokensOf(service, hosts.a, apps.pub1);
      expectError(await refresh(service, hosts.a, first.refresh_token, { scope }), 400, 'invalid_scope');
      const next = await rotate(first.refresh_token);
      expect((await signInOf(next.refresh_token))?.generation).toBe(2);
    },
  );
});

describe('replay window', () => {
  const patient = { clientId: 'patient', redirectUri: 'https://patient.test/cb' };
  const replay = async (refreshToken: string | undefined) =>
    (await refreshAs(service, hosts.a, patient, refreshToken)).json<Tokens>();

  beforeAll(async () => {
    const registration = {
      clientId: patient.clientId,
      name: 'Patient',
      type: 'public',
      redirectUris: [patient.redirectUri],
      replayWindow: 30_000,
    } as const;
    await service.store.transaction((tx) =>
      registerClient(tx, tenant().id, registration, service.clock.now()),
    );
  });

  it('decision 24: within its window a client gets the same successor again, never a second one', async () => {
    const first = await tokensOf(service, hosts.a, patient);
    const answers = await Promise.all(Array.from({ length: 20 }, () => replay(first.refresh_token)));
    const successors = new Set(answers.map((answer) => answer.refresh_token));
    expect(successors.size).toBe(1);
    service.clock.advance(29_000);
    const [successor] = successors;
    expect((await replay(first.refresh_token)).refresh_token).toBe(successor);
    expect((await signInOf(successor))?.generation).toBe(2);
  });

  it('decision 24: after the window the old token is reuse and ends the sign-in', async () => {
    const first = await tokensOf(service, hosts.a, patient);
    const next = await replay(first.refresh_token);
    service.clock.advance(30_000);
    for (const dead of [first.refresh_token, next.refresh_token]) {
      expectError(await refreshAs(service, hosts.a, patient, dead), 400, 'invalid_grant');
    }
  });

  it('decision 24: once the successor was used, the token before it is reuse even within the window', async () => {
    const first = await tokensOf(service, hosts.a, patient);
    const next = await replay(first.refresh_token);
    const last = await replay(next.refresh_token);
    for (const dead of [first.refresh_token, last.refresh_token]) {
      expectError(await refreshAs(service, hosts.a, patient, dead), 400, 'invalid_grant');
    }
  });

  it('decision 24: only the same client gets the answer replayed', async () => {
    const first = await tokensOf(service, hosts.a, patient);
    const next = await replay(first.refresh_token);
    expectError(await refreshAs(service, hosts.a, apps.pub1, first.refresh_token), 400, 'invalid_grant');
    expect((await replay(next.refresh_token)).refresh_token).toBeTypeOf('string');
  });
});

describe('its end', () => {
  it('T19: after the member was disabled a refresh is invalid_grant', async () => {
    const { refresh_token: current, access_token: accessToken } = await tokensOf(
      service,
      hosts.a,
      apps.pub1,
      { email: 'u2@example.test' },
    );
    const id = String(claimsOf(accessToken).sub);
    const { id: tenantId } = tenant();
    const now = service.clock.now();
    await service.store.transaction((tx) => disableMember(tx, tenantId, id, now));
    await expectDead(current);

    // decision 28: the sign-in has ended; enabling the member again brings none of its tokens back.
    expect(await signInOf(current)).toMatchObject({ state: 'ended', endReason: 'member_inactive' });
    await service.store.transaction((tx) => enableMember(tx, tenantId, id, now));
    await expectDead(current);
  });

  it('T21: a refresh token works until 90 days unused', async () => {
    const first = await tokensOf(service, hosts.a, apps.pub1);
    const usedAt = service.clock.now();
    service.clock.set(usedAt + refreshTokenIdle - 1_000);
    const next = await rotate(first.refresh_token);
    service.clock.advance(refreshTokenIdle + 1_000);
    await expectDead(next.refresh_token);
  });

  it('T21: a refresh token works until 365 days in all, however often it was used', async () => {
    let { refresh_token: current } = await tokensOf(service, hosts.a, apps.pub1);
    const begunAt = service.clock.now();
    for (const share of [0.2, 0.4, 0.6, 0.8]) {
      service.clock.set(begunAt + share * refreshTokenAbsolute);
      current = (await rotate(current)).refresh_token;
    }
    service.clock.set(begunAt + refreshTokenAbsolute - 1_000);
    current = (await rotate(current)).refresh_token;
    service.clock.set(begunAt + refreshTokenAbsolute + 1_000);
    await expectDead(current);
  });
});
