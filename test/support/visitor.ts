import { createHash, randomBytes } from 'node:crypto';
import { passwords } from './fixtures.ts';
import type { Answer, Ask } from './http.ts';
import type { TestService } from './service.ts';

/** The verifier and challenge of one authorization request. */
export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The token response, as far as tests read it. */
export interface Tokens {
  readonly token_type: string;
  readonly expires_in: number;
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token: string;
  readonly scope: string;
}

/** What answers over HTTP: the service of a test, or one that runs elsewhere. */
export type Spoken = Pick<TestService, 'http'>;

/** A browser without a window: one host, a cookie jar, forms filled in by name. */
export interface Visitor {
  readonly host: string;
  readonly cookies: Map<string, string>;
  send(path: string, ask?: Ask): Promise<Answer>;
  /** GET /api/oidc/auth with these parameters, following our own redirects to the page or the answer. */
  authorize(parameters: Record<string, string>): Promise<Answer>;
  /** Fills in the sign-in form of a page and sends it. */
  signIn(page: Answer, email: string, password?: string): Promise<Answer>;
}

export function visitor(service: Spoken, host: string): Visitor {
  const cookies = new Map<string, string>();
  const send = async (path: string, ask: Ask = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await service.http(host, path, {
      ...ask,
      headers: { ...(cookie === '' ? {} : { cookie }), ...ask.headers },
    });
    for (const line of answer.headers['set-cookie'] ?? []) keep(cookies, line);
    return answer;
  };
  const self: Visitor = {
    host,
    cookies,
    send,
    authorize: async (parameters) => {
      let answer = await send(`/api/oidc/auth?${new URLSearchParams(parameters)}`);
      while (answer.headers.location?.startsWith('/')) answer = await send(answer.headers.location);
      return answer;
    },
    signIn: (page, email, password) =>
      send('/sign-in', {
        body: { flow: field(page, 'flow'), email, password: password ?? passwordOf(host, email) },
      }),
  };
  return self;
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split('; ');
  const at = pair.indexOf('=');
  const isGone = attributes.some((attribute) => /^max-age=0$|^expires=thu, 01 jan 1970/i.test(attribute));
  if (isGone) cookies.delete(pair.slice(0, at));
  else cookies.set(pair.slice(0, at), pair.slice(at + 1));
}

function passwordOf(host: string, email: string): string {
  const known: Record<string, string> = passwords[host as keyof typeof passwords] ?? {};
  return known[email] ?? 'memberdoor-development';
}

/** Presses a button of a page's form that leads another way, with what was typed, and opens the page that it leads to. */
export async function wayFrom(
  browser: Pick<Visitor, 'send'>,
  page: Answer,
  url: '/sign-in' | '/sign-up' | '/recover',
  action: string,
  typed: Record<string, string> = {},
): Promise<Answer> {
  const pressed = await browser.send(url, { body: { flow: field(page, 'flow'), action, ...typed } });
  return browser.send(String(pressed.headers.location));
}

/** A page without what is sealed in it, which is never the same twice, and with another word for what was typed. */
export const withoutSeals = (text: string, typed = '\n\n'): string =>
  text.replaceAll(/[~\w%-]{40,}(?:\.[\w-]{43}){2}/g, 'SEAL').replaceAll(typed, 'TYPED');

/** The value of a form's field on a page. */
export function field(page: Answer, name: string): string {
  const tag = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(page.text)?.[0];
  const value = tag === undefined ? undefined : /value="([^"]*)"/.exec(tag)?.[1];
  if (value === undefined) throw new Error(`the page (${page.status}) has no field ${name}`);
  return value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}

/** The heading of a page, as it is read. */
export const headingOf = ({ text }: Pick<Answer, 'text'>): string =>
  (/<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1] ?? '').replaceAll(/<[^>]*>/g, '');

/** The parameters of the answer that a redirect carries to the client. */
export function answerOf(answer: Answer): URLSearchParams {
  if (answer.headers.location === undefined) throw new Error(`no redirect but ${answer.status}`);
  return new URL(answer.headers.location).searchParams;
}

/** What a request for a code of this client needs; `openid offline_access` unless said otherwise. */
export function authorizationParameters(
  clientId: string,
  redirectUri: string,
  { challenge }: Pkce,
  more: Record<string, string> = {},
): Record<string, string> {
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  };
}

/** A code with what is needed to exchange it. */
export interface Code extends Pkce {
  readonly code: string;
}

/** Signs a member in for a client, in a browser of its own or the one given, and returns the code. */
export async function codeFor(
  browser: Visitor,
  clientId: string,
  redirectUri: string,
  more: Record<string, string> = {},
  email = 'u1@example.test',
): Promise<Code> {
  const proof = pkce();
  let answer = await browser.authorize(authorizationParameters(clientId, redirectUri, proof, more));
  if (answer.status === 200) answer = await browser.signIn(answer, email);
  const code = answerOf(answer).get('code');
  if (code === null) throw new Error(`no code but ${answer.headers.location}`);
  return { code, ...proof };
}

/**
 * Opens an authorization address as a browser does, signs in where the page is shown, and returns the address that
 * the client gets back.
 */
export async function visit(browser: Visitor, address: URL, email = 'ada@example.com'): Promise<URL> {
  let answer = await browser.authorize(Object.fromEntries(address.searchParams));
  if (answer.status === 200) answer = await browser.signIn(answer, email);
  return new URL(answer.headers.location ?? '');
}

/** POST /api/oidc/token. */
export function token(
  service: Spoken,
  host: string,
  body: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return service.http(host, '/api/oidc/token', { body, headers });
}

/** A whole sign-in of the public client pub1: browser, code, exchange. */
export async function tokensFor(
  service: TestService,
  host: string,
  {
    clientId = 'pub1',
    redirectUri = 'https://pub1.test/cb',
    secret = '',
    scope = 'openid offline_access',
  } = {},
  browser = visitor(service, host),
): Promise<Tokens> {
  const { code, verifier } = await codeFor(browser, clientId, redirectUri, { scope });
  const answer = await token(service, host, {
    grant_type: 'authorization_code',
    client_id: clientId,
    ...(secret === '' ? {} : { client_secret: secret }),
    code,
    code_verifier: verifier,
  });
  if (answer.status !== 200) throw new Error(`no tokens but ${answer.text}`);
  return answer.json<Tokens & Record<string, unknown>>();
}

/** Refreshes with the refresh token of pub1, or of another client. */
export function refresh(
  service: TestService,
  host: string,
  refreshToken: string | undefined,
  more: Record<string, string> = {},
): Promise<Answer> {
  return token(service, host, {
    grant_type: 'refresh_token',
    client_id: 'pub1',
    refresh_token: refreshToken ?? '',
    ...more,
  });
}
