// Looks up the device of a user code that a member enters, within the limits of guessing (decision 32).
import type { Client } from '../../core/client.ts';
import { type DeviceCode, isOpen } from '../../core/grants/device-code.ts';
import { hashUserCode } from '../../core/grants/user-code.ts';
import {
  browserKnownFor,
  slowedEntries,
  slowedEntriesOfNetwork,
  slowedEntry,
  wrongUserCodes,
  wrongUserCodesOfTenant,
} from '../../core/limits.ts';
import { findClient } from '../../storage/client.ts';
import {
  countPendingDeviceCodes,
  findDeviceCodeByUserCode,
  hasEnteredDeviceCode,
} from '../../storage/device-code.ts';
import { browserKnownSince } from '../../storage/members/known-browser.ts';
import {
  countWrongUserCodes,
  insertWrongUserCode,
  isCountedUserCode,
} from '../../storage/members/wrong-user-code.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** A device that waits for this member's decision, and the app on it. */
export interface FoundDevice {
  readonly code: DeviceCode;
  readonly client: Client;
}

/** Who enters a code, from where. */
export interface Entering {
  readonly entrant: Entrant;
  /** As `networkKey` counts networks. */
  readonly network: string;
  /** The hash of the browser's cookie. */
  readonly browserHash: string;
}

export interface LookedUp {
  /**
   * The device; null for every code that does not work, whatever the reason (U8); `limited` to who entered too many
   * wrong codes; `busy` where too many entries wait, or another one of this member or address: then nothing was looked
   * up that others entered.
   */
  readonly result: FoundDevice | 'limited' | 'busy' | null;
  /** The place of a slowed entry, whose turn the answer waits for; null where none was free. */
  readonly turn?: Turn | null;
  /** Whether the member sent the same wrong code before, so that it counts no second time. */
  readonly isAgain?: boolean;
}

/**
 * Looks up a user code for a signed-in member.
 *
 * @param turns where the entries of a tenant wait, on which too many were wrong; `take` is asked again where the
 *   transaction runs again
 * @param now ms
 */
export async function lookUpDevice(
  tx: Tx,
  tenant: OpenTenant,
  { entrant, network, browserHash }: Entering,
  digits: string,
  turns: Pick<Turns, 'take' | 'isWaiting'>,
  now: number,
): Promise<LookedUp> {
  const { memberId } = entrant;
  const counts = await countWrongUserCodes(tx, entrant, now);
  const { wrongUserCodesPerAddress, wrongUserCodesPerMember } = tenant.limits;
  if (
    counts.ofMember >= (wrongUserCodesPerMember ?? Number.POSITIVE_INFINITY) ||
    counts.ofAddress >= (wrongUserCodesPerAddress ?? Number.POSITIVE_INFINITY)
  ) {
    return { result: 'limited' };
  }
  // A slowed entry waits beside strangers, or beside browsers that their members have used for long.
  const isKnown = async () => {
    const since = await browserKnownSince(tx, memberId, browserHash);
    return since !== null && now - since >= browserKnownFor;
  };
  const pending = await countPendingDeviceCodes(tx, tenant.id, now);
  const isSlowed = (counts.ofTenant + 1) * pending > wrongUserCodesOfTenant;
  const userCodeHash = hashUserCode(tenant.tokenKey, digits);
  const isReopened = await hasEnteredDeviceCode(tx, { ...entrant, userCodeHash }, now);
  // Taken before the code is looked up: an entry that gets no turn must learn nothing of its code. A code
  // that this member has opened is no guess any more, unless that guess itself still waits for its turn.
  const isGuess = !isReopened || turns.isWaiting(entrant);
  const takes = isSlowed && isGuess;
  const turn = takes ? turns.take({ ...entrant, network, isKnown: await isKnown() }) : undefined;
  if (turn === null) return { result: 'busy', turn };
  const code = await findDeviceCodeByUserCode(tx, tenant.id, userCodeHash);
  const result = await openDevice(tx, code, now);
  const entered = { userCodeHash, browserHash };
  const isAgain = result === null && (await isCountedUserCode(tx, entrant, entered, now));
  if (result === null) {
    // A member who comes back to a code of their own, already decided, has not guessed, nor has one whose browser
    // sends the same again (decision 45). A row too old to count is written all the same, so that every no takes
    // as long (U8).
    const isCounted = !isAgain && code?.memberId !== memberId;
    await insertWrongUserCode(tx, entrant, now, isCounted ? now : now - wrongUserCodes.window, entered);
  } else if (!isReopened) {
    // Once for each member and code: a page loaded again and again must not fill the disk.
    const { id, clientId } = result.code;
    await auditDeed(tx, { event: 'device_code_entered', memberId, clientId, target: id });
  }
  return { result, isAgain, ...(turn === undefined ? {} : { turn }) };
}

/** The device of a code that waits for a decision, with its client; else null. */
async function openDevice(tx: Tx, code: DeviceCode | null, now: number): Promise<FoundDevice | null> {
  if (code === null || !isOpen(code, now)) return null;
  const client = await findClient(tx, code.tenantId, code.clientId);
  return client?.deviceFlow === true ? { code, client } : null;
}

/** Who enters a code, and where from. */
export interface Entrant {
  readonly tenantId: string;
  readonly memberId: string;
  /** As `addressKey` counts addresses. */
  readonly address: string;
}

/** Where an entry waits, and beside whom. */
export interface Waiting extends Entrant {
  /** As `networkKey` counts networks. */
  readonly network: string;
  /** Whether the member has used this browser for long: such entries wait in a line of their own. */
  readonly isKnown: boolean;
}

/** The place of a slowed entry. It is held until the wait is over, however long the answer is waited for. */
export interface Turn {
  /**
   * Waits, and gives the place back. A wrong code waits behind the wrong ones before it; a right one waits its own
   * time and no stranger's (F8), which tells no more than its answer does: the places of wrong ones last as before.
   */
  wait(isRight: boolean): Promise<void>;
}

/** Lets the slowed entries of a tenant through one behind another (decision 32). */
export interface Turns {
  /**
   * Takes a place among the entries of a tenant; no code is looked up without one. A caller who sends a hundred
   * wrong codes at once gets no more of them through than one who sends them in turn.
   *
   * No caller takes all places (security, promise 7): a member holds one turn at a time, and an address too,
   * a network holds few, and browsers that their members have used for long have places that no stranger takes.
   *
   * @returns the turn, which must be waited for; null where one of the same member or address waits, or so many that the wait
   *   would be too long
   */
  take(entry: Waiting): Turn | null;
  /** Whether a turn of this member waits. */
  isWaiting(entrant: Pick<Entrant, 'tenantId' | 'memberId'>): boolean;
}

interface Place {
  readonly entry: Waiting;
  /** Those behind wait for it; null until the entry is known to be wrong. */
  readonly over: Promise<void> | null;
}

/** @param pause waits for ms */
export function createTurns(pause: (ms: number) => Promise<void>): Turns {
  /** By tenant: those of both its lines, in the order in which they wait. */
  const places = new Map<string, readonly Place[]>();
  const placesOf = (tenantId: string) => places.get(tenantId) ?? [];
  const others = (entry: Waiting) => placesOf(entry.tenantId).filter((place) => place.entry !== entry);
  const leave = (entry: Waiting) => {
    const left = others(entry);
    if (left.length === 0) places.delete(entry.tenantId);
    else places.set(entry.tenantId, left);
  };
  const waitInLine = (entry: Waiting): Promise<void> => {
    const before = others(entry);
    const last = before.findLast((place) => place.entry.isKnown === entry.isKnown && place.over !== null);
    const over = (last?.over ?? Promise.resolve()).then(() => pause(slowedEntry)).finally(() => leave(entry));
    places.set(entry.tenantId, [...before, { entry, over }]);
    return over;
  };
  return {
    take(entry) {
      const { tenantId, memberId, address, network, isKnown } = entry;
      const all = placesOf(tenantId);
      if (all.some((place) => place.entry.memberId === memberId || place.entry.address === address))
        return null;
      const line = all.filter((place) => place.entry.isKnown === isKnown);
      const ofNetwork = line.filter((place) => place.entry.network === network);
      if (line.length >= slowedEntries || ofNetwork.length >= slowedEntriesOfNetwork) return null;
      places.set(tenantId, [...all, { entry, over: null }]);
      return {
        wait: (isRight) => (isRight ? pause(slowedEntry).finally(() => leave(entry)) : waitInLine(entry)),
      };
    },
    isWaiting: ({ tenantId, memberId }) =>
      placesOf(tenantId).some((place) => place.entry.memberId === memberId),
  };
}
