// openid-client: every step of a sign-in, with all that it can check.
import { rejects, strictEqual } from 'node:assert/strict';
import { visit } from '../../../../test/support/visitor.ts';
import { type Case, redirectUri, scope } from '../../case.ts';
import { library } from '../../library.ts';
import { withExtensions } from './openid-client-extensions.ts';

export const openidClient: Case = {
  name: 'openid-client',
  kind: 'Node',
  settings:
    'nothing; for http on your machine `execute: [allowInsecureRequests]`. `id_token_signed_response_alg` where that is not RS256; pushed and signed requests, signed answers, `private_key_jwt` and DPoP as its documentation says',
  run: async (door) => {
    const openid = await library<typeof import('openid-client')>('openid-client');
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
