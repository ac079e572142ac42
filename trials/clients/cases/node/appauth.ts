// @openid/appauth in Node: it opens a browser, and listens itself for what comes back.
import { strictEqual } from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../test/support/service.ts';
import { visit } from '../../../../test/support/visitor.ts';
import { bundled } from '../../bundle.ts';
import { type Case, scope } from '../../case.ts';
import { library } from '../../library.ts';

interface Configuration {
  readonly userInfoEndpoint?: string;
}

interface Request {
  readonly internal?: { readonly code_verifier: string };
}

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
}

type Listener = (request: Request, response: { readonly code: string } | null, error: unknown) => void;

interface AppAuth {
  setFlag(flag: 'IS_LOG', value: boolean): void;
  readonly AuthorizationServiceConfiguration: {
    fetchFromIssuer(issuer: string, requestor: object): Promise<Configuration>;
  };
  readonly AuthorizationNotifier: new () => { setAuthorizationListener(listener: Listener): void };
  readonly AuthorizationRequest: new (request: object, crypto: object) => Request;
  readonly TokenRequest: new (request: object) => object;
  readonly BaseTokenRequestHandler: new (
    requestor: object,
  ) => { performTokenRequest(configuration: Configuration, request: object): Promise<Tokens> };
  readonly NodeBasedHandler: new (
    port: number,
  ) => {
    setAuthorizationNotifier(notifier: object): void;
    performAuthorizationRequest(configuration: Configuration, request: Request): void;
  };
  readonly NodeCrypto: new () => object;
  readonly NodeRequestor: new () => object;
}

/** The library as one module of Node's. */
async function load(): Promise<AppAuth> {
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-appauth-'));
  const file = join(folder, 'appauth.cjs');
  writeFileSync(file, await bundled('appauth.js', 'node'));
  try {
    return await library<AppAuth>(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const appauth: Case = {
  name: '@openid/appauth',
  kind: 'Node',
  settings: 'nothing; `client_secret` in `extras` for a client with a secret',
  run: async (door) => {
    const appAuth = await load();
    appAuth.setFlag('IS_LOG', false);
    const port = await freePort();
    const redirectUri = `http://localhost:${port}/callback`;
    const { clientId } = await door.register({ type: 'public', redirectUris: [redirectUri] });
    const requestor = new appAuth.NodeRequestor();
    const configuration = await appAuth.AuthorizationServiceConfiguration.fetchFromIssuer(
      door.issuer,
      requestor,
    );
    const handler = new appAuth.NodeBasedHandler(port);
    const notifier = new appAuth.AuthorizationNotifier();
    handler.setAuthorizationNotifier(notifier);
    const parameters = { client_id: clientId, redirect_uri: redirectUri };
    const request = new appAuth.AuthorizationRequest(
      { ...parameters, scope, response_type: 'code', extras: { prompt: 'login' } },
      new appAuth.NodeCrypto(),
    );
    const code = await new Promise<string>((resolve, reject) => {
      notifier.setAuthorizationListener((_request, response, error) => {
        if (response === null) reject(error);
        else resolve(response.code);
      });
      const openedAddress = (address: string) =>
        void visit(door.visitor(), new URL(address)).then(fetch).catch(reject);
      Object.assign(globalThis, { openedAddress });
      handler.performAuthorizationRequest(configuration, request);
    });
    const tokens = new appAuth.BaseTokenRequestHandler(requestor);
    const ask = (more: object) =>
      tokens.performTokenRequest(configuration, new appAuth.TokenRequest({ ...parameters, ...more }));
    const extras = { code_verifier: request.internal?.code_verifier };
    const first = await ask({ grant_type: 'authorization_code', code, extras });
    strictEqual(first.idToken.split('.').length, 3);
    const second = await ask({ grant_type: 'refresh_token', refresh_token: first.refreshToken });
    const info = await fetch(configuration.userInfoEndpoint ?? '', {
      headers: { authorization: `Bearer ${second.accessToken}` },
    });
    strictEqual(((await info.json()) as { name: string }).name, 'Ada Nilsen');
  },
};
