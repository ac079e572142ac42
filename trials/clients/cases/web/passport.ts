// passport with the strategy that openid-client brings for it.
import { strictEqual } from 'node:assert/strict';
import { submitSignIn } from '../../../../test/support/browser/site.ts';
import { type Case, email, scope } from '../../case.ts';
import { library } from '../../library.ts';
import { type Handler, type Request, shown, withWebServer } from '../../web-server.ts';

type OpenidClient = typeof import('openid-client');

interface Tokens {
  readonly access_token: string;
  claims(): { readonly sub: string };
}

type Verify = (tokens: Tokens, done: (error: unknown, user?: object) => void) => void;

interface Passport {
  readonly default: {
    use(name: string, strategy: object): void;
    authenticate(name: string, options?: object): Handler;
    session(): Handler;
    serializeUser(serialize: (user: object, done: (error: null, kept: object) => void) => void): void;
    deserializeUser(read: (kept: object, done: (error: null, user: object) => void) => void): void;
  };
}

export const passport: Case = {
  name: 'passport',
  kind: 'web server',
  settings:
    'with `Strategy` of `openid-client/passport`: `config` is that of `discovery`, and `callbackURL` the redirect URI',
  run: (door) =>
    withWebServer(
      async (app, origin) => {
        const openid = await library<OpenidClient>('openid-client');
        const { Strategy } = await library<{ Strategy: new (options: object, verify: Verify) => object }>(
          'openid-client/passport',
        );
        const { default: passportModule } = await library<Passport>('passport');
        const session = await library<{ default(options: object): Handler }>('express-session');
        const callbackURL = `${origin}/callback`;
        const { clientId, secret } = await door.register({
          type: 'confidential',
          redirectUris: [callbackURL],
        });
        const config = await openid.discovery(new URL(door.issuer), clientId, secret, undefined, {
          execute: [openid.allowInsecureRequests],
        });
        const verify: Verify = ({ access_token: accessToken, claims }, done) => {
          openid.fetchUserInfo(config, accessToken, claims().sub).then((info) => done(null, info), done);
        };
        passportModule.use('door', new Strategy({ config, scope, callbackURL }, verify));
        passportModule.serializeUser((user, done) => done(null, user));
        passportModule.deserializeUser((kept, done) => done(null, kept));
        app.use(session.default({ secret: 'a secret', resave: false, saveUninitialized: false }));
        app.use(passportModule.session());
        app.get('/login', passportModule.authenticate('door'));
        app.get('/callback', passportModule.authenticate('door', { successRedirect: '/' }));
        app.get('/', (request, response) =>
          response.json((request as Request & { user?: object }).user ?? {}),
        );
      },
      async (origin) => {
        const view = await door.view();
        const { page } = view;
        await page.goto(`${origin}/login`);
        await submitSignIn(view, email);
        await page.waitForURL(`${origin}/`);
        strictEqual((await shown<{ name?: string }>(page)).name, 'Ada Nilsen');
      },
    ),
};
