// Signs members in: in a browser, by a click, and at a client, by code and PKCE.
import { createHash, randomBytes } from 'node:crypto';
import { type Asked, ask, askJson } from './ask.ts';
import type { StorageState, TokenRequest, Tokens } from './door.ts';

/** What is known of a client that a member signs in at. */
export interface KnownClient {
  readonly clientId: string;
  readonly secret?: string | undefined;
  readonly redirectUris?: readonly string[] | undefined;
}

/** The cookies that an answer sets, as a browser keeps them. */
const attribute = (line: string, name: string) => new RegExp(`;\\s*${name}=([^;]*)`, 'i').exec(line)?.[1];

/** @throws Error if the member may not sign in */
export async function signInBrowser(issuer: string, member: string): Promise<StorageState> {
  const { answer } = await askJson(`${issuer}/rehearsal/sign-in`, { member });
  const cookies = (answer.headers['set-cookie'] ?? []).map((line): StorageState['cookies'][number] => {
    const [pair = ''] = line.split(';');
    const split = pair.indexOf('=');
    const age = attribute(line, 'Max-Age');
    const site = attribute(line, 'SameSite') ?? 'Lax';
    return {
      name: pair.slice(0, split),
      value: pair.slice(split + 1),
      domain: new URL(issuer).hostname,
      path: attribute(line, 'Path') ?? '/',
      expires: age === undefined ? -1 : Math.floor(Date.now() / 1_000) + Number(age),
      httpOnly: /;\s*HttpOnly/i.test(line),
      secure: /;\s*Secure/i.test(line),
      sameSite: site === 'Strict' || site === 'None' ? site : 'Lax',
    };
  });
  return { cookies, origins: [] };
}

/** @throws Error if the client gets no code, or no tokens for it */
export async function signInAt(
  issuer: string,
  member: string,
  { scope = 'openid profile email offline_access', ...wanted }: TokenRequest,
  client: KnownClient,
): Promise<Tokens> {
  const { cookies } = await signInBrowser(issuer, member);
  const verifier = randomBytes(32).toString('base64url');
  const redirectUri = wanted.redirectUri ?? client.redirectUris?.[0] ?? '';
  const state = randomBytes(16).toString('base64url');
  const query = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const jar = new Map(cookies.map(({ name, value }) => [name, value]));
  const asked = await browse(`${issuer}/api/oidc/auth?${query}`, jar);
  const led = isConsent(asked.headers.location) ? await allow(issuer, asked.headers.location, jar) : asked;
  const code = codeIn(led.headers.location, redirectUri, state);
  if (code === null) {
    throw new Error(
      `memberdoor: ${client.clientId} gets no code for ${member}: its answer was ${led.status} ${led.headers.location ?? 'with a page'}`,
    );
  }
  const secret = wanted.clientSecret ?? client.secret;
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    code,
    ...(secret === undefined ? {} : { client_secret: secret }),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await ask(`${issuer}/api/oidc/token`, { method: 'POST', headers, body: form.toString() });
  if (answer.status !== 200) throw new Error(`memberdoor: ${client.clientId} gets no tokens: ${answer.text}`);
  const told = JSON.parse(answer.text) as Record<string, string | undefined> & {
    readonly expires_in: number;
  };
  return {
    accessToken: String(told.access_token),
    idToken: told.id_token,
    refreshToken: told.refresh_token,
    expiresIn: told.expires_in,
    scope: told.scope,
  };
}

/** Asks as a browser does, with the cookies that it has and gets. */
async function browse(url: string, jar: Map<string, string>, form?: URLSearchParams): Promise<Asked> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const own = { origin: new URL(url).origin, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await ask(
    url,
    form === undefined
      ? { headers: { cookie } }
      : { method: 'POST', headers: { cookie, ...own }, body: form.toString() },
  );
  for (const line of answer.headers['set-cookie'] ?? []) {
    const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
    jar.set(name, value);
  }
  return answer;
}

const isConsent = (location: string | undefined): location is string =>
  location !== undefined && /^[^?]*\/consent\?/.test(location);

/** Allows the client of a third party what it asks for, on the page that asks the member. */
async function allow(issuer: string, location: string, jar: Map<string, string>): Promise<Asked> {
  const page = await browse(new URL(location, issuer).href, jar);
  const flow = /name="flow" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  return browse(`${issuer}/consent`, jar, new URLSearchParams({ flow, action: 'allow' }));
}

function codeIn(location: string | undefined, redirectUri: string, state: string): string | null {
  if (location === undefined || !location.startsWith(redirectUri)) return null;
  const { searchParams } = new URL(location);
  return searchParams.get('state') === state ? searchParams.get('code') : null;
}
