// better-auth: its generic OAuth with discovery, and a session without a database.
import { strictEqual } from 'node:assert/strict';
import { submitSignIn } from '../../../../test/support/browser/site.ts';
import { type Case, email } from '../../case.ts';
import { library } from '../../library.ts';
import { type Handler, withWebServer } from '../../web-server.ts';

interface Session {
  readonly user: { readonly name: string; readonly email: string };
}

export const betterAuth: Case = {
  name: 'better-auth',
  kind: 'web server',
  settings:
    "`genericOAuth` with `discoveryUrl`, `pkce: true` (1.7 has it on) and `scopes: ['openid', 'profile', 'email']`. The redirect URI is `/api/auth/callback/` and the provider's id, in 1.3 `/api/auth/oauth2/callback/` and the id. `signOut` with a `callbackURL` signs out here too, with that address among the client's addresses after sign-out",
  run: (door) =>
    withWebServer(
      async (app, origin) => {
        const better = await library<{ betterAuth(options: object): object }>('better-auth');
        const { genericOAuth } = await library<{ genericOAuth(options: object): object }>(
          'better-auth/plugins',
        );
        const { toNodeHandler } = await library<{ toNodeHandler(auth: object): Handler }>('better-auth/node');
        const redirectUris = [`${origin}/api/auth/callback/memberdoor`];
        const { clientId, secret } = await door.register({
          type: 'confidential',
          redirectUris,
          postLogoutRedirectUris: [`${origin}/`],
        });
        const provider = {
          providerId: 'memberdoor',
          discoveryUrl: `${door.issuer}/.well-known/openid-configuration`,
          clientId,
          clientSecret: secret,
          scopes: ['openid', 'profile', 'email'],
          pkce: true,
        };
        const auth = better.betterAuth({
          baseURL: origin,
          secret: 'a secret of the app that is long enough for it',
          plugins: [genericOAuth({ config: [provider] })],
          telemetry: { enabled: false },
        });
        app.all('/api/auth/*splat', toNodeHandler(auth));
        app.get('/', (_request, response) => response.json({}));
      },
      async (origin) => {
        const view = await door.view();
        const { page } = view;
        const ask = <Answer>(path: string, body?: object) => {
          const headers = { 'content-type': 'application/json' };
          const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
          const script = `fetch('/api/auth${path}', ${JSON.stringify(init)}).then((answer) => answer.json())`;
          return page.evaluate<Answer>(script);
        };
        await page.goto(`${origin}/`);
        const signIn = { provider: 'memberdoor', callbackURL: '/' };
        await page.goto((await ask<{ url: string }>('/sign-in/social', signIn)).url);
        await submitSignIn(view, email);
        await page.waitForURL(`${origin}/`);
        const session = await ask<Session>('/get-session');
        strictEqual(session.user.name, 'Ada Nilsen');
        strictEqual(session.user.email, email);
        await page.goto((await ask<{ url: string }>('/sign-out', { callbackURL: '/' })).url);
        strictEqual(page.url(), `${origin}/`);
        strictEqual(await ask('/get-session'), null);
        await page.goto((await ask<{ url: string }>('/sign-in/social', signIn)).url);
        strictEqual(await page.locator('#password').count(), 1);
      },
    ),
};
