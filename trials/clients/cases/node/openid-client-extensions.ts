// openid-client with all the extensions that a client may have, each of them required.
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { exportJWK } from 'jose';
import { visit } from '../../../../test/support/visitor.ts';
import { type Door, redirectUri, scope } from '../../case.ts';

type OpenidClient = typeof import('openid-client');

/**
 * Signs in and refreshes with `private_key_jwt`, a signed request that is pushed (RFC 9101, RFC 9126), a signed answer
 * (JARM), tokens that are bound to a key (RFC 9449), and id_tokens of each algorithm.
 */
export async function withExtensions(openid: OpenidClient, door: Door): Promise<void> {
  for (const algorithm of ['ES256', 'PS256', 'EdDSA'] as const) await signIn(openid, door, algorithm);
}

async function signIn(
  openid: OpenidClient,
  door: Door,
  algorithm: 'ES256' | 'PS256' | 'EdDSA',
): Promise<void> {
  // EdDSA has the name of its curve in the library.
  const keys = await openid.randomDPoPKeyPair(algorithm === 'EdDSA' ? 'Ed25519' : algorithm);
  const signingKey = { key: keys.privateKey, kid: 'client-key' };
  const { clientId } = await door.register({
    type: 'confidential',
    redirectUris: [redirectUri],
    authenticationMethod: 'private_key_jwt',
    jwks: JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: signingKey.kid }] }),
    idTokenAlgorithm: algorithm,
    pushedRequests: 'required',
    requestObjects: 'required',
    signedResponses: true,
    dpop: 'required',
    dpopNonce: true,
  });
  const config = await openid.discovery(
    new URL(door.issuer),
    clientId,
    { id_token_signed_response_alg: algorithm, authorization_signed_response_alg: algorithm },
    openid.PrivateKeyJwt(signingKey),
    { execute: [openid.allowInsecureRequests, openid.useJwtResponseMode, openid.enableNonRepudiationChecks] },
  );
  const bound = { DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair()) };
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const parameters = {
    redirect_uri: redirectUri,
    scope,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
  };
  const signed = await openid.buildAuthorizationUrlWithJAR(config, parameters, signingKey);
  const address = await openid.buildAuthorizationUrlWithPAR(config, signed.searchParams, bound);
  deepStrictEqual([...address.searchParams.keys()].sort(), ['client_id', 'request_uri']);
  const back = await visit(door.visitor(), address);
  deepStrictEqual([...back.searchParams.keys()], ['response']);
  const checks = { pkceCodeVerifier, expectedState, idTokenExpected: true };
  const first = await openid.authorizationCodeGrant(config, back, checks, undefined, bound);
  strictEqual(first.token_type, 'dpop');
  const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '', undefined, bound);
  const sub = first.claims()?.sub ?? '';
  const info = await openid.fetchUserInfo(config, second.access_token, sub, bound);
  strictEqual(info.name, 'Ada Nilsen');
}
