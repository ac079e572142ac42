// oidc-client-ts in a page of another origin: it signs in, renews with and without its refresh token, and signs out.
import { notStrictEqual, strictEqual } from 'node:assert/strict';
import type { View } from '../../../../test/support/browser/browser.ts';
import { submitSignIn } from '../../../../test/support/browser/site.ts';
import { type Case, email, scope } from '../../case.ts';

interface User {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly profile: { readonly sub: string; readonly name: string };
}

const run = <Answer>({ page }: View, script: string) => page.evaluate<Answer>(`(async () => ${script})()`);

export const oidcClientTs: Case = {
  name: 'oidc-client-ts',
  kind: 'browser',
  settings:
    "`loadUserInfo: true` where you want names and the like; the app's origin is a web origin of the client",
  run: async (door) => {
    const app = await door.page('oidc-client-ts.js', async (origin) => {
      const { clientId } = await door.register({
        type: 'public',
        redirectUris: [`${origin}/callback`],
        postLogoutRedirectUris: [`${origin}/`],
        webOrigins: [origin],
      });
      return {
        authority: door.issuer,
        client_id: clientId,
        redirect_uri: `${origin}/callback`,
        post_logout_redirect_uri: `${origin}/`,
        scope,
        loadUserInfo: true,
        automaticSilentRenew: false,
      };
    });
    const view = await door.view();
    await view.page.goto(app.origin);
    await run(view, 'void manager.signinRedirect()');
    await view.page.waitForURL(`${door.issuer}/sign-in?*`);
    await submitSignIn(view, email);
    await view.page.waitForURL(`${app.origin}/callback?*`);
    const user = await run<User>(view, 'manager.signinCallback()');
    strictEqual(user.profile.name, 'Ada Nilsen');
    const renewed = await run<User>(view, 'manager.signinSilent()');
    strictEqual(renewed.profile.sub, user.profile.sub);
    notStrictEqual(renewed.refresh_token, user.refresh_token);
    await run(view, "manager.revokeTokens(['refresh_token'])");
    await run(view, 'void manager.signoutRedirect()');
    await view.page.waitForURL(`${app.origin}/`);
    await run(view, 'void manager.signinRedirect()');
    await view.page.waitForURL(`${door.issuer}/sign-in?*`);
    strictEqual(await view.page.locator('#password').count(), 1);
  },
};
