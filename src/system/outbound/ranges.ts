// Which IP addresses we dial: those of the public internet, and in development those of one's own machine.
import { BlockList, isIP } from 'node:net';
import { globalUnicast, notPublic } from '../../core/access/network.ts';

const global6 = blockList([globalUnicast], 'ipv6');
const refused6 = blockList(notPublic[6], 'ipv6');
const refused4 = blockList(notPublic[4], 'ipv4');
const loopback4 = blockList(['127.0.0.0/8'], 'ipv4');

function blockList(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
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
