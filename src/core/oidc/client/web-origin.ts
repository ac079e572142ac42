/** Origins that a client or a tenant registers: whose scripts may read, and where a checkout may lead back to. */
import { isHostName } from './redirect-uri.ts';

/** A loopback origin without its port. */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?$/;

/**
 * Whether a text is an origin that may be registered: exactly as browsers write it, and https, but for a
 * developer's own machine. A star stands for nothing, and no host name has one.
 */
export function isWebOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  return origin === text && isHostName(hostname) && (protocol === 'https:' || loopback.test(text));
}

/** The origins whose scripts may read what the clients of a tenant may read. */
export interface WebOrigins {
  readonly exact: ReadonlySet<string>;
  /** Without a port: any is right there. */
  readonly loopback: ReadonlySet<string>;
}

/**
 * The origins that clients have registered. A loopback origin may have any port where the client has a
 * redirect_uri on that host, whose port may differ too (decisions 8 and 43).
 */
export function webOriginsOf(
  clients: readonly { readonly webOrigins: readonly string[]; readonly redirectUris: readonly string[] }[],
): WebOrigins {
  const anyPort = clients.flatMap(({ webOrigins, redirectUris }) => {
    const hosts = new Set(redirectUris.map((uri) => loopbackHost(uri.split('/', 3).join('/'))));
    return webOrigins.map(loopbackHost).filter((host) => host !== undefined && hosts.has(host));
  });
  return {
    exact: new Set(clients.flatMap(({ webOrigins }) => webOrigins)),
    loopback: new Set(anyPort.filter((host) => host !== undefined)),
  };
}

/** Whether scripts of this origin, as the browser sent it, may read. */
export function allowsOrigin({ exact, loopback }: WebOrigins, origin: string): boolean {
  return exact.has(origin) || loopback.has(loopbackHost(origin) ?? '');
}

/** `http://localhost` of `http://localhost:3000`; undefined for what is not on a loopback address. */
function loopbackHost(origin: string): string | undefined {
  return loopback.exec(origin)?.[1];
}
