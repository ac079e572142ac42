import { createHash } from 'node:crypto';
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import type { SigningAlgorithm } from '../../../../src/core/tenant.ts';
import { rotateDueKeys } from '../../../../src/operations/tenant/keys.ts';
import { listSigningKeys } from '../../../../src/storage/tenant.ts';
import { hosts } from '../../../support/fixtures.ts';
import { run, tenantIdOf } from '../../../support/operators/desk.ts';
import { day, hour } from '../../../support/records/records.ts';
import { apps, claimsOf, headerOf, refreshAs, tokensOf } from '../../../support/tokens.ts';
import { useFreshService } from '../../../support/use-service.ts';
import { answerOf, authorizationParameters, pkce, type Tokens, visitor } from '../../../support/visitor.ts';

const service = useFreshService({ data: 'security' });
const { clientId } = apps.conf2;

const signWith = (idTokenAlgorithm: SigningAlgorithm) =>
  run(service, 'clients.change', { tenant: hosts.a, clientId, idTokenAlgorithm });

const published = async (): Promise<readonly string[]> => {
  const { keys } = (await service.http(hosts.a, '/api/oidc/jwks')).json<{ keys: { alg: string }[] }>();
  return keys.map(({ alg }) => alg).sort();
};

const listed = async (host: string = hosts.a) => {
  const document = (await service.http(host, '/.well-known/openid-configuration')).json();
  return document.id_token_signing_alg_values_supported;
};

/** Verifies an id_token as a client does, with the published key that its header names. */
const verified = (idToken: string) => {
  const fetched = async () =>
    Response.json((await service.http(hosts.a, '/api/oidc/jwks')).json(), { status: 200 });
  const keys = createRemoteJWKSet(new URL('https://a.test/api/oidc/jwks'), { [customFetch]: fetched });
  return jwtVerify(idToken, keys, {
    issuer: 'https://a.test',
    audience: clientId,
    currentDate: new Date(service.clock.now()),
  });
};

describe.each([
  ['PS256', 'sha256'],
  ['EdDSA', 'sha512'],
] as const)('a client whose id_tokens are signed with %s', (algorithm, hash) => {
  it('I57: gets them at the exchange and at each refresh, with the at_hash of that algorithm', async () => {
    await signWith(algorithm);
    const first = await tokensOf(service, hosts.a, apps.conf2);
    const second = (await refreshAs(service, hosts.a, apps.conf2, first.refresh_token)).json<Tokens>();
    for (const { access_token: access, id_token: id } of [first, second]) {
      expect(headerOf(id)).toEqual({ alg: algorithm, typ: 'JWT', kid: expect.any(String) });
      const { payload } = await verified(id);
      const digest = createHash(hash).update(access).digest();
      expect(payload.at_hash).toBe(digest.subarray(0, digest.length / 2).toString('base64url'));
      expect(headerOf(access).alg).toBe('ES256');
    }
  });

  it('I57: its key is published when the setting is saved, and listed only where a client uses it', async () => {
    expect(await published()).toEqual(['ES256', 'RS256']);
    expect(await listed()).toEqual(['RS256', 'ES256']);
    await signWith(algorithm);
    expect(await published()).toEqual(['ES256', 'RS256', algorithm].sort());
    expect(await listed()).toEqual(['RS256', 'ES256', algorithm]);
    expect(await listed(hosts.b)).toEqual(['RS256', 'ES256']);
    await run(service, 'clients.disable', { tenant: hosts.a, clientId });
    expect(await listed()).toEqual(['RS256', 'ES256']);
  });

  it('I57: one that was not made then is made before the first signature', async () => {
    await service.store.transaction(async (tx) => {
      const changes = { idTokenAlgorithm: algorithm };
      await tx.updateTable('clients').set(changes).where('clientId', '=', clientId).execute();
      await service.tenants.reload(tx);
    });
    expect(await published()).toEqual(['ES256', 'RS256']);
    const tokens = await Promise.all([
      tokensOf(service, hosts.a, apps.conf2),
      tokensOf(service, hosts.a, apps.conf2),
    ]);
    for (const { id_token: id } of tokens) expect((await verified(id)).protectedHeader.alg).toBe(algorithm);
    expect(await published()).toEqual(['ES256', 'RS256', algorithm].sort());
  });

  it('I57, I70: so it is before the first answer that is signed with it', async () => {
    await service.store.transaction(async (tx) => {
      const changes = { idTokenAlgorithm: algorithm, signedResponses: 1 };
      await tx.updateTable('clients').set(changes).where('clientId', '=', clientId).execute();
      await service.tenants.reload(tx);
    });
    const more = { prompt: 'none', response_mode: 'query.jwt' };
    const asked = authorizationParameters(clientId, apps.conf2.redirectUri, pkce(), more);
    const response = answerOf(await visitor(service, hosts.a).authorize(asked)).get('response');
    const { payload, protectedHeader } = await verified(String(response));
    expect(protectedHeader.alg).toBe(algorithm);
    expect(payload.error).toBe('login_required');
  });

  it('M16, I57: its key is rotated and retired as the others', async () => {
    await signWith(algorithm);
    const { id_token: old } = await tokensOf(service, hosts.a, apps.conf2);
    const statesAt = async (ms: number) => {
      service.clock.advance(ms);
      await rotateDueKeys(service.store, { ...service.deps, now: service.clock.now() });
      const { keys } = await run<{ keys: { algorithm: string; state: string }[] }>(service, 'keys.list', {
        tenant: hosts.a,
      });
      return keys.filter((key) => key.algorithm === algorithm).map(({ state }) => state);
    };
    expect(await statesAt(89 * day)).toEqual(['signing', 'next']);
    expect(await statesAt(day)).toEqual(['published', 'signing']);
    const { id_token: next } = await tokensOf(service, hosts.a, apps.conf2);
    expect(headerOf(next)).toMatchObject({ alg: algorithm });
    expect(headerOf(next).kid).not.toBe(headerOf(old).kid);
    expect(await statesAt(4 * hour)).toEqual(['retired', 'signing']);
  });

  it('I57: an emergency rotation of all keys makes another of it too', async () => {
    await signWith(algorithm);
    await run(service, 'keys.rotate', { tenant: hosts.a, emergency: true });
    expect(await published()).toEqual(['ES256', 'RS256', algorithm].sort());
    const rows = await service.store.transaction((tx) => listSigningKeys(tx, tenantIdOf(service, hosts.a)));
    expect(rows.filter((key) => key.algorithm === algorithm)).toHaveLength(2);
  });

  it('I17, I57: its id_token is a hint of the member who signs in', async () => {
    await signWith(algorithm);
    const browser = visitor(service, hosts.a);
    const { id_token: hint } = await tokensOf(service, hosts.a, apps.conf2, { browser });
    const { redirectUri } = apps.conf2;
    const asked = authorizationParameters(clientId, redirectUri, pkce(), {
      prompt: 'none',
      id_token_hint: hint,
    });
    expect(answerOf(await browser.authorize(asked)).has('code')).toBe(true);
    const mine = `${hint.slice(0, -6)}AAAAAA`;
    const refused = answerOf(await browser.authorize({ ...asked, id_token_hint: mine }));
    expect(refused.has('code')).toBe(false);
    expect(claimsOf(hint).sid).toEqual(expect.any(String));
  });
});
