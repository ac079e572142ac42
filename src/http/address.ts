// The address of a client, and what a limit counts as one address.
import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Share } from '../secrets/fair-queue.ts';
import type { AddressRange } from '../storage/grants/session.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the request comes from, as far as trusted proxies tell. */
    address: string;
  }
}

/**
 * Asks for the address of a client once, while it is there: Fastify reads what proxies say each time it is asked,
 * and the address of a client that has left cannot be found any more. A client that left before gets no answer.
 */
export function findAddress(app: FastifyInstance): void {
  app.decorateRequest('address');
  app.addHook('onRequest', (request, _reply, done) => {
    const { ip } = request as { readonly ip: string | undefined };
    const address = ip === undefined ? undefined : (bareAddress(ip) ?? request.raw.socket.remoteAddress);
    if (address === undefined) {
      request.raw.destroy();
      return;
    }
    request.address = address;
    done();
  });
}

/** Headers that proxies and tunnels add: a request through one does not come from this machine. */
const addedByProxies =
  /^(?:forwarded|via|x-(?:client|envoy|forwarded|original|real)-.+|(?:cdn|cf|fly|ngrok|tailscale|true-client)-.+)$/;

/** Whether a process of this machine asks us directly: over loopback, and through no proxy. */
export function comesFromThisMachine({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): boolean {
  const isLoopback = /^(?:::ffff:)?127\.|^::1$/.test(raw.socket.remoteAddress ?? '');
  return isLoopback && !Object.keys(headers).some((name) => addedByProxies.test(name));
}

/**
 * `[address]`, `[address]:port` or `address:port`; an IPv6 address by itself has more colons than one. Some proxies name
 * the client's port too, and each of its ports would be counted apart.
 */
const withPort = /^(?:\[([^\]]+)\]|([^:]+))(?::\d{1,5})?$/;

/** An IP address as a proxy tells it, without brackets, port and zone; null if it is none. */
export function bareAddress(told: string): string | null {
  // Asked at every request.
  if (isIPv4(told)) return told;
  const [, inBrackets, beforePort] = withPort.exec(told) ?? [];
  const [unscoped = ''] = (inBrackets ?? beforePort ?? told).split('%');
  return isIP(unscoped) === 0 ? null : unscoped;
}

/**
 * What a limiter counts as one address: an IPv4 address, or the /64 of an IPv6 one, since a household has at
 * least that many (security, Defaults).
 */
export function addressKey(ip: string): string {
  // Asked at every request, and an IPv4 address is its own key.
  if (!ip.includes(':')) return ip;
  const [unscoped = ''] = ip.split('%');
  if (!isIPv6(unscoped)) return ip;
  // Node writes each address in one way, whichever way it came.
  const { address } = new SocketAddress({ address: unscoped, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail = ''] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Array(Math.max(0, 8 - left.length - right.length)).fill('0') : [];
  return `${[...left, ...zeros, ...right].slice(0, 4).join(':')}::/64`;
}

/** Where in text all addresses stand that count as one with this one (`addressKey`), as Node writes them (RFC 5952). */
export function addressRanges(ip: string): readonly AddressRange[] {
  const key = addressKey(ip);
  if (!key.includes(':')) return [key, `::ffff:${key}`].map((text) => ({ from: text, to: text }));
  const groups = key.slice(0, -'::/64'.length);
  // Zeros at its end may be written as a part of `::`.
  const short = groups.replace(/(?::0)+$/, '');
  const beginnings = short === groups ? [`${groups}:`] : [`${groups}:`, `${short}::`];
  // After every hexadecimal digit and colon.
  return beginnings.map((text) => ({ from: text, to: `${text}g` }));
}

/** What a limiter counts as one network, in which one person may have many addresses: a /24 of IPv4, a /48 of IPv6. */
export function networkKey(ip: string): string {
  const key = addressKey(ip);
  return key.includes(':') ? key.split(':').slice(0, 3).join(':') : key.split('.').slice(0, 3).join('.');
}

/** Whose turn it is when a request waits for what is scarce (promise 7). */
export function shareOf({ tenant, address }: Pick<FastifyRequest, 'tenant' | 'address'>): Share {
  return { tenant: tenant.id, address: addressKey(address) };
}

/** The path of a request without its query, to lead back to. It never leads to another authority (K2). */
export function pathOf({ url }: Pick<FastifyRequest, 'url'>): string {
  const [path = ''] = url.split('?');
  return path.startsWith('/') && !/^\/[/\\]/.test(path) ? path : '/';
}

/** Whole segments that do not climb: they cannot lead to another authority (K2). */
const slashedPath = /^((?:\/(?!\.{1,2}\/)[\w.~%:@+-]+)+)\/$/;

/** The address of a page that was typed with a slash behind it; null if it was not. */
export function withoutSlash({ url }: Pick<FastifyRequest, 'url'>): string | null {
  const [path = '', ...query] = url.split('?');
  const plain = slashedPath.exec(path)?.[1];
  return plain === undefined ? null : [plain, ...query].join('?');
}
