// Reads the address of a PostgreSQL database, and what is said in it of TLS.

/** The hosts that no network lies before. */
const ownHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What may be said of TLS behind the address: each other word of PostgreSQL's encrypts without looking who answers. */
const tlsModes = ['verify-full', 'disable'];

/**
 * The address of a PostgreSQL database, which is not repeated in a problem: it holds a password.
 *
 * @param name what the problems call it
 */
export function readDatabaseUrl(
  text: string | undefined,
  mode: 'development' | 'production',
  name: string,
  problems: string[],
): string | null {
  if (text === undefined) return null;
  const url = URL.parse(text);
  const isPostgres = url !== null && ['postgres:', 'postgresql:'].includes(url.protocol);
  if (!isPostgres || url.hostname === '' || !/^\/[^/]+$/.test(url.pathname) || url.hash !== '') {
    problems.push(`${name} must be postgres://user:password@host:port/name.`);
    return null;
  }
  const { sslmode: tls, sslrootcert: _authority, ...others } = Object.fromEntries(url.searchParams);
  for (const other of Object.keys(others)) {
    problems.push(`${name} takes sslmode and sslrootcert behind the "?", and not ${JSON.stringify(other)}.`);
  }
  if (tls !== undefined && !tlsModes.includes(tls)) {
    problems.push(`${name}: sslmode must be one of ${tlsModes.join(', ')}.`);
  } else if (tls === undefined && mode === 'production' && !ownHosts.has(url.hostname)) {
    problems.push(
      `${name} leads to another machine: add "?sslmode=verify-full", or "?sslmode=disable" where no one else can listen.`,
    );
  }
  // Not the text: before one that begins with a space the driver puts a host of its own.
  return url.href;
}
