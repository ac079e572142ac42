// openid-client: every step of a sign-in, with all that it can check, and the extensions that a client may have.
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { visit } from '../../../../test/support/visitor.ts';
import { type Case, type Door, redirectUri, scope } from '../../case.ts';
import { library } from '../../library.ts';

type OpenidClient = typeof import('openid-client');

/** A pushed request (RFC 9126), a signed answer (JARM), and an id_token of each algorithm. */
async function withExtensions(openid: OpenidClient, door: Door): Promise<void> {
  for (const idTokenAlgorithm of ['ES256', 'PS256', 'EdDSA'] as const) {
    const { clientId, secret } = await door.register({
      type: 'confidential',
      redirectUris: [redirectUri],
      idTokenAlgorithm,
      pushedRequests: 'required',
      signedResponses: true,
    });
    const algorithms = {
      id_token_signed_response_alg: idTokenAlgorithm,
      authorization_signed_response_alg: idTokenAlgorithm,
    };
    const config = await openid.discovery(
      new URL(door.issuer),
      clientId,
      { ...algorithms, client_secret: secret },
      undefined,
      {
        execute: [openid.allowInsecureRequests, openid.useJwtResponseMode, openid.enableNonRepudiationChecks],
      },
    );
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const address = await openid.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: redirectUri,
      scope,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
    });
    deepStrictEqual([...address.searchParams.keys()].sort(), ['client_id', 'request_uri']);
    const back = await visit(door.visitor(), address);
    deepStrictEqual([...back.searchParams.keys()], ['response']);
    const checks = { pkceCodeVerifier, expectedState, idTokenExpected: true };
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    strictEqual(tokens.claims()?.aud, clientId);
  }
}

export const openidClient: Case = {
  name: 'openid-client',
  kind: 'Node',
  settings:
    'nothing; for http on your machine `execute: [allowInsecureRequests]`. Pushed requests with `buildAuthorizationUrlWithPAR`, signed answers with `useJwtResponseMode`, and `id_token_signed_response_alg` where it is not RS256',
  run: async (door) => {
    const openid = await library<OpenidClient>('openid-client');
    const { clientId, secret } = await door.register({ type: 'confidential', redirectUris: [redirectUri] });
    const config = await openid.discovery(new URL(door.issuer), clientId, secret, undefined, {
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    });
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
    });
    const browser = door.visitor();
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
    const first = await openid.authorizationCodeGrant(config, await visit(browser, address), checks);
    const sub = first.claims()?.sub ?? '';
    const info = await openid.fetchUserInfo(config, first.access_token, sub);
    strictEqual(info.name, 'Ada Nilsen');

    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '');
    strictEqual(second.claims()?.sub, sub);
    await openid.tokenRevocation(config, second.refresh_token ?? '');
    await rejects(openid.refreshTokenGrant(config, second.refresh_token ?? ''), { error: 'invalid_grant' });

    const logout = openid.buildEndSessionUrl(config, { id_token_hint: second.id_token ?? '' });
    await browser.send(`${logout.pathname}${logout.search}`);
    strictEqual(browser.cookies.has('memberdoor-session'), false);
    await withExtensions(openid, door);
  },
};
