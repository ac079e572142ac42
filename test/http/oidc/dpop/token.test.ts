import { beforeAll, describe, expect, it } from 'vitest';
import { readRefreshToken } from '../../../../src/core/grants/refresh-token.ts';
import { findSignIn } from '../../../../src/storage/grants/sign-in.ts';
import {
  boundTokens,
  dpopHeader,
  dpopKey,
  exchangeWith,
  refreshWith,
  setClient,
  tokenProof,
} from '../../../support/clients/dpop.ts';
import { approvedCodes, codesFor, deviceGrant, phoneOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { apps, claimsOf, expectError } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  codeFor,
  pkce,
  type Tokens,
  token,
  visitor,
} from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const at = hosts.a;
const [key, other] = await Promise.all([dpopKey(), dpopKey('EdDSA')]);
const proof = (of = key, claims: object = {}) => tokenProof(service, at, of, { claims });
const metadata = async (host: string) =>
  (await service.http(host, '/.well-known/openid-configuration')).json();

beforeAll(async () => {
  await setClient(service, at, 'pub1', { dpop: 'allowed' });
  await setClient(service, at, 'conf1', { dpop: 'allowed' });
  await setClient(service, at, 'native1', { dpop: 'required' });
});

describe('discovery', () => {
  it('I49: lists the algorithms of proofs only where a client may use them', async () => {
    expect((await metadata(at)).dpop_signing_alg_values_supported).toEqual([
      'ES256',
      'PS256',
      'EdDSA',
      'RS256',
    ]);
    expect(await metadata(hosts.b)).not.toHaveProperty('dpop_signing_alg_values_supported');
  });
});

describe('the token endpoint', () => {
  it.each(['ES256', 'PS256', 'EdDSA', 'RS256'] as const)(
    'I49: binds an access token to a key of %s',
    async (alg) => {
      const held = await dpopKey(alg);
      const tokens = await boundTokens(service, at, apps.pub1, held);
      expect(tokens.token_type).toBe('DPoP');
      expect(claimsOf(tokens.access_token).cnf).toEqual({ jkt: held.jkt });
      expect(claimsOf(tokens.id_token)).not.toHaveProperty('cnf');
    },
  );

  it('I49: gives bearer tokens without a proof where the client only may send one', async () => {
    const tokens = (await exchangeWith(service, at, apps.pub1, null)).json<Tokens>();
    expect(tokens.token_type).toBe('Bearer');
    expect(claimsOf(tokens.access_token)).not.toHaveProperty('cnf');
  });

  it('I49: does not look at the header of a client whose tokens are bearer tokens', async () => {
    for (const sent of [proof(), 'garbage']) {
      const tokens = (await exchangeWith(service, at, apps.pub2, sent)).json<Tokens>();
      expect(tokens.token_type).toBe('Bearer');
      expect((await refreshWith(service, at, apps.pub2, tokens.refresh_token, sent)).status).toBe(200);
    }
  });

  it('I49: gives nothing without a proof where the client must send one, and uses nothing up', async () => {
    const app = { clientId: 'native1', redirectUri: 'http://127.0.0.1/cb' };
    const { code, verifier } = await codeFor(visitor(service, at), app.clientId, app.redirectUri);
    const fields = { grant_type: 'authorization_code', client_id: 'native1', code, code_verifier: verifier };
    expectError(await token(service, at, fields), 400, 'invalid_dpop_proof');
    const first = (await token(service, at, fields, dpopHeader(proof()))).json<Tokens>();
    expect(first.token_type).toBe('DPoP');
    expectError(await refreshWith(service, at, app, first.refresh_token, null), 400, 'invalid_dpop_proof');
    expect((await refreshWith(service, at, app, first.refresh_token, proof())).status).toBe(200);
  });

  it('I49: binds what a TV gets to the key of the poll that gets it', async () => {
    const { device_code } = await approvedCodes(service, await phoneOf(service, at));
    const fields = { grant_type: deviceGrant, client_id: 'pub1', device_code };
    const tokens = (await token(service, at, fields, dpopHeader(proof()))).json<Tokens>();
    expect(tokens.token_type).toBe('DPoP');
    expect(claimsOf(tokens.access_token).cnf).toEqual({ jkt: key.jkt });
    const next = await refreshWith(service, at, apps.pub1, tokens.refresh_token, proof(other));
    expectError(next, 400, 'invalid_grant');
  });

  it('I49: leaves the proof of a poll that gets nothing unused', async () => {
    const { device_code } = await codesFor(service, at);
    const fields = { grant_type: deviceGrant, client_id: 'pub1', device_code };
    const same = dpopHeader(proof());
    expectError(await token(service, at, fields, same), 400, 'authorization_pending');
    service.clock.advance(5_000);
    expectError(await token(service, at, fields, same), 400, 'authorization_pending');
  });
});

describe('refresh tokens', () => {
  it('I59: of a public client are bound to the key, and none other ends the sign-in', async () => {
    const first = await boundTokens(service, at, apps.pub1, key);
    for (const wrong of [null, proof(other)]) {
      expectError(
        await refreshWith(service, at, apps.pub1, first.refresh_token, wrong),
        400,
        'invalid_grant',
      );
    }
    const next = (await refreshWith(service, at, apps.pub1, first.refresh_token, proof())).json<Tokens>();
    expect(claimsOf(next.access_token).cnf).toEqual({ jkt: key.jkt });
    // Who has the old one without the key cannot end the sign-in with it.
    for (const wrong of [null, proof(other)]) {
      expectError(
        await refreshWith(service, at, apps.pub1, first.refresh_token, wrong),
        400,
        'invalid_grant',
      );
    }
    const third = (await refreshWith(service, at, apps.pub1, next.refresh_token, proof())).json<Tokens>();
    // With the key it is reuse, as ever.
    expectError(await refreshWith(service, at, apps.pub1, next.refresh_token, proof()), 400, 'invalid_grant');
    expectError(
      await refreshWith(service, at, apps.pub1, third.refresh_token, proof()),
      400,
      'invalid_grant',
    );
  });

  it('I59: of a confidential client are not: each access token is bound to the key of its proof', async () => {
    const first = await boundTokens(service, at, apps.conf1, key);
    const next = (
      await refreshWith(service, at, apps.conf1, first.refresh_token, proof(other))
    ).json<Tokens>();
    expect(claimsOf(next.access_token).cnf).toEqual({ jkt: other.jkt });
    const third = (await refreshWith(service, at, apps.conf1, next.refresh_token, null)).json<Tokens>();
    expect(third.token_type).toBe('Bearer');
  });

  it('I59: that were not are bound by the first proof', async () => {
    const first = (await exchangeWith(service, at, apps.pub1, null)).json<Tokens>();
    const next = (await refreshWith(service, at, apps.pub1, first.refresh_token, proof())).json<Tokens>();
    expect(claimsOf(next.access_token).cnf).toEqual({ jkt: key.jkt });
    expectError(await refreshWith(service, at, apps.pub1, next.refresh_token, null), 400, 'invalid_grant');
    expect((await refreshWith(service, at, apps.pub1, next.refresh_token, proof())).status).toBe(200);
  });

  it('I59: stay bound while their client has bearer tokens alone', async () => {
    const first = await boundTokens(service, at, apps.pub1, key);
    await setClient(service, at, 'pub1', { dpop: 'off' });
    const off = await refreshWith(service, at, apps.pub1, first.refresh_token, proof());
    await setClient(service, at, 'pub1', { dpop: 'allowed' });
    expectError(off, 400, 'invalid_grant');
    const { id, tokenKey } = service.tenants.byHost(at) ?? { id: '', tokenKey: Buffer.alloc(0) };
    const { signInId = '' } = readRefreshToken(tokenKey, String(first.refresh_token)) ?? {};
    const signIn = await service.store.transaction((tx) => findSignIn(tx, id, signInId));
    expect(signIn).toMatchObject({ state: 'active', generation: 1, dpopJkt: key.jkt });
    expect((await refreshWith(service, at, apps.pub1, first.refresh_token, proof())).status).toBe(200);
  });
});

describe('a pushed request', () => {
  const push = (sent: string, more: Record<string, string> = {}) => {
    const { verifier, challenge } = pkce();
    const { clientId, redirectUri } = apps.pub1;
    const body = authorizationParameters(clientId, redirectUri, { verifier, challenge }, more);
    const answer = service.http(at, '/api/oidc/par', { body, headers: { dpop: sent } });
    return answer.then((pushed) => ({ pushed, verifier }));
  };
  beforeAll(() => setClient(service, at, 'pub1', { pushedRequests: 'allowed' }));

  it('I59: binds the code to the key of its proof', async () => {
    const sent = tokenProof(service, at, key, { url: `https://${at}/api/oidc/par` });
    const { pushed, verifier } = await push(sent);
    expect(pushed.status, pushed.text).toBe(201);
    const browser = visitor(service, at);
    const { request_uri } = pushed.json<{ request_uri: string }>();
    const page = await browser.authorize({ client_id: 'pub1', request_uri });
    const code = String(answerOf(await browser.signIn(page, 'u1@example.test')).get('code'));
    const fields = { grant_type: 'authorization_code', client_id: 'pub1', code, code_verifier: verifier };
    expectError(await token(service, at, fields, dpopHeader(proof(other))), 400, 'invalid_grant');
    expect((await token(service, at, fields, dpopHeader(proof()))).status).toBe(200);
    expectError((await push(sent)).pushed, 400, 'invalid_dpop_proof');
  });

  it('I59: is refused with a wrong proof, or one of another key than dpop_jkt names', async () => {
    expectError((await push(proof())).pushed, 400, 'invalid_dpop_proof');
    const sent = tokenProof(service, at, key, { url: `https://${at}/api/oidc/par` });
    expectError((await push(sent, { dpop_jkt: other.jkt })).pushed, 400, 'invalid_dpop_proof');
    expect((await push(sent, { dpop_jkt: key.jkt })).pushed.status).toBe(201);
  });
});

describe('dpop_jkt', () => {
  it('I59: binds the code to a key: with another, or with none, it gives nothing and stays', async () => {
    const more = { dpop_jkt: key.jkt };
    const { code, verifier } = await codeFor(visitor(service, at), 'pub1', apps.pub1.redirectUri, more);
    const fields = { grant_type: 'authorization_code', client_id: 'pub1', code, code_verifier: verifier };
    expectError(await token(service, at, fields), 400, 'invalid_grant');
    expectError(await token(service, at, fields, dpopHeader(proof(other))), 400, 'invalid_grant');
    expect((await token(service, at, fields, dpopHeader(proof()))).status).toBe(200);
  });
});
