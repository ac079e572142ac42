import type { FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import { type DeviceCode, isOpen } from '../../core/device-code.ts';
import { sha256 } from '../../core/hash.ts';
import { browserKnownFor, wrongUserCodes, wrongUserCodesOfTenant } from '../../core/limits.ts';
import { hashUserCode } from '../../core/user-code.ts';
import { auditDeed } from '../../operations/audit/audit.ts';
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
import { addressKey, networkKey } from '../address.ts';
import { noteRefusal } from '../audit.ts';
import { browserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { actIn, type CurrentSession } from '../session.ts';
import type { Entrant, Turn, Turns, Waiting } from './turns.ts';

/** A device that waits for this member's decision, and the app on it. */
export interface FoundDevice {
  readonly code: DeviceCode;
  readonly client: Client;
}

/**
 * Looks up a user code for a signed-in member, within the limits of guessing (decision 32). Every code that
 * does not work gives the same null, whatever the reason (U8).
 *
 * @param turns where the entries of a tenant wait, on which too many were wrong
 * @returns `limited` to who entered too many wrong codes, `busy` where too many entries wait, or another
 *   one of this member or address: then nothing was looked up that others entered
 * @throws SessionOver
 */
export async function lookUpDevice(
  request: FastifyRequest,
  { session, member }: CurrentSession,
  digits: string,
  turns: Turns,
  deps: Deps,
): Promise<FoundDevice | 'limited' | 'busy' | null> {
  const { tenant } = request;
  let held: Turn | null | undefined;
  const looked = actIn({ request, deps, session }, async (tx) => {
    const now = deps.clock();
    const guesser = guesserOf(request, member);
    const counts = await countWrongUserCodes(tx, guesser, now);
    const { wrongUserCodesPerAddress, wrongUserCodesPerMember } = tenant.limits;
    if (
      counts.ofMember >= (wrongUserCodesPerMember ?? Number.POSITIVE_INFINITY) ||
      counts.ofAddress >= (wrongUserCodesPerAddress ?? Number.POSITIVE_INFINITY)
    ) {
      return { result: 'limited' as const, turn: undefined, isAgain: false };
    }
    const pending = await countPendingDeviceCodes(tx, tenant.id, now);
    const isSlowed = (counts.ofTenant + 1) * pending > wrongUserCodesOfTenant;
    const userCodeHash = hashUserCode(tenant.tokenKey, digits);
    const isReopened = await hasEnteredDeviceCode(tx, { ...guesser, userCodeHash }, now);
    // Taken before the code is looked up: what nobody waits for must not be answered by anything either. A code
    // that this member has opened is no guess any more, unless that guess itself still waits for its turn.
    const isGuess = !isReopened || turns.isWaiting(guesser);
    // Work that runs again has its place already.
    if (isSlowed && isGuess && held === undefined) {
      held = turns.take(await waitingOf(tx, request, guesser, now));
    }
    if (held === null) return { result: 'busy' as const, turn: held, isAgain: false };
    const code = await findDeviceCodeByUserCode(tx, tenant.id, userCodeHash);
    const result = await openDevice(tx, code, now);
    const entered = { userCodeHash, browserHash: sha256(browserCookie(request)) };
    const isAgain = result === null && (await isCountedUserCode(tx, guesser, entered, now));
    if (result === null) {
      // A member who comes back to a code of their own, already decided, has not guessed, nor has one whose browser
      // sends the same again (decision 45). A row too old to count is written all the same, so that every no takes
      // as long (U8).
      const isGuess = !isAgain && code?.memberId !== member.id;
      await insertWrongUserCode(tx, guesser, now, isGuess ? now : now - wrongUserCodes.window, entered);
    } else if (!isReopened) {
      // Once for each member and code: a page loaded again and again must not fill the disk.
      const { id, clientId } = result.code;
      await auditDeed(tx, { event: 'device_code_entered', memberId: member.id, clientId, target: id });
    }
    return { result, turn: held, isAgain };
  });
  const { result, turn, isAgain } = await looked.catch((error) => {
    // What failed is answered at once, and its place is held as long as that of a wrong code.
    void held?.wait(false);
    throw error;
  });
  if (result === null && !isAgain) {
    const reason = 'no device waits with this user code';
    noteRefusal(request, { event: 'device_code_wrong', actorKind: 'member', actorId: member.id, reason });
  }
  if (turn !== undefined) {
    // Somebody tries codes on this tenant from many accounts: the operator should know.
    request.log.warn({ tenant: tenant.name }, 'user codes are being guessed');
    request.reachedLimit = {
      name: 'tenant_user_codes',
      key: tenant.id,
      memberId: null,
      wait: wrongUserCodes.window,
    };
    await turn?.wait(result !== null);
  }
  return result;
}

/** Counts a decision on a code that was never entered in this session: it is a guess too (U13). */
export async function countGuess(
  tx: Tx,
  request: FastifyRequest,
  { member }: CurrentSession,
  now: number,
): Promise<void> {
  await insertWrongUserCode(tx, guesserOf(request, member), now, now);
}

/** Whom a wrong code counts for. */
const guesserOf = ({ tenant, address }: FastifyRequest, member: { readonly id: string }): Entrant => ({
  tenantId: tenant.id,
  memberId: member.id,
  address: addressKey(address),
});

/** Where a slowed entry waits: beside strangers, or beside browsers that their members have used for long. */
async function waitingOf(tx: Tx, request: FastifyRequest, guesser: Entrant, now: number): Promise<Waiting> {
  const since = await browserKnownSince(tx, guesser.memberId, sha256(browserCookie(request)));
  const isKnown = since !== null && now - since >= browserKnownFor;
  return { ...guesser, network: networkKey(request.address), isKnown };
}

/** The device of a code that waits for a decision, with its client; else null. */
async function openDevice(tx: Tx, code: DeviceCode | null, now: number): Promise<FoundDevice | null> {
  if (code === null || !isOpen(code, now)) return null;
  const client = await findClient(tx, code.tenantId, code.clientId);
  return client?.deviceFlow === true ? { code, client } : null;
}
