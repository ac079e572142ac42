// next-auth 4 without Next: its handler takes what any server of Node's has, with the path in `query.nextauth`.
import { strictEqual } from 'node:assert/strict';
import { submitSignIn } from '../../../../test/support/browser/site.ts';
import { type Case, email } from '../../case.ts';
import { library } from '../../library.ts';
import { type ExpressLibrary, type Handler, shown, withWebServer } from '../../web-server.ts';

interface Session {
  readonly user?: { readonly name: string; readonly email: string };
}

/** A module of CommonJS, which has its own default. */
interface NextAuth {
  readonly default: { default(request: object, response: object, options: object): Promise<void> };
}

/** The cookies of a request, as Next reads them. */
function cookiesOf(header = ''): Record<string, string> {
  const pairs = header.split('; ').map((pair) => pair.split('=', 2) as [string, string]);
  return Object.fromEntries(pairs.map(([name, value = '']) => [name, decodeURIComponent(value)]));
}

export const nextAuth: Case = {
  name: 'next-auth',
  kind: 'web server',
  settings:
    "`wellKnown` with the address of discovery, `idToken: true`, `checks: ['pkce', 'state']`. It reads name and e-mail address from the id_token: `claimsInIdToken` on at the client",
  run: (door) =>
    withWebServer(
      async (app, origin) => {
        const express = await library<ExpressLibrary>('express');
        const { default: nextAuthModule } = await library<NextAuth>('next-auth');
        const redirectUris = [`${origin}/api/auth/callback/memberdoor`];
        const client = await door.register({ type: 'confidential', redirectUris, claimsInIdToken: true });
        const provider = {
          id: 'memberdoor',
          name: 'Memberdoor',
          type: 'oauth',
          wellKnown: `${door.issuer}/.well-known/openid-configuration`,
          clientId: client.clientId,
          clientSecret: client.secret,
          authorization: { params: { scope: 'openid profile email' } },
          idToken: true,
          checks: ['pkce', 'state'],
          profile: (claims: Record<string, string>) => ({
            id: claims.sub,
            name: claims.name,
            email: claims.email,
          }),
        };
        const options = { providers: [provider], secret: 'a secret of the app, long enough' };
        const handle: Handler = (request, response) => {
          const query = { ...request.query, nextauth: request.params.path };
          const asNext = { query: { value: query }, cookies: { value: cookiesOf(request.headers.cookie) } };
          return nextAuthModule.default(Object.create(request, asNext), response, options);
        };
        app.use(express.default.urlencoded({ extended: false }));
        app.all('/api/auth/*path', handle);
        process.env.NEXTAUTH_URL = origin;
      },
      async (origin) => {
        try {
          const view = await door.view();
          const { page } = view;
          await page.goto(`${origin}/api/auth/signin?callbackUrl=${encodeURIComponent(origin)}`);
          await page.click('text=Sign in with Memberdoor');
          await submitSignIn(view, email);
          await page.waitForURL(`${origin}/`);
          await page.goto(`${origin}/api/auth/session`);
          const { user } = await shown<Session>(page);
          strictEqual(user?.name, 'Ada Nilsen');
          strictEqual(user.email, email);
          await page.goto(`${origin}/api/auth/signout`);
          await page.click('button');
          await page.goto(`${origin}/api/auth/session`);
          strictEqual((await shown<Session>(page)).user, undefined);
        } finally {
          delete process.env.NEXTAUTH_URL;
        }
      },
    ),
};
