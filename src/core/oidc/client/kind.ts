// What follows from what is built and where it runs: the settings that a client begins with.
import type { Client } from '../../client.ts';
import { refreshTokenAbsolute, refreshTokenIdle, sessionLife } from '../../limits.ts';
import { type Problem, problem, within } from '../../problem.ts';
import { unverifiedClientLife } from '../../registration/limits.ts';
import { clientIdOfName } from '../limits.ts';
import { logoutUriProblem, redirectUriProblem } from './redirect-uri.ts';
import { isWebOrigin } from './web-origin.ts';

/** The kinds of clients, by what people build: the first question about a client, before any setting. */
export const clientKinds = [
  'website',
  'single_page_app',
  'native_app',
  'tv_app',
  'server_job',
  'assistant',
] as const;

export type ClientKind = (typeof clientKinds)[number];

/** The addresses of a client. */
type Addresses = Pick<Client, 'redirectUris' | 'postLogoutRedirectUris' | 'webOrigins'>;

/** What holds of the clients of a kind wherever they run. */
type Lasting = Pick<Client, 'type' | 'refreshTokenIdle' | 'refreshTokenAbsolute'> &
  Partial<Pick<Client, 'claimsInIdToken' | 'clientCredentials' | 'deviceFlow' | 'thirdParty'>>;

/** The settings that a client of a kind begins with. */
export type KindSettings = Addresses & Lasting;

/** What a kind says of its clients. Patterns have `{base}`, the address without a slash behind it, and `{origin}`. */
export interface KindRules {
  readonly settings: Lasting;
  /** What its addresses are made of; null for what has none. */
  readonly addresses: Addresses | null;
  /** Where it runs unless the form says so; null where the form must. */
  readonly home: string | null;
  /** Whether an address with a path is the redirect URI itself, which its maker has fixed. */
  readonly keepsPath: boolean;
}

const lasting = { refreshTokenIdle, refreshTokenAbsolute };

/** Scripts keep their tokens where other scripts may find them: they last as long as a browser's session. */
const { idle, absolute } = sessionLife.member;

const back = ['{base}/callback'];
const home = ['{base}/'];

/** The kinds. The refresh tokens of an assistant last no longer than those of clients that register themselves. */
export const kindRules: Readonly<Record<ClientKind, KindRules>> = {
  website: {
    // Libraries of servers read who signed in from the id_token, which reaches none but the server.
    settings: { type: 'confidential', claimsInIdToken: true, ...lasting },
    addresses: { redirectUris: back, postLogoutRedirectUris: home, webOrigins: [] },
    home: null,
    keepsPath: false,
  },
  single_page_app: {
    settings: { type: 'public', refreshTokenIdle: idle, refreshTokenAbsolute: absolute },
    addresses: { redirectUris: back, postLogoutRedirectUris: home, webOrigins: ['{origin}'] },
    home: null,
    keepsPath: false,
  },
  native_app: {
    settings: { type: 'public', ...lasting },
    addresses: { redirectUris: back, postLogoutRedirectUris: home, webOrigins: [] },
    // A program on a desk listens on a port of its own (RFC 8252 §7.3).
    home: 'http://127.0.0.1',
    keepsPath: true,
  },
  tv_app: {
    settings: { type: 'public', deviceFlow: true, ...lasting },
    addresses: null,
    home: null,
    keepsPath: false,
  },
  server_job: {
    settings: { type: 'confidential', clientCredentials: true, ...lasting },
    addresses: null,
    home: null,
    keepsPath: false,
  },
  assistant: {
    settings: {
      type: 'public',
      thirdParty: true,
      refreshTokenIdle: idle,
      refreshTokenAbsolute: unverifiedClientLife,
    },
    addresses: { redirectUris: back, postLogoutRedirectUris: [], webOrigins: [] },
    home: 'http://127.0.0.1',
    keepsPath: true,
  },
};

/** What follows, or what is wrong with the address that it was to follow from. */
export type Following =
  | { readonly ok: true; readonly settings: KindSettings }
  | { readonly ok: false; readonly problem: Problem };

/** What follows from a kind and where a client of it runs. @param address as a person writes it; empty where it is not said */
export function followingFrom(kind: ClientKind, address: string): Following {
  const { settings, addresses, home: usual, keepsPath } = kindRules[kind];
  const none = { redirectUris: [], postLogoutRedirectUris: [], webOrigins: [] };
  if (addresses === null) return { ok: true, settings: { ...none, ...settings } };
  const written = address.trim() || usual;
  if (written === null) return { ok: false, problem: problem('address', 'missing') };
  const base = baseOf(written, kind === 'native_app');
  if (base === null) return { ok: false, problem: problem('address', 'not_a_place') };
  const isWhole = keepsPath && base !== rootOf(base);
  const filled = {
    redirectUris: isWhole ? [base] : fill(addresses.redirectUris, base),
    // The page that a sign-in comes back to is not a page to land on after a sign-out.
    postLogoutRedirectUris: fill(addresses.postLogoutRedirectUris, isWhole ? rootOf(base) : base),
    webOrigins: fill(addresses.webOrigins, base),
  };
  const wrong = addressProblem(filled);
  return wrong === null
    ? { ok: true, settings: { ...filled, ...settings } }
    : { ok: false, problem: within(['address'], [wrong])[0] ?? wrong };
}

function addressProblem({ redirectUris, postLogoutRedirectUris, webOrigins }: Addresses): Problem | null {
  const wrong = [
    ...redirectUris.map(redirectUriProblem),
    ...postLogoutRedirectUris.map(logoutUriProblem),
    ...webOrigins.map((value) => (isWebOrigin(value) ? null : problem([], 'not_an_origin', { value }))),
  ];
  return wrong.find((one) => one !== null) ?? null;
}

/**
 * An address as people write it or copy it from a browser, without the slash behind it: https where nothing is said,
 * http on one's own machine, and of an app the scheme that its name is.
 */
function baseOf(written: string, isApp: boolean): string | null {
  if (/[\s\\]/.test(written)) return null;
  // `com.example.app`, with or without what a scheme has behind it.
  const [, scheme, rest = ''] = /^((?!https?:|localhost)[a-z][\w.-]*)(|:(?!\d).*)$/i.exec(written) ?? [];
  if (isApp && scheme !== undefined) return scheme.toLowerCase() + (/^:?\/*$/.test(rest) ? ':' : rest);
  const isOwn = /^(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/.test(written);
  const whole = written.includes('://') ? written : `${isOwn ? 'http' : 'https'}://${written}`;
  if (!URL.canParse(whole)) return null;
  const { protocol, origin, pathname, username, password } = new URL(whole);
  if (username !== '' || password !== '' || !/^https?:$/.test(protocol)) return null;
  return (origin + pathname).replace(/\/+$/, '');
}

/** An address without its path: the host, or the scheme of an app. */
function rootOf(base: string): string {
  return base.startsWith('http') ? new URL(base).origin : base.replace(/:.*$/, ':');
}

function fill(patterns: readonly string[], base: string): readonly string[] {
  return patterns.map((pattern) => pattern.replace('{base}', base).replace('{origin}', rootOf(base)));
}

/** The client_id that a name suggests: "Acme Läser" is `acme-laser`. @param number of the first that is free, from 1 */
export function clientIdOf(name: string, number: number): string {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, clientIdOfName)
    .replaceAll(/^-+|-+$/g, '');
  const base = words === '' ? 'app' : words;
  return number === 1 ? base : `${base}-${number}`;
}
