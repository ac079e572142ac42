// Networks from which members may take a seat: those of a school, a library or a firm.

import { type Problem, problem, within } from '../../problem.ts';
import { seatNetworks } from '../limits.ts';
import {
  isWithin,
  type Network,
  networkProblems,
  networkText,
  parseAddress,
  soundNetwork,
} from '../network.ts';

/** What is wrong with the networks of a subscription. @param development whether its tenant is one of development */
export function seatNetworkProblems(networks: readonly string[], development: boolean): readonly Problem[] {
  return [
    ...(networks.length > seatNetworks ? [problem('networks', 'too_many', { most: seatNetworks })] : []),
    ...within(['networks'], networkProblems(networks.slice(0, seatNetworks), development)),
  ];
}

/** Whether a visitor comes from one of these networks. */
export function isFrom(networks: readonly string[], ipAddress: string): boolean {
  const address = parseAddress(ipAddress);
  return address !== null && networks.some((network) => isWithin(address, soundNetwork(network)));
}

/** How much of its addresses one place has to itself: what a router hands out to all that is behind it (RFC 6177). */
const ownPrefix = { 4: 32, 6: 64 } as const;

/** Whether a network is no more than one place has: its holder may open seats to it, and close them again. */
export const isOwnNetwork = ({ family, prefix }: Network): boolean => prefix >= ownPrefix[family];

/**
 * The network that a holder may open seats to: the one that she is in, and never more of it than one place has. So it is
 * seen and not said, and no one names a range of others (decision 56). Null where there is none, as behind a proxy that
 * does not say whom it serves.
 */
export function ownNetwork(ipAddress: string, development: boolean): string | null {
  const address = parseAddress(ipAddress);
  if (address === null) return null;
  const network = networkText({ ...address, prefix: ownPrefix[address.family] });
  return networkProblems([network], development).length === 0 ? network : null;
}
