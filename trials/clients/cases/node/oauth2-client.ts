// @badgateway/oauth2-client: OAuth alone, with discovery and PKCE of its own.
import { rejects, strictEqual } from 'node:assert/strict';
import { visit } from '../../../../test/support/visitor.ts';
import { type Case, redirectUri, scopes } from '../../case.ts';
import { library } from '../../library.ts';

interface Token {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly idToken?: string;
}

interface Oauth2Client {
  readonly authorizationCode: {
    getAuthorizeUri(parameters: object): Promise<string>;
    getTokenFromCodeRedirect(url: URL, parameters: object): Promise<Token>;
  };
  refreshToken(token: Token): Promise<Token>;
  revoke(token: Token, kind: 'refresh_token'): Promise<void>;
}

interface Library {
  readonly OAuth2Client: new (settings: object) => Oauth2Client;
  generateCodeVerifier(): Promise<string>;
}

export const oauth2Client: Case = {
  name: '@badgateway/oauth2-client',
  kind: 'Node',
  settings: 'nothing but `server`, the issuer; `codeVerifier` in both steps',
  run: async (door) => {
    const { OAuth2Client, generateCodeVerifier } = await library<Library>('@badgateway/oauth2-client');
    const { clientId, secret } = await door.register({ type: 'confidential', redirectUris: [redirectUri] });
    const client = new OAuth2Client({ server: `${door.issuer}/`, clientId, clientSecret: secret });
    const both = { redirectUri, state: 'a state', codeVerifier: await generateCodeVerifier() };
    const address = await client.authorizationCode.getAuthorizeUri({ ...both, scope: scopes });
    const back = await visit(door.visitor(), new URL(address));
    const first = await client.authorizationCode.getTokenFromCodeRedirect(back, both);
    strictEqual(first.idToken?.split('.').length, 3);
    const second = await client.refreshToken(first);
    strictEqual(second.refreshToken === first.refreshToken, false);
    const info = await fetch(`${door.issuer}/api/oidc/me`, {
      headers: { authorization: `Bearer ${second.accessToken}` },
    });
    strictEqual(((await info.json()) as { name: string }).name, 'Ada Nilsen');
    await client.revoke(second, 'refresh_token');
    await rejects(client.refreshToken(second), { oauth2Code: 'invalid_grant' });
  },
};
