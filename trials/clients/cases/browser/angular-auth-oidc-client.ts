// angular-auth-oidc-client in a page that Angular makes.
import { walkThrough } from '../../buttons.ts';
import type { Case } from '../../case.ts';

export const angular: Case = {
  name: 'angular-auth-oidc-client',
  kind: 'browser',
  settings:
    "`responseType: 'code'`, `silentRenew: true` with `useRefreshToken: true` and the scope `offline_access`; the app's origin is a web origin of the client",
  run: (door) =>
    walkThrough(door, 'angular-auth-oidc-client.js', (known) => ({
      authority: known.issuer,
      clientId: known.clientId,
      redirectUrl: known.redirectUri,
      postLogoutRedirectUri: known.postLogoutRedirectUri,
      scope: known.scope,
      responseType: 'code',
      silentRenew: true,
      useRefreshToken: true,
    })),
};
