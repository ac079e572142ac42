/** `http` on a loopback host, split into what must agree and the port that may differ (RFC 8252 §7.3). */
const loopback = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::(\d{1,5}))?((?:\/.*)?)$/;

/** A private-use scheme in reversed domain form, such as `com.example.app:/callback` (RFC 8252 §7.1). */
const privateUse =
  /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/?[^/\s][^\s]*$|^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/$/;

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
  return /^[a-z0-9._-]+$|^\[[0-9a-f:]+\]$/.test(host);
}

const isPort = (port: number) => port >= 1 && port <= 65_535;

/**
 * Checks a redirect URI, or post_logout_redirect_uri, at registration (decision 8; R18).
 *
 * @returns what is wrong with it in words, or null
 */
export function redirectUriProblem(uri: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\s\\\u0000-\u0020\u007f]/.test(uri)) return 'has white space, a backslash or a control character';
  // RFC 3986 §2: it goes into a Location header as it is, where anything else cannot stand.
  if (/[^!#-;=?-Z[\]_a-z~]/.test(uri)) return 'has a character that must be percent-encoded';
  if (uri.includes('#')) return 'has a fragment';
  if (uri.includes('*')) return 'has a wildcard';
  if (!URL.canParse(uri)) return 'is not an absolute URI';
  const { protocol, username, password, hostname } = new URL(uri);
  if (username !== '' || password !== '') return 'has credentials';
  if (protocol === 'https:') {
    if (!/^https:\/\/[^/?]/.test(uri)) return 'is not an absolute URI';
    return isHostName(hostname) ? null : 'has a host that is no host name';
  }
  if (protocol === 'http:') {
    return loopback.test(uri) ? null : 'uses http, which is allowed only for 127.0.0.1, [::1] and localhost';
  }
  return privateUse.test(uri) ? null : 'uses a scheme that is neither https nor a reversed domain name';
}
