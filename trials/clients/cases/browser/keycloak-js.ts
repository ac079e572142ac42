// keycloak-js with an issuer that is no Keycloak: it signs in, and then asks for tokens in a way that no CORS answer of
// ours allows.
import { rejects } from 'node:assert/strict';
import { walkThrough } from '../../buttons.ts';
import type { Case } from '../../case.ts';

export const keycloak: Case = {
  name: 'keycloak-js',
  kind: 'browser',
  settings:
    "it asks for tokens with `credentials: 'include'`, and our CORS answers let no script send cookies: take oidc-client-ts",
  refused: true,
  run: async (door) => {
    const walk = walkThrough(door, 'keycloak-js.js', (known) => ({
      oidcProvider: known.issuer,
      clientId: known.clientId,
      redirectUri: known.redirectUri,
      postLogoutRedirectUri: known.postLogoutRedirectUri,
      scope: 'openid profile email',
    }));
    await rejects(walk, /at \S+\/callback.*Access-Control-Allow-Credentials/);
  },
};
