import { type ClientRegistration, registerClient } from '../../../src/operations/client/client.ts';
import { findMemberByEmail } from '../../../src/storage/members/member.ts';
import { findSecondFactor } from '../../../src/storage/members/second-factor.ts';
import { giveSecondFactor } from '../members/second-factor.ts';
import { allowClients, registeredAt } from '../requests/registration.ts';
import { startTestService, type TestService, type TestServiceOptions } from '../service.ts';
import { answerOf, pkce, visitor } from '../visitor.ts';
import { startApp, type TestApp } from './app.ts';
import { startBrowser, type TestBrowser, type View } from './browser.ts';
import { send } from './forms.ts';

/** Acme of the development start, an app to come back to, and a browser to look at the pages with. */
export interface Site {
  readonly service: TestService;
  readonly app: TestApp;
  readonly browser: TestBrowser;
  readonly issuer: string;
  /** The cookies of the members that `resume` signed in, by address. */
  readonly sessions: Map<string, readonly Cookie[]>;
  /** The address of an authorization request: `web` asks, unless these parameters say otherwise. */
  authorization(more?: Record<string, string>): string;
  stop(): Promise<void>;
}

interface Cookie {
  readonly name: string;
  readonly value: string;
}

export const password = 'memberdoor-development';

/** A client of a third party, and one of a name that no line can hold. */
const otherClients: readonly Omit<ClientRegistration, 'redirectUris'>[] = [
  { clientId: 'partner', name: 'Nordic Weather', type: 'public', thirdParty: true },
  { clientId: 'long', name: `The ${'very'.repeat(11)} Long Name`, type: 'public', thirdParty: true },
];

export async function startSite(
  options: Pick<TestServiceOptions, 'payments' | 'port' | 'random'> = {},
): Promise<Site> {
  const [service, app, browser] = await Promise.all([
    startTestService({ data: 'development', ...options }),
    startApp(),
    startBrowser(),
  ]);
  const issuer = `http://localhost:${service.port}`;
  const redirectUri = `${app.origin}/callback`;
  await registerClients(
    service,
    otherClients.map((client) => ({ ...client, redirectUris: [redirectUri] })),
  );
  const { challenge } = pkce();
  return {
    service,
    app,
    browser,
    issuer,
    sessions: new Map(),
    authorization: (more = {}) =>
      `${issuer}/api/oidc/auth?${new URLSearchParams({
        response_type: 'code',
        client_id: 'web',
        redirect_uri: redirectUri,
        scope: 'openid offline_access',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        state: 'state of the app',
        ...more,
      })}`,
    stop: async () => {
      await browser.close();
      await Promise.all([app.stop(), service.stop()]);
    },
  };
}

/** Registers clients of Acme, beside those of the development start. */
export async function registerClients(
  service: TestService,
  clients: readonly ClientRegistration[],
): Promise<void> {
  const tenant = service.tenants.byHost(`localhost:${service.port}`);
  if (tenant === null) throw new Error('Acme is missing');
  await service.store.transaction(async (tx) => {
    for (const client of clients) await registerClient(tx, tenant.id, client, service.clock.now());
    await service.tenants.reload(tx);
  });
}

/** Fills in the sign-in form and sends it. */
export async function submitSignIn({ page }: View, email: string, secret = password): Promise<void> {
  await page.fill('#email', email);
  await page.fill('#password', secret);
  await page.click('button.primary');
}

/** Gives the view a new session of a member who signed in before; this one has chosen no language. */
export async function signIn({ context }: View, site: Site, email = 'bo@example.com'): Promise<void> {
  await context.addCookies(cookiesFor(site, await newSession(site, email)));
}

/** As `signIn`, but in a session of the member that may be older: only for what ends none and changes none. */
export async function resume({ context }: View, site: Site, email = 'bo@example.com'): Promise<void> {
  const cookies = site.sessions.get(email) ?? (await newSession(site, email));
  site.sessions.set(email, cookies);
  await context.addCookies(cookiesFor(site, cookies));
}

const cookiesFor = ({ issuer }: Site, cookies: readonly Cookie[]) =>
  cookies.map((cookie) => ({ ...cookie, url: issuer, httpOnly: true }));

/** Signs a member in, in a browser that has no page. @returns the cookies of the session */
export async function newSession(
  { service, issuer, authorization }: Site,
  email: string,
): Promise<readonly Cookie[]> {
  const browser = visitor(service, new URL(issuer).host);
  const form = await browser.authorize(
    Object.fromEntries(new URL(authorization({ prompt: 'login' })).searchParams),
  );
  if (answerOf(await browser.signIn(form, email)).get('code') === null) throw new Error('no sign-in');
  return [...browser.cookies].map(([name, value]) => ({ name, value }));
}

/** Turns the two-step sign-in of a member on, once. */
export async function turnOnFor({ service, issuer }: Site, email: string): Promise<void> {
  const tenant = service.tenants.byHost(new URL(issuer).host);
  const found = await service.store.transaction(async (tx) => {
    const known = await findMemberByEmail(tx, tenant?.id ?? '', email);
    return { id: known?.member.id ?? '', factor: await findSecondFactor(tx, known?.member.id ?? '') };
  });
  if (found.factor === null) await giveSecondFactor(service, found.id);
}

/** Opens the page that takes a code by mail: for an address without an account, to which none is sent. */
async function openCodePage({ page }: View, site: Site, more: Record<string, string> = {}): Promise<void> {
  await page.goto(site.authorization({ prompt: 'login', ...more }));
  await send(page, { '#email': `${site.service.deps.random.digits()}@example.org` }, 'button[value=code]');
  await page.waitForURL(/sign-in\/code/);
}

/** Opens the page that asks for the second factor. */
async function openSecondStep(view: View, site: Site, more: Record<string, string> = {}): Promise<void> {
  await turnOnFor(site, 'gro+tv@example.com');
  await view.page.goto(site.authorization({ prompt: 'login', ...more }));
  await send(view.page, { '#email': 'gro+tv@example.com', '#password': password });
  await view.page.waitForURL(/second-factor/);
}

/** Opens what a TV shows as a QR code, in a browser that is signed in. */
async function openApproval(view: View, site: Site): Promise<void> {
  await resume(view, site);
  const answer = await site.service.http(new URL(site.issuer).host, '/api/oidc/device/auth', {
    body: {
      client_id: 'tv',
      scope: 'openid offline_access',
      device_name: 'The TV in the living room, '.padEnd(64, 'w'),
      device_model: 'Vision 9000',
    },
  });
  await view.page.goto(answer.json<{ verification_uri_complete: string }>().verification_uri_complete);
}

/** Opens the page that asks about a client which registered itself. */
async function openUnverified(view: View, site: Site, more: Record<string, string> = {}): Promise<void> {
  const { host } = new URL(site.issuer);
  await allowClients(site.service, host, { clientRegistration: 'open', unverifiedOfflineAccess: true });
  const redirectUri =
    more.redirect_uri ?? `https://${'a-rather-long-name-of-a-host.'.repeat(3)}example/callback`;
  const { client_id: clientId } = await registeredAt(site.service, host, {
    client_name: 'Lamp of the living room',
    redirect_uris: [redirectUri],
  });
  await resume(view, site);
  const scope = 'openid offline_access profile email';
  const asked = { client_id: clientId, redirect_uri: redirectUri, scope };
  await view.page.goto(site.authorization({ ...asked, ...more }));
}

/** Every hosted page, and the way a browser comes to see it. */
export const hostedPages: Readonly<Record<string, (view: View, site: Site) => Promise<unknown>>> = {
  'sign-in': ({ page }, site) => page.goto(site.authorization()),
  'sign-in in Arabic, all languages shown': async ({ page }, site) => {
    await page.goto(site.authorization({ ui_locales: 'ar' }));
    await page.evaluate('document.querySelector("details").open = true');
  },
  'sign-in with nothing filled in': async ({ page }, site) => {
    await page.goto(site.authorization());
    await send(page);
  },
  'sign-in with a wrong password': async (view, site) => {
    await view.page.goto(site.authorization());
    await send(view.page, { '#email': 'ada@example.com', '#password': 'not the password' });
  },
  'a code by mail': (view, site) => openCodePage(view, site),
  'a code by mail in Arabic': (view, site) => openCodePage(view, site, { ui_locales: 'ar' }),
  'a wrong code by mail': async (view, site) => {
    await openCodePage(view, site);
    await send(view.page, { '#code': '000 000' });
  },
  'second step': (view, site) => openSecondStep(view, site),
  'second step in Arabic': (view, site) => openSecondStep(view, site, { ui_locales: 'ar' }),
  'second step with a wrong recovery code': async (view, site) => {
    await openSecondStep(view, site);
    await view.page.evaluate('document.querySelector("main summary").click()');
    await send(view.page, { '#recovery': 'none of them' }, 'button.secondary');
  },
  'consent of an unverified app': (view, site) => openUnverified(view, site),
  'consent of an unverified app, Arabic': (view, site) => openUnverified(view, site, { ui_locales: 'ar' }),
  consent: async (view, site) => {
    await resume(view, site);
    const scope = 'openid offline_access profile email phone address subscriptions';
    await view.page.goto(site.authorization({ client_id: 'partner', scope }));
  },
  'consent for a very long name': async (view, site) => {
    await resume(
      view,
      site,
      'a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com',
    );
    await view.page.goto(site.authorization({ client_id: 'long' }));
  },
  'request error': ({ page }, site) =>
    page.goto(site.authorization({ redirect_uri: `https://app.example.com/${'path/'.repeat(30)}` })),
  'stale page': async ({ page, context }, site) => {
    await page.goto(site.authorization());
    const address = page.url();
    await context.clearCookies();
    await page.goto(address);
  },
  'not found': ({ page }, site) => page.goto(`${site.issuer}/no-such-page`),
  account: async (view, site) => {
    await resume(view, site);
    await view.page.goto(`${site.issuer}/account`);
  },
  'sign-out question': async (view, site) => {
    await resume(view, site);
    await view.page.goto(`${site.issuer}/api/oidc/session/end`);
  },
  'signed out': ({ page }, site) => page.goto(`${site.issuer}/api/oidc/session/end`),
  'device code': async (view, site) => {
    await resume(view, site);
    await view.page.goto(`${site.issuer}/device`);
  },
  'device code with an error': async (view, site) => {
    await resume(view, site);
    await view.page.goto(`${site.issuer}/device`);
    await send(view.page, { '#user_code': '12' });
  },
  'device approval': openApproval,
  'device approved': async (view, site) => {
    await openApproval(view, site);
    await send(view.page, {}, 'button[value=approve]');
  },
  'device rejected': async (view, site) => {
    await openApproval(view, site);
    await send(view.page, {}, 'button[value=reject]');
  },
  'form post': async (view, site) => {
    await resume(view, site);
    // The page sends itself as soon as it is there: too soon to be looked at.
    const script = await view.page.addInitScript('HTMLFormElement.prototype.submit = () => {};');
    await view.page.goto(site.authorization({ response_mode: 'form_post' }));
    await script.dispose();
  },
};
