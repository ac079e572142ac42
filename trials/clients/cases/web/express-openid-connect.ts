// express-openid-connect: its sign-in, UserInfo, its refresh, and a sign-out that leads through ours.
import { strictEqual } from 'node:assert/strict';
import { submitSignIn } from '../../../../test/support/browser/site.ts';
import { type Case, email, scope } from '../../case.ts';
import { library } from '../../library.ts';
import { type Handler, type Request, shown, withWebServer } from '../../web-server.ts';

interface Told {
  readonly user?: { readonly sub: string };
  readonly info?: { readonly name: string };
  readonly isRefreshed?: boolean;
}

/** What the library puts into each request. */
interface Oidc {
  readonly user?: Told['user'];
  readonly accessToken?: { readonly access_token: string; refresh(): Promise<{ access_token: string }> };
  fetchUserInfo(): Promise<Told['info']>;
}

export const expressOpenidConnect: Case = {
  name: 'express-openid-connect',
  kind: 'web server',
  settings:
    "`authorizationParams: { response_type: 'code', scope: 'openid …' }` and `clientSecret`; for a sign-out here too `idpLogout: true`, with `baseURL` among the client's addresses after sign-out",
  run: (door) =>
    withWebServer(
      async (app, origin) => {
        const { auth } = await library<{ auth(config: object): Handler }>('express-openid-connect');
        const { clientId, secret } = await door.register({
          type: 'confidential',
          redirectUris: [`${origin}/callback`],
          postLogoutRedirectUris: [origin],
        });
        app.use(
          auth({
            issuerBaseURL: door.issuer,
            baseURL: origin,
            clientID: clientId,
            clientSecret: secret,
            secret: 'a secret of the app, long enough',
            authRequired: false,
            idpLogout: true,
            authorizationParams: { response_type: 'code', scope },
          }),
        );
        app.get('/', async (request, response) => {
          const { oidc } = request as Request & { readonly oidc: Oidc };
          if (oidc.user === undefined) return response.json({});
          const info = await oidc.fetchUserInfo();
          const before = oidc.accessToken?.access_token;
          const after = (await oidc.accessToken?.refresh())?.access_token;
          response.json({ user: oidc.user, info, isRefreshed: after !== undefined && after !== before });
        });
      },
      async (origin) => {
        const view = await door.view();
        const { page } = view;
        await page.goto(`${origin}/login`);
        await submitSignIn(view, email);
        await page.waitForURL(`${origin}/`);
        const told = await shown<Told>(page);
        strictEqual(told.info?.name, 'Ada Nilsen');
        strictEqual(told.isRefreshed, true);
        await page.goto(`${origin}/logout`);
        strictEqual(page.url(), `${origin}/`);
        strictEqual((await shown<Told>(page)).user, undefined);
        await page.goto(`${origin}/login`);
        strictEqual(await page.locator('#password').count(), 1);
      },
    ),
};
