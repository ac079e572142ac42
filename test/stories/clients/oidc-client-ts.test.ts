import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/browser/app.ts';
import { startBrowser, type TestBrowser, type View } from '../../support/browser/browser.ts';
import { registerClients, submitSignIn } from '../../support/browser/site.ts';
import { useService } from '../../support/use-service.ts';

const require = createRequire(import.meta.url);
const library = readFileSync(
  new URL('../browser/oidc-client-ts.min.js', `file://${require.resolve('oidc-client-ts')}`),
);

const service = useService({ data: 'development' });
let browser: TestBrowser;
let app: TestApp;
let stranger: TestApp;
let issuer: string;
const clientId = 'spa-elsewhere';

/** A page with the library, and a manager for it; nothing of ours runs in it but what a test evaluates. */
const page = (id: string) => `<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,">
<h1>App</h1><script src="/oidc-client-ts.js"></script><script>
const manager = new oidc.UserManager({
  authority: '${issuer}',
  client_id: '${id}',
  redirect_uri: location.origin + '/callback',
  silent_redirect_uri: location.origin + '/callback',
  scope: 'openid offline_access profile email',
  loadUserInfo: true,
  automaticSilentRenew: false,
  monitorSession: false,
  silentRequestTimeoutInSeconds: 8,
});
// In the hidden frame of a silent sign-in, the answer goes to the page that opened it.
if (window.parent !== window) manager.signinSilentCallback();
</script>`;

const files = (id: string) => {
  const html = { type: 'text/html; charset=utf-8', body: page(id) };
  return {
    '/': html,
    '/callback': html,
    '/oidc-client-ts.js': { type: 'text/javascript', body: library },
  };
};

/** The app on any port, with a client whose web origin it is. */
async function startSpa(): Promise<TestApp> {
  const started = await startApp(files(clientId));
  const { origin } = started;
  await registerClients(service, [
    { clientId, name: 'Spa', type: 'public', redirectUris: [`${origin}/callback`], webOrigins: [origin] },
  ]);
  return started;
}

beforeAll(async () => {
  browser = await startBrowser();
  service.clock.set(Date.now());
  issuer = `http://localhost:${service.port}`;
  app = await startSpa();
  stranger = await startApp(files(clientId));
});
afterAll(async () => {
  await browser.close();
  await Promise.all([app.stop(), stranger.stop()]);
});

interface User {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token: string;
  readonly profile: Readonly<Record<string, unknown>>;
}

const run = <T>({ page }: View, script: string) => page.evaluate<T>(`(async () => ${script})()`);

/** Goes through the redirect sign-in and finishes it in the page. */
async function signIn(view: View): Promise<User> {
  const { page } = view;
  await page.goto(app.origin);
  await run(view, 'void manager.signinRedirect({ state: { from: "here" } })');
  await page.waitForURL(`${issuer}/sign-in?*`);
  await submitSignIn(view, 'ada@example.com');
  await page.waitForURL(`${app.origin}/callback?*`);
  return run<User>(view, 'manager.signinCallback()');
}

describe('oidc-client-ts in a page of another origin', () => {
  let view: View;
  let user: User;

  beforeAll(async () => {
    view = await browser.open({ own: true });
    user = await signIn(view);
  });

  it('I50: signs in with code and PKCE, and reads UserInfo across origins', () => {
    expect(user.profile).toMatchObject({ name: 'Ada Nilsen', email: 'ada@example.com', iss: issuer });
    const crossed = view.requests.filter((url) => url.startsWith(issuer)).map((url) => new URL(url).pathname);
    for (const path of ['/.well-known/openid-configuration', '/api/oidc/token', '/api/oidc/me']) {
      expect(crossed).toContain(path);
    }
  });

  it('contract: refreshes silently with its refresh token, which rotates', async () => {
    const refreshed = await run<User>(view, 'manager.signinSilent()');
    expect(refreshed.profile.sub).toBe(user.profile.sub);
    expect(refreshed.refresh_token).not.toBe(user.refresh_token);
    expect(refreshed.access_token).not.toBe(user.access_token);
  });

  it('I14: signs in again in a hidden frame, by the session alone', async () => {
    const frames: string[] = [];
    view.page.on('frameattached', (frame) => frames.push(frame.name()));
    const renewed = await run<User>(view, 'manager.removeUser().then(() => manager.signinSilent())');
    expect(frames).toHaveLength(1);
    expect(renewed.profile.sub).toBe(user.profile.sub);
  });

  it('contract: revokes its refresh token, which then gives nothing', async () => {
    const revoked = await run<string>(
      view,
      `manager.getUser().then(({ refresh_token }) => manager.revokeTokens(['refresh_token']).then(() => refresh_token))`,
    );
    const answer = await run<{ status: number; error: string }>(
      view,
      `fetch('${issuer}/api/oidc/token', {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', client_id: '${clientId}', refresh_token: '${revoked}' }),
      }).then(async (response) => ({ status: response.status, error: (await response.json()).error }))`,
    );
    expect(answer).toEqual({ status: 400, error: 'invalid_grant' });
  });

  it('I39: signs out by a redirect, and asks for the password the next time', async () => {
    const { page } = view;
    await run(view, 'void manager.signoutRedirect()');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto(app.origin);
    await run(view, 'void manager.signinRedirect()');
    await page.waitForURL(`${issuer}/sign-in?*`);
    expect(await page.locator('#password').count()).toBe(1);
  });
});

describe('a page of an origin that no client has registered', () => {
  const read = (view: View, path: string, headers = '{}') =>
    run<string>(
      view,
      `fetch('${issuer}${path}', { headers: ${headers} }).then(({ status }) => String(status), ({ name }) => name)`,
    );

  it('H10: reads discovery and keys, and nothing else', async () => {
    const view = await browser.open({ own: true });
    // On the host of the registered origin its port would not matter (decision 43).
    await view.page.goto(stranger.origin.replace('localhost', '127.0.0.1'));
    expect(await read(view, '/.well-known/openid-configuration')).toBe('200');
    expect(await read(view, '/api/oidc/jwks')).toBe('200');
    const bearer = `{ authorization: 'Bearer x' }`;
    expect(await read(view, '/api/oidc/me', bearer)).toBe('TypeError');
    expect(await read(view, '/api/v1/members/profile/info-with-active-subscriptions', bearer)).toBe(
      'TypeError',
    );
    expect(
      await run(
        view,
        `fetch('${issuer}/api/oidc/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'x' }) })
          .then(({ status }) => String(status), ({ name }) => name)`,
      ),
    ).toBe('TypeError');
  });

  it.each([
    ['a registered origin', () => app.origin],
    ['decision 43: another port of a registered loopback origin', () => stranger.origin],
  ])('H10: %s reads the profile after its preflight', async (_what, origin) => {
    const view = await browser.open({ own: true });
    await view.page.goto(origin());
    expect(await read(view, '/api/oidc/me', `{ authorization: 'Bearer x' }`)).toBe('401');
    expect(
      await read(
        view,
        '/api/v1/members/profile/info-with-active-subscriptions',
        `{ authorization: 'Bearer x' }`,
      ),
    ).toBe('401');
  });
});
