/** How the pending device codes of a client are shared between the networks that ask for them (security, F8). */
import { pendingCodeParts } from '../limits.ts';

/** The holders of a client's pending codes when one more is asked for. */
export interface Held {
  /** All of them. */
  readonly total: number;
  /** How many networks hold at least one. */
  readonly networks: number;
  /** How many the network holds that asks. */
  readonly own: number;
}

/**
 * Who may have one more pending code: `anyone`, only `known` addresses, from which a sign-in was finished, or `none`
 * on this network.
 *
 * A share leaves room for one more network, so that those who are there cannot take everything. The more is held,
 * the stricter the answer: a number that is too high never lets a client exceed its limit.
 *
 * @param most how many the client may have
 */
export function roomForCode(most: number, { total, networks, own }: Held): 'anyone' | 'known' | 'none' {
  if (total >= most) return 'none';
  if (total < most * pendingCodeParts.shared) return 'anyone';
  if (own >= Math.max(1, Math.floor(most / (networks + 1)))) return 'none';
  if (total < most * pendingCodeParts.oneEach) return 'anyone';
  return own === 0 && total < most * pendingCodeParts.unknown ? 'anyone' : 'known';
}
