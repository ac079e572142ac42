import { calculateJwkThumbprint, createRemoteJWKSet, exportJWK, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { setClient } from '../../support/clients/dpop.ts';
import { apiAudience } from '../../support/service.ts';
import { profilePath } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { visit, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'development' });
let issuer: string;
let host: string;

beforeAll(async () => {
  // The libraries compare the times in tokens and proofs with their own clock.
  service.clock.follow();
  host = `localhost:${service.port}`;
  issuer = `http://${host}`;
});

describe.each([
  ['without nonces', 'allowed', false],
  ['with nonces', 'required', true],
] as const)('openid-client with tokens that are bound to its key, %s', (_how, dpop, dpopNonce) => {
  beforeAll(() => setClient(service, host, 'native', { dpop, dpopNonce }));

  it('I49, I59: signs in, refreshes, reads UserInfo and the profile; jose finds the key in the token', async () => {
    const execute = [openid.allowInsecureRequests, openid.enableNonRepudiationChecks];
    const config = await openid.discovery(new URL(issuer), 'native', {}, openid.None(), { execute });
    expect(config.serverMetadata().dpop_signing_alg_values_supported).toContain('ES256');
    const keys = await openid.randomDPoPKeyPair('ES256', { extractable: true });
    const DPoP = openid.getDPoPHandle(config, keys);
    const jkt = await calculateJwkThumbprint(await exportJWK(keys.publicKey));

    const verifier = openid.randomPKCECodeVerifier();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: 'http://127.0.0.1:51004/callback',
      scope: 'openid offline_access profile email',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      dpop_jkt: jkt,
    });
    const back = await visit(visitor(service, host), address);
    const checks = { pkceCodeVerifier: verifier, idTokenExpected: true };
    const first = await openid.authorizationCodeGrant(config, back, checks, {}, { DPoP });
    expect(first.token_type).toBe('dpop');

    const jwks = createRemoteJWKSet(new URL(String(config.serverMetadata().jwks_uri)));
    const verified = { issuer, audience: apiAudience, typ: 'at+jwt' };
    expect((await jwtVerify(first.access_token, jwks, verified)).payload.cnf).toEqual({ jkt });

    const sub = first.claims()?.sub ?? '';
    const info = await openid.fetchUserInfo(config, first.access_token, sub, { DPoP });
    expect(info).toMatchObject({ name: 'Ada Nilsen', email: 'ada@example.com' });

    const second = await openid.refreshTokenGrant(config, String(first.refresh_token), {}, { DPoP });
    expect((await jwtVerify(second.access_token, jwks, verified)).payload.cnf).toEqual({ jkt });
    const profile = await openid.fetchProtectedResource(
      config,
      second.access_token,
      new URL(`${issuer}${profilePath}`),
      'GET',
      null,
      undefined,
      { DPoP },
    );
    expect(await profile.json()).toMatchObject({ id: sub });

    // Without the key the tokens are of no use.
    await expect(openid.fetchUserInfo(config, second.access_token, sub)).rejects.toThrow();
    await expect(openid.refreshTokenGrant(config, String(second.refresh_token))).rejects.toMatchObject({
      error: dpop === 'required' ? 'invalid_dpop_proof' : 'invalid_grant',
    });
    const third = await openid.refreshTokenGrant(config, String(second.refresh_token), {}, { DPoP });
    expect(third.token_type).toBe('dpop');
  });
});
