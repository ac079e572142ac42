// oauth4webapi: every step of a sign-in as a public client, and what an API does with its access token.
import { rejects, strictEqual } from 'node:assert/strict';
import { apiAudience } from '../../../../test/support/service.ts';
import { visit } from '../../../../test/support/visitor.ts';
import { type Case, redirectUri, scope } from '../../case.ts';
import { library } from '../../library.ts';

export const oauth4webapi: Case = {
  name: 'oauth4webapi',
  kind: 'Node',
  settings: 'nothing; for http on your machine the option `[allowInsecureRequests]: true`',
  run: async (door) => {
    const oauth = await library<typeof import('oauth4webapi')>('oauth4webapi');
    const { clientId } = await door.register({ type: 'public', redirectUris: [redirectUri] });
    const insecure = { [oauth.allowInsecureRequests]: true } as const;
    const issuer = new URL(door.issuer);
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, insecure),
    );
    const [client, none] = [{ client_id: clientId }, oauth.None()];

    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    }).toString();
    const back = await visit(door.visitor(), address);
    const answer = oauth.validateAuthResponse(server, client, back, state);
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        none,
        answer,
        redirectUri,
        verifier,
        insecure,
      ),
      { expectedNonce: nonce, requireIdToken: true },
    );
    const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';
    const info = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
    strictEqual((await oauth.processUserInfoResponse(server, client, sub, info)).name, 'Ada Nilsen');

    const headers = { authorization: `Bearer ${tokens.access_token}` };
    const call = new Request(`${door.issuer}/api`, { headers });
    strictEqual((await oauth.validateJwtAccessToken(server, call, apiAudience, insecure)).sub, sub);

    const refresh = async (token: string) =>
      oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, none, token, insecure),
      );
    const { refresh_token: last = '' } = await refresh(tokens.refresh_token ?? '');
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, none, last, insecure),
    );
    await rejects(refresh(last), { error: 'invalid_grant' });
  },
};
