// What is remembered of pending device codes: how many each client has, by network.
import { roomForCode } from '../../core/grants/pending-codes.ts';
import { pendingCodeParts, pendingCodesLook } from '../../core/limits.ts';
import type { Clock } from '../../system/clock.ts';
import { listHoldersOfPendingCodes } from '../grants/device-code.ts';
import { afterCommit, ifRunAgain } from '../operators/audited.ts';
import { connectionOf } from '../prepared.ts';
import type { Store, Tx } from '../store.ts';

/** The client and the address that ask for one more pending device code. */
export interface Asker {
  readonly tenantId: string;
  readonly clientId: string;
  /** The network of its address, as addresses are counted. */
  readonly network: string;
}

/** At least as many as there are: those that were decided or expired since the look are still counted. */
interface Holders {
  total: number;
  /** How many of them were added since the look. */
  added: number;
  /** Codes by network; null where so few were seen that they take no memory until there are more. */
  readonly networks: Map<string, number> | null;
  readonly lookedAt: number;
}

/**
 * Whether a client may have one more pending device code for a network (decision 32; security, F8). Counting them for
 * each new one would make codes dearer the more there are, so their holders are kept in memory: it grows with each
 * code, and is read anew only where it would refuse one. A refusal may be a second old; no code is given on old news.
 *
 * Where other processes issue codes too, it is read anew each second and after a few codes, and for each code well
 * before networks share them: in the transaction that issues the code, so that of two that count at once one runs
 * again.
 *
 * @param networkOf what counts as one network, of an address
 */
export function createPendingCodes(
  clock: Clock,
  { isShared }: Pick<Store, 'isShared'>,
  networkOf: (ipAddress: string) => string,
) {
  const known = new Map<string, Holders>();
  /** What a transaction has seen that is not committed yet. */
  const looked = new WeakMap<Tx, Holders>();
  const keyOf = ({ tenantId, clientId }: Asker) => `${tenantId} ${clientId}`;
  const look = async (tx: Tx, { tenantId, clientId }: Asker, most: number, now: number): Promise<Holders> => {
    const networks = new Map<string, number>();
    let total = 0;
    for (const { ipAddress, count } of await listHoldersOfPendingCodes(tx, { tenantId, clientId, now })) {
      const network = networkOf(ipAddress);
      networks.set(network, (networks.get(network) ?? 0) + count);
      total += count;
    }
    // Kept well before it matters, so that a client that stays just below is not looked at for each code.
    const isNear = total >= (most * pendingCodeParts.shared) / 2;
    return { total, added: 0, networks: isNear ? networks : null, lookedAt: now };
  };
  return {
    /**
     * @param most the limit of the client
     * @param isKnown whether a sign-in was finished from the asker's network; asked where it matters
     */
    async hasRoom(tx: Tx, asker: Asker, most: number, isKnown: () => Promise<boolean>): Promise<boolean> {
      const now = clock();
      const room = async (holders: Holders | undefined): Promise<boolean> => {
        if (holders === undefined) return false;
        const { total, networks } = holders;
        if (networks === null) return total < most * pendingCodeParts.shared;
        const own = networks.get(asker.network) ?? 0;
        const forWhom = roomForCode(most, { total, networks: networks.size, own });
        return forWhom === 'anyone' || (forWhom === 'known' && (await isKnown()));
      };
      const before = known.get(keyOf(asker));
      const isRecent =
        before !== undefined && now >= before.lookedAt && now - before.lookedAt < pendingCodesLook.time;
      const has = await room(before);
      if (has && before !== undefined && (!isShared || (isRecent && areFewUnseen(before, most)))) return true;
      if (!has && before?.networks && isRecent) return false;
      const holders = await look(tx, asker, most, now);
      const learn = () => known.set(keyOf(asker), holders);
      if (isShared) {
        // Of pieces that share a transaction it sees the codes of those before it, which may be taken back together.
        looked.set(tx, holders);
        afterCommit(tx, learn);
      } else if (!connectionOf(tx).isSnapshot) {
        // A snapshot lacks the newest of them.
        learn();
      }
      return room(holders);
    },
    /** One more is issued. */
    add(tx: Tx, asker: Asker): void {
      const holders = looked.get(tx) ?? known.get(keyOf(asker));
      if (holders === undefined) return;
      const count = (one: 1 | -1) => {
        holders.total += one;
        holders.added += one;
        holders.networks?.set(asker.network, (holders.networks.get(asker.network) ?? 0) + one);
      };
      count(1);
      ifRunAgain(tx, () => count(-1));
    },
  };
}

/** Whether one process may issue more before it looks what others have issued. */
function areFewUnseen({ total, added }: Holders, most: number): boolean {
  const { low, few, fewer } = pendingCodesLook;
  return added < Math.floor(most * (total < most * low ? few : fewer));
}
