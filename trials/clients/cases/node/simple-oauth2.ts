// simple-oauth2: OAuth alone, so the id_token is not looked at; PKCE is done by hand.
import { rejects, strictEqual } from 'node:assert/strict';
import { pkce, visit } from '../../../../test/support/visitor.ts';
import { type Case, redirectUri, scope } from '../../case.ts';
import { library } from '../../library.ts';

interface Token {
  readonly token: Readonly<Record<string, unknown>>;
  refresh(): Promise<Token>;
  revoke(kind: 'refresh_token'): Promise<void>;
}

interface SimpleOauth2 {
  readonly AuthorizationCode: new (
    config: object,
  ) => {
    authorizeURL(parameters: object): string;
    getToken(parameters: object): Promise<Token>;
  };
}

export const simpleOauth2: Case = {
  name: 'simple-oauth2',
  kind: 'Node',
  settings:
    '`code_challenge` and `code_challenge_method` in `authorizeURL`, `code_verifier` in `getToken`. `http: { json: true }`: else `revoke` throws at our empty answer, although it revoked',
  run: async (door) => {
    const { AuthorizationCode } = await library<SimpleOauth2>('simple-oauth2');
    const { clientId, secret } = await door.register({ type: 'confidential', redirectUris: [redirectUri] });
    const client = new AuthorizationCode({
      client: { id: clientId, secret },
      auth: {
        tokenHost: door.issuer,
        tokenPath: '/api/oidc/token',
        revokePath: '/api/oidc/token/revocation',
        authorizePath: '/api/oidc/auth',
      },
      http: { json: true },
    });
    const { challenge, verifier } = pkce();
    const address = client.authorizeURL({
      redirect_uri: redirectUri,
      scope,
      state: 'a state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const back = (await visit(door.visitor(), new URL(address))).searchParams;
    strictEqual(back.get('state'), 'a state');
    const first = await client.getToken({
      code: back.get('code'),
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    const info = await fetch(`${door.issuer}/api/oidc/me`, {
      headers: { authorization: `Bearer ${first.token.access_token}` },
    });
    strictEqual(((await info.json()) as { name: string }).name, 'Ada Nilsen');
    const second = await first.refresh();
    strictEqual(typeof second.token.access_token, 'string');
    await second.revoke('refresh_token');
    await rejects(second.refresh());
  },
};
