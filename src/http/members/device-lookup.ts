import type { FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import { type DeviceCode, isOpen } from '../../core/device-code.ts';
import { slowedEntry, wrongUserCodes, wrongUserCodesOfTenant } from '../../core/limits.ts';
import { hashUserCode } from '../../core/user-code.ts';
import { findClient } from '../../storage/client.ts';
import { countPendingDeviceCodes, findDeviceCodeByUserCode } from '../../storage/device-code.ts';
import type { Tx } from '../../storage/store.ts';
import { countWrongUserCodes, insertWrongUserCode } from '../../storage/wrong-user-code.ts';
import { addressKey } from '../address.ts';
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
  const { result, isSlowed } = await deps.store.transaction(async (tx) => {
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
    const found = await findOpen(tx, tenant.id, hashUserCode(tenant.tokenKey, digits), now);
    if (found === null) await insertWrongUserCode(tx, { ...guesser, enteredAt: now });
    return { result: found, isSlowed };
  });
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
  const guess = { tenantId: tenant.id, memberId: member.id, address: addressKey(ip), enteredAt: now };
  await insertWrongUserCode(tx, guess);
}

async function findOpen(
  tx: Tx,
  tenantId: string,
  userCodeHash: string,
  now: number,
): Promise<FoundDevice | null> {
  const code = await findDeviceCodeByUserCode(tx, tenantId, userCodeHash);
  if (code === null || !isOpen(code, now)) return null;
  const client = await findClient(tx, tenantId, code.clientId);
  return client?.deviceFlow === true ? { code, client } : null;
}
