import type { FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import { type DeviceCode, isOpen } from '../../core/device-code.ts';
import { slowedEntry, wrongUserCodes, wrongUserCodesOfTenant } from '../../core/limits.ts';
import { hashUserCode } from '../../core/user-code.ts';
import { auditDeed } from '../../operations/audit.ts';
import { findClient } from '../../storage/client.ts';
import { countPendingDeviceCodes, findDeviceCodeByUserCode } from '../../storage/device-code.ts';
import { countWrongUserCodes, insertWrongUserCode } from '../../storage/members/wrong-user-code.ts';
import type { Tx } from '../../storage/store.ts';
import { addressKey } from '../address.ts';
import { noteRefusal, transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import type { CurrentSession } from '../session.ts';

/** A device that waits for this member's decision, and the app on it. */
export interface FoundDevice {
  readonly code: DeviceCode;
  readonly client: Client;
}

/**
 * Looks up a user code for a signed-in member, within the limits of guessing (decision 32). Every code that
 * does not work gives the same null, whatever the reason (U8).
 */
export async function lookUpDevice(
  request: FastifyRequest,
  { member }: CurrentSession,
  digits: string,
  deps: Deps,
): Promise<FoundDevice | 'limited' | null> {
  const { tenant } = request;
  const { result, isSlowed } = await transactionOf(request, deps, async (tx) => {
    const now = deps.clock();
    const guesser = { tenantId: tenant.id, memberId: member.id, address: addressKey(request.ip) };
    const counts = await countWrongUserCodes(tx, guesser, now);
    const { wrongUserCodesPerAddress } = tenant.limits;
    if (
      counts.ofMember >= wrongUserCodes.perMember ||
      (wrongUserCodesPerAddress !== null && counts.ofAddress >= wrongUserCodesPerAddress)
    ) {
      return { result: 'limited' as const, isSlowed: false };
    }
    const pending = await countPendingDeviceCodes(tx, tenant.id, now);
    const isSlowed = counts.ofTenant * pending >= wrongUserCodesOfTenant;
    const code = await findDeviceCodeByUserCode(tx, tenant.id, hashUserCode(tenant.tokenKey, digits));
    const result = await openDevice(tx, code, now);
    if (result === null) {
      // A member who comes back to a code of their own, already decided, has not guessed. A row too old to
      // count is written all the same, so that every no takes as long (U8).
      const isOwn = code?.memberId === member.id;
      await insertWrongUserCode(tx, guesser, now, isOwn ? now - wrongUserCodes.window : now);
    } else {
      const { id, clientId } = result.code;
      await auditDeed(tx, { event: 'device_code_entered', memberId: member.id, clientId, target: id });
    }
    return { result, isSlowed };
  });
  if (result === null) {
    const reason = 'no device waits with this user code';
    noteRefusal(request, { event: 'device_code_wrong', actorKind: 'member', actorId: member.id, reason });
  }
  if (isSlowed) {
    // Somebody tries codes on this tenant from many accounts: the operator should know.
    request.log.warn({ tenant: tenant.name }, 'user codes are being guessed');
    await deps.pause(slowedEntry);
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
  const { tenant, ip } = request;
  const guesser = { tenantId: tenant.id, memberId: member.id, address: addressKey(ip) };
  await insertWrongUserCode(tx, guesser, now, now);
}

/** The device of a code that waits for a decision, with its client; else null. */
async function openDevice(tx: Tx, code: DeviceCode | null, now: number): Promise<FoundDevice | null> {
  if (code === null || !isOpen(code, now)) return null;
  const client = await findClient(tx, code.tenantId, code.clientId);
  return client?.deviceFlow === true ? { code, client } : null;
}
