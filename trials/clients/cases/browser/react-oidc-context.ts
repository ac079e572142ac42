// react-oidc-context in a page that React makes.
import { walkThrough } from '../../buttons.ts';
import type { Case } from '../../case.ts';

export const react: Case = {
  name: 'react-oidc-context',
  kind: 'browser',
  settings: 'as oidc-client-ts, which it is made of; `onSigninCallback` takes the code out of the address',
  run: (door) =>
    walkThrough(door, 'react-oidc-context.js', (known) => ({
      authority: known.issuer,
      client_id: known.clientId,
      redirect_uri: known.redirectUri,
      post_logout_redirect_uri: known.postLogoutRedirectUri,
      scope: known.scope,
      loadUserInfo: true,
    })),
};
