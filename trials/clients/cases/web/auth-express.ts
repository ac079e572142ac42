// @auth/express: Auth.js with a provider of the type `oidc`, its own pages and its session.
import { strictEqual } from 'node:assert/strict';
import { submitSignIn } from '../../../../test/support/browser/site.ts';
import { type Case, email } from '../../case.ts';
import { library } from '../../library.ts';
import { type Handler, shown, withWebServer } from '../../web-server.ts';

interface Session {
  readonly user: { readonly name: string; readonly email: string };
}

interface AuthExpress {
  ExpressAuth(config: object): Handler;
  getSession(request: object, config: object): Promise<Session | null>;
}

export const authExpress: Case = {
  name: '@auth/express',
  kind: 'web server',
  settings:
    "Auth.js. A provider of `type: 'oidc'` with `issuer`, `clientId` and `clientSecret`; in Express 5 `app.use('/auth', ExpressAuth(…))`. It reads name and e-mail address from the id_token: `claimsInIdToken` on at the client, or `idToken: false`, which asks UserInfo",
  run: (door) =>
    withWebServer(
      async (app, origin) => {
        const { ExpressAuth, getSession } = await library<AuthExpress>('@auth/express');
        const providerOf = async (id: string, more: { claimsInIdToken?: true; idToken?: false }) => {
          const { idToken, ...registration } = more;
          const redirectUris = [`${origin}/auth/callback/${id}`];
          const client = await door.register({ type: 'confidential', redirectUris, ...registration });
          const secrets = { clientId: client.clientId, clientSecret: client.secret };
          return {
            id,
            name: id,
            type: 'oidc',
            issuer: door.issuer,
            ...secrets,
            ...(idToken === undefined ? {} : { idToken }),
          };
        };
        const providers = [
          await providerOf('repeating', { claimsInIdToken: true }),
          await providerOf('asking', { idToken: false }),
        ];
        const config = { providers, secret: 'a secret of the app, long enough', trustHost: true };
        app.set('trust proxy', true);
        app.use('/auth', ExpressAuth(config));
        app.get('/', async (request, response) => response.json(await getSession(request, config)));
      },
      async (origin) => {
        for (const provider of ['repeating', 'asking']) {
          const view = await door.view();
          const { page } = view;
          await page.goto(`${origin}/auth/signin?callbackUrl=${encodeURIComponent(`${origin}/`)}`);
          await page.click(`text=Sign in with ${provider}`);
          await submitSignIn(view, email);
          await page.waitForURL(`${origin}/`);
          const { user } = await shown<Session>(page);
          strictEqual(user.name, 'Ada Nilsen');
          strictEqual(user.email, email);
          await page.goto(`${origin}/auth/signout`);
          await page.click('button');
          await page.waitForURL(`${origin}/`);
          strictEqual(await shown(page), null);
        }
      },
    ),
};
