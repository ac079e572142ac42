// Tells the doctor how its call arrived.
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { doctorHeader, doctorPath, proofOf, useNonce } from '../../doctor/nonce.ts';
import type { Seen } from '../../doctor/seen.ts';
import { sendJson } from '../answers.ts';
import { ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { sendNothingHere } from './domains.ts';

/**
 * Tells `memberdoor doctor` how its call arrived here, on whatever host it did, and sets a cookie as the pages
 * do. Only who can write into the data folder has a nonce, each of one use; to others there is nothing here.
 */
export function doctorEndpoint(app: FastifyInstance, { config, clock, random }: Deps): void {
  const trusted = listOf(config.trustedProxies);
  app.get(doctorPath, { config: { upkeep: true } }, async (request, reply) => {
    const nonce = request.headers[doctorHeader];
    const key = typeof nonce === 'string' ? useNonce(config.dataFolder, nonce, clock()) : null;
    if (key === null) return sendNothingHere(request, reply);
    if (request.tenant !== undefined) ensureBrowserCookie(reply, random);
    const what = seen(request, trusted, clock());
    return sendJson(reply, { seen: what, proof: proofOf(key, what) });
  });
}

function seen({ raw, headers, address }: FastifyRequest, trusted: BlockList, now: number): Seen {
  const peer = raw.socket.remoteAddress ?? '';
  const header = (name: string) => headers[name]?.toString() ?? null;
  return {
    host: header('host'),
    peer: unmapped(peer),
    isPeerTrusted: trusted.check(peer, isIPv6(peer) ? 'ipv6' : 'ipv4'),
    isAnybodyTrusted: trusted.check('192.0.2.1') || trusted.check('2001:db8::1', 'ipv6'),
    client: unmapped(address),
    forwardedFor: header('x-forwarded-for'),
    forwardedProto: header('x-forwarded-proto'),
    now,
  };
}

/** An IPv4 address as people write it. */
const unmapped = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
