// Which IP addresses we dial: those of the public internet, and in development those of one's own machine.
import { BlockList, isIP } from 'node:net';

/** Address blocks of IPv4 that are no host on the internet (RFC 6890, and IANA's registry of special-purpose addresses). */
const notPublic4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Inside the one block of IPv6 that is given to hosts: those kept for protocols (Teredo is among them), for documents,
 * and 6to4, which leads on to an IPv4 address. IPv4-mapped and NAT64 addresses stand outside of it.
 */
const notPublic6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const global6 = blockList([['2000::', 3]], 'ipv6');
const refused6 = blockList(notPublic6, 'ipv6');
const refused4 = blockList(notPublic4, 'ipv4');
const loopback4 = blockList([['127.0.0.0', 8]], 'ipv4');

function blockList(networks: typeof notPublic4, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
}

/**
 * Whether we dial an address (decision 48): one of the public internet.
 *
 * @param development whether a development tenant asks: then one's own machine is right too
 */
export function mayDial(address: string, development: boolean): boolean {
  const family = isIP(address);
  // An address with a zone, such as fe80::1%eth0, is of one link.
  if (family === 0 || address.includes('%')) return false;
  if (development && isLoopback(address)) return true;
  if (family === 4) return !refused4.check(address, 'ipv4');
  return global6.check(address, 'ipv6') && !refused6.check(address, 'ipv6');
}

const isLoopback = (address: string) =>
  isIP(address) === 4 ? loopback4.check(address, 'ipv4') : new URL(`http://[${address}]`).host === '[::1]';
