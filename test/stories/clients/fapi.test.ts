import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ForeignAlgorithm } from '../../../src/core/oidc/client/foreign-key.ts';
import { type ForeignPair, foreignPair, privateJwkOf } from '../../support/clients/foreign-jwt.ts';
import { run } from '../../support/operators/desk.ts';
import { fapiRedirectUri, fapiSettings } from '../../support/requests/fapi.ts';
import { useService } from '../../support/use-service.ts';
import { visitor } from '../../support/visitor.ts';

const service = useService({ data: 'development' });
let issuer: string;
let host: string;

beforeAll(() => {
  // The library compares the times in tokens and proofs with its own clock.
  service.clock.follow();
  host = `localhost:${service.port}`;
  issuer = `http://${host}`;
});

const imports = {
  PS256: { name: 'RSA-PSS', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
} as const;
type Algorithm = keyof typeof imports & ForeignAlgorithm;

const privateKeyOf = (pair: ForeignPair, algorithm: Algorithm) =>
  crypto.subtle.importKey('jwk', privateJwkOf(pair) as object, imports[algorithm], false, ['sign']);

/** Says who a token is for and what it says, by the published keys, as jose alone verifies it. */
async function verified(token: string, audience: string, algorithm: string) {
  const keys = (await service.http(host, '/api/oidc/jwks')).json<JSONWebKeySet & Record<string, unknown>>();
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys), { issuer, audience });
  expect(protectedHeader.alg).toBe(algorithm);
  return payload;
}

describe.each<Algorithm>(['PS256', 'ES256'])('a bank’s app with FAPI 2.0, that signs by %s,', (algorithm) => {
  it('I58: signs a member in with every switch on, and refreshes', async () => {
    const pair = await foreignPair(algorithm);
    const clientId = `fapi-${algorithm}`;
    await run(service, 'clients.create', {
      tenant: host,
      ...fapiSettings(pair),
      clientId,
      idTokenAlgorithm: algorithm,
      requestObjects: 'required',
      signedResponses: true,
      dpopNonce: true,
    });
    const key = { key: await privateKeyOf(pair, algorithm), kid: pair.publicJwk.kid };
    const metadata = {
      authorization_signed_response_alg: algorithm,
      id_token_signed_response_alg: algorithm,
    };
    const config = await openid.discovery(new URL(issuer), clientId, metadata, openid.PrivateKeyJwt(key), {
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks, openid.useJwtResponseMode],
    });
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));

    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
    const signed = await openid.buildAuthorizationUrlWithJAR(
      config,
      {
        redirect_uri: fapiRedirectUri,
        scope: 'openid offline_access email',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
      },
      key,
    );
    const address = await openid.buildAuthorizationUrlWithPAR(config, signed.searchParams, { DPoP });
    expect([...address.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);

    const browser = visitor(service, host);
    const page = await browser.authorize(Object.fromEntries(address.searchParams));
    const answer = await browser.signIn(page, 'ada@example.com');
    const back = new URL(String(answer.headers.location));
    expect([...back.searchParams.keys()]).toEqual(['response']);
    await verified(String(back.searchParams.get('response')), clientId, algorithm);

    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    const tokens = await openid.authorizationCodeGrant(config, back, checks, {}, { DPoP });
    expect(tokens.token_type).toBe('dpop');
    const idToken = await verified(String(tokens.id_token), clientId, algorithm);
    expect(idToken.nonce).toBe(expectedNonce);
    const access = await verified(tokens.access_token, 'urn:memberdoor:api', 'ES256');
    expect(access.cnf).toEqual({ jkt: expect.stringMatching(/^[\w-]{43}$/) });

    const refreshed = await openid.refreshTokenGrant(config, String(tokens.refresh_token), {}, { DPoP });
    expect(refreshed.token_type).toBe('dpop');
    expect(refreshed.access_token).not.toBe(tokens.access_token);
  });
});
