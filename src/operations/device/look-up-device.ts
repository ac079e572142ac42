// Looks up the device of a user code that a member enters, within the limits of guessing (decision 32).
import type { Client } from '../../core/client.ts';
import { type DeviceCode, isOpen, isOwnDecision } from '../../core/grants/device-code.ts';
import { hasPlace, turnOver } from '../../core/grants/slowed-entry.ts';
import { hashUserCode } from '../../core/grants/user-code.ts';
import { browserKnownFor, wrongUserCodes, wrongUserCodesOfTenant } from '../../core/limits.ts';
import type { Api } from '../../core/oidc/api.ts';
import { findApis } from '../../storage/clients/api.ts';
import { findClient } from '../../storage/clients/client.ts';
import {
  countPendingDeviceCodes,
  findDeviceCodeByUserCode,
  hasEnteredDeviceCode,
} from '../../storage/grants/device-code.ts';
import { listSlowedEntries, saveSlowedEntry } from '../../storage/members/guesses/slowed-entry.ts';
import {
  countWrongUserCodes,
  insertWrongUserCode,
  isCountedUserCode,
} from '../../storage/members/guesses/wrong-user-code.ts';
import { browserKnownSince } from '../../storage/members/known-browser.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** A device that waits for this member's decision, and the app on it. */
export interface FoundDevice {
  readonly code: DeviceCode;
  readonly client: Client;
  /** The APIs that it is to get tokens for. */
  readonly apis: readonly Api[];
}

/** A device that this member decided on lately. */
export interface OwnDecision {
  readonly decided: DeviceCode;
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
   * The device, or what the member decided on it before; null for every other code, whatever the reason (U8);
   * `limited` after too many wrong codes; `busy` where too many entries wait, or another one of this member
   * or address: its code was not looked up.
   */
  readonly result: FoundDevice | OwnDecision | 'limited' | 'busy' | null;
  /** How long the answer of a slowed entry waits (ms); null where no place was free. */
  readonly wait?: number | null;
  /** Whether the member sent the same wrong code before, so that it counts no second time. */
  readonly isAgain?: boolean;
}

/**
 * Looks up a user code for a signed-in member.
 *
 * @param now ms
 */
export async function lookUpDevice(
  tx: Tx,
  tenant: OpenTenant,
  { entrant, network, browserHash }: Entering,
  digits: string,
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
  // Before the code is looked up: an entry that gets no place must learn nothing of its code. A code that this
  // member has opened is no guess any more, unless that guess itself still waits for its turn.
  const held = isSlowed ? await listSlowedEntries(tx, tenant.id, now) : [];
  const isGuess = !isReopened || held.some((other) => other.memberId === memberId);
  const entry = isSlowed && isGuess ? { ...entrant, network, isKnown: await isKnown() } : null;
  if (entry !== null && !hasPlace(held, entry)) return { result: 'busy', wait: null };
  const code = await findDeviceCodeByUserCode(tx, tenant.id, userCodeHash);
  const result =
    code !== null && isOwnDecision(code, memberId, now) ? { decided: code } : await openDevice(tx, code, now);
  const entered = { userCodeHash, browserHash };
  const isAgain = result === null && (await isCountedUserCode(tx, entrant, entered, now));
  if (result === null) {
    // A member who comes back to a code of their own, already decided, has not guessed, nor has one whose browser
    // sends the same again (decision 45). A row too old to count is written all the same, so that every no takes
    // as long (U8).
    const isCounted = !isAgain && code?.memberId !== memberId;
    await insertWrongUserCode(tx, entrant, now, isCounted ? now : now - wrongUserCodes.window, entered);
  } else if ('code' in result && !isReopened) {
    // Once for each member and code: a page loaded again and again must not fill the disk.
    const { id, clientId } = result.code;
    await auditDeed(tx, { event: 'device_code_entered', memberId, clientId, target: id });
  }
  if (entry === null) return { result, isAgain };
  const judged = { ...entry, isRight: result !== null };
  const overAt = turnOver(held, judged, now);
  await saveSlowedEntry(tx, { ...judged, overAt });
  return { result, isAgain, wait: overAt - now };
}

/** The device of a code that waits for a decision, with its client; else null. */
async function openDevice(tx: Tx, code: DeviceCode | null, now: number): Promise<FoundDevice | null> {
  if (code === null || !isOpen(code, now)) return null;
  const client = await findClient(tx, code.tenantId, code.clientId);
  if (client?.deviceFlow !== true) return null;
  const apis = code.resources === '' ? [] : await findApis(tx, code.tenantId);
  return {
    code,
    client,
    apis: apis.filter(({ identifier }) => code.resources.split(' ').includes(identifier)),
  };
}

/** Who enters a code, and where from. */
export interface Entrant {
  readonly tenantId: string;
  readonly memberId: string;
  /** As `addressKey` counts addresses. */
  readonly address: string;
}
