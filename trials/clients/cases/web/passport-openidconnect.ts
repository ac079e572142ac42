// passport-openidconnect: it sends no PKCE, and has to be told so by an error that it can show.
import { match, strictEqual } from 'node:assert/strict';
import type { Case } from '../../case.ts';
import { library } from '../../library.ts';
import { type ErrorHandler, type Handler, shown, withWebServer } from '../../web-server.ts';

interface Passport {
  readonly default: {
    use(strategy: object): void;
    authenticate(name: string, options: object): Handler;
  };
}

interface Strategy {
  readonly default: new (options: object, verify: () => void) => object;
}

export const passportOpenidconnect: Case = {
  name: 'passport-openidconnect',
  kind: 'web server',
  settings: 'it sends no PKCE: take the strategy of openid-client',
  refused: true,
  run: (door) =>
    withWebServer(
      async (app, origin) => {
        const { default: passportModule } = await library<Passport>('passport');
        const { default: OpenIDConnectStrategy } = await library<Strategy>('passport-openidconnect');
        const session = await library<{ default(options: object): Handler }>('express-session');
        const callbackURL = `${origin}/callback`;
        const client = await door.register({ type: 'confidential', redirectUris: [callbackURL] });
        const options = {
          issuer: door.issuer,
          authorizationURL: `${door.issuer}/api/oidc/auth`,
          tokenURL: `${door.issuer}/api/oidc/token`,
          userInfoURL: `${door.issuer}/api/oidc/me`,
          clientID: client.clientId,
          clientSecret: client.secret,
          callbackURL,
        };
        passportModule.use(new OpenIDConnectStrategy(options, () => {}));
        app.use(session.default({ secret: 'a secret', resave: false, saveUninitialized: false }));
        const authenticate = passportModule.authenticate('openidconnect', { session: false });
        app.get('/login', authenticate);
        app.get('/callback', authenticate);
        const report: ErrorHandler = (error, _request, response, _next) =>
          response.json({ ...error, message: error.message });
        app.use(report);
      },
      async (origin) => {
        const { page } = await door.view();
        await page.goto(`${origin}/login`);
        strictEqual(new URL(page.url()).pathname, '/callback');
        const error = await shown<{ code: string; message: string }>(page);
        strictEqual(error.code, 'invalid_request');
        match(error.message, /code_challenge/);
      },
    ),
};
