// The rules for redirect URIs, and how a request's URI is matched.
import { hostNameLength } from '../../limits.ts';
import { type Problem, type ProblemCode, problem } from '../../problem.ts';
import { parameterLength } from '../limits.ts';

/** `http` on a loopback host, split into what must agree and the port that may differ (RFC 8252 §7.3). */
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?((?:\/.*)?)$/;

/**
 * A private-use scheme in reversed domain form: `com.example.app:/callback`, as RFC 8252 §7.1 has it, or
 * `com.example.app://callback`, as frameworks make it (decision 43).
 */
const privateUse = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:(?:\/{0,2}[^/\s]\S*|\/{1,2})$/;

/**
 * Finds the redirect_uri of a request among the registered ones. The comparison is of strings; nothing is
 * decoded or normalised first (RFC 9700 §2.1). Only a registered loopback URI lets the port differ
 * (decision 8).
 *
 * @returns the URI to redirect to, or null
 */
export function findRedirectUri(registered: readonly string[], requested: string): string | null {
  return registered.some((uri) => uri === requested || differsInPortOnly(uri, requested)) ? requested : null;
}

function differsInPortOnly(registered: string, requested: string): boolean {
  const left = loopback.exec(registered);
  const right = loopback.exec(requested);
  return (
    left !== null &&
    right !== null &&
    left[1] === right[1] &&
    left[3] === right[3] &&
    isPort(Number(right[2] ?? 80))
  );
}

/**
 * Whether a host, as `URL` writes it, is a name of the DNS (underscores are in use) or an address. Browsers also
 * take hosts such as `a;b`, which no Content-Security-Policy can name.
 */
export function isHostName(host: string): boolean {
  if (host.length > hostNameLength) return false;
  return /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+\.?$|^\[[0-9a-f:]+\]$/.test(host);
}

const isPort = (port: number) => port >= 1 && port <= 65_535;

/** What an answer adds to the query of a redirect_uri (RFC 6749 §4.1.2, RFC 9207 §2, JARM §2.3.1). */
const ofAnswers = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'response'] as const;
/** What a logout adds to the query of a post_logout_redirect_uri (RP-Initiated Logout §3). */
const ofLogouts = ['state'] as const;

/**
 * Checks a redirect URI at registration (decisions 8 and 43; R18, F7).
 *
 * @returns what is wrong with it, or null
 */
export function redirectUriProblem(uri: string): Problem | null {
  return addressProblem(uri, ofAnswers);
}

/** Checks a post_logout_redirect_uri at registration, likewise. */
export function logoutUriProblem(uri: string): Problem | null {
  return addressProblem(uri, ofLogouts);
}

function addressProblem(uri: string, ours: readonly string[]): Problem | null {
  const { other: most } = parameterLength;
  if (uri.length > most) return problem([], 'too_long', { most });
  const code = formProblem(uri);
  if (code !== null) return problem([], code, { uri });
  // A client would read the one that is registered in the place of the one that is sent.
  // Some readers of queries split at `;` too, and trim the names.
  const query = new URLSearchParams(new URL(uri).search.replaceAll(';', '&'));
  const names = new Set([...query.keys()].map((name) => name.trim()));
  const taken = ours.find((name) => names.has(name));
  return taken === undefined ? null : problem([], 'uri_parameter', { uri, parameter: taken });
}

type FormProblem = Exclude<Extract<ProblemCode, `uri_${string}`>, 'uri_parameter'>;

function formProblem(uri: string): FormProblem | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\s\\\u0000-\u0020\u007f]/.test(uri)) return 'uri_space';
  // RFC 3986 §2: it goes into a Location header as it is, where anything else cannot stand.
  if (/[^!#-;=?-Z[\]_a-z~]/.test(uri)) return 'uri_not_encoded';
  if (uri.includes('#')) return 'uri_fragment';
  if (uri.includes('*')) return 'uri_wildcard';
  if (!URL.canParse(uri)) return 'uri_not_absolute';
  const { protocol, username, password, hostname } = new URL(uri);
  if (username !== '' || password !== '') return 'uri_credentials';
  if (protocol === 'https:') {
    if (!/^https:\/\/[^/?]/.test(uri)) return 'uri_not_absolute';
    return isHostName(hostname) ? null : 'uri_host';
  }
  if (protocol === 'http:') return loopback.test(uri) ? null : 'uri_http';
  return privateUse.test(uri) ? null : 'uri_scheme';
}
