import type { Facts } from '../addresses.ts';

/** What the settings of a library are filled with. */
export interface ClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly isConfidential: boolean;
  /** Development alone: most libraries have to be told that http is meant. */
  readonly isHttp: boolean;
  readonly redirectUri: string;
  /** The redirect URI's origin, such as `https://app.example.com`, and what comes behind it. */
  readonly appOrigin: string;
  readonly redirectPath: string;
  readonly postLogoutRedirectUri: string | null;
  readonly scope: string;
  readonly webOrigins: readonly string[];
  readonly idTokenAlgorithm: string;
  readonly claimsInIdToken: boolean;
}

/** A library's settings: its template is `templates/admin/settings/<file>.eta`. */
export interface Setting {
  readonly file: string;
  readonly title: string;
}

interface Library extends Setting {
  /** Which clients it is for. */
  readonly fits: (client: Facts) => boolean;
}

const isConfidential = ({ type }: Facts) => type === 'confidential';
const urisOf = ({ redirectUris }: Facts) => (Array.isArray(redirectUris) ? redirectUris.map(String) : []);
const isWeb = (client: Facts) => urisOf(client).some((uri) => uri.startsWith('http'));
const isApp = (client: Facts) => urisOf(client).some((uri) => /^(?!https:)/.test(uri));
const isTv = ({ deviceFlow }: Facts) => deviceFlow === true;
const isOnServer = (client: Facts) => isConfidential(client) && isWeb(client);

const libraries: readonly Library[] = [
  { file: 'openid-client', title: 'openid-client (Node)', fits: isWeb },
  { file: 'auth-js', title: 'Auth.js', fits: isOnServer },
  { file: 'express-openid-connect', title: 'express-openid-connect', fits: isOnServer },
  {
    file: 'oidc-client-ts',
    title: 'oidc-client-ts (browser)',
    fits: (client) => !isConfidential(client) && isWeb(client),
  },
  { file: 'mod-auth-openidc', title: 'mod_auth_openidc (Apache)', fits: isOnServer },
  { file: 'spring', title: 'Spring Security', fits: isOnServer },
  {
    file: 'appauth',
    title: 'AppAuth (Android, iOS)',
    fits: (client) => !isConfidential(client) && isApp(client),
  },
  { file: 'curl-web', title: 'curl, web', fits: isWeb },
  { file: 'curl-tv', title: 'curl, TV', fits: isTv },
];

/** The libraries whose settings fit a client, filled with its own values, and the names of the others. */
export function settingsFor(
  client: Facts,
  issuer: string,
): {
  readonly settings: readonly (Setting & { readonly facts: ClientSettings })[];
  readonly others: readonly string[];
} {
  const facts = factsOf(client, issuer);
  const fitting = libraries.filter(({ fits }) => fits(client));
  return {
    settings: fitting.map(({ file, title }) => ({ file, title, facts: forLibrary(file, facts, client) })),
    others: libraries.filter((library) => !fitting.includes(library)).map(({ title }) => title),
  };
}

function factsOf(client: Facts, issuer: string): ClientSettings {
  const uris = urisOf(client);
  const redirectUri = uris.find((uri) => uri.startsWith('http')) ?? uris[0] ?? '';
  const logout = client.postLogoutRedirectUris;
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : null;
  return {
    issuer,
    clientId: String(client.clientId),
    isConfidential: isConfidential(client),
    isHttp: issuer.startsWith('http:'),
    redirectUri,
    appOrigin: url?.origin ?? '',
    redirectPath: url?.pathname ?? '',
    postLogoutRedirectUri: Array.isArray(logout) && logout.length > 0 ? String(logout[0]) : null,
    scope: 'openid offline_access profile email',
    webOrigins: Array.isArray(client.webOrigins) ? client.webOrigins.map(String) : [],
    idTokenAlgorithm: String(client.idTokenAlgorithm),
    claimsInIdToken: client.claimsInIdToken === true,
  };
}

/** An app comes back to a scheme of its own, where it has one. */
function forLibrary(file: string, facts: ClientSettings, client: Facts): ClientSettings {
  const own = urisOf(client).find((uri) => !uri.startsWith('http'));
  return file === 'appauth' && own !== undefined ? { ...facts, redirectUri: own } : facts;
}
