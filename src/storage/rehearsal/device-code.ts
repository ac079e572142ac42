// Looks for the newest device code of a client, and lets one run out, for the rehearsal room.
import type { DeviceCode } from '../../core/grants/device-code.ts';
import { newest, rowsWith, updateRow } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The newest device code of a client, whatever has become of it; or null. */
export async function findNewestDeviceCode(
  tx: Tx,
  tenantId: string,
  clientId: string,
): Promise<DeviceCode | null> {
  const codes = rowsWith(tx, 'deviceCodes', { tenantId, clientId });
  const [code] = await newest(codes, 'createdAt', { limit: 1 }).execute();
  return code ?? null;
}

/** From a moment on (ms) a code is as old as it gets. */
export async function expireDeviceCode(
  tx: Tx,
  { id, tenantId }: Pick<DeviceCode, 'id' | 'tenantId'>,
  expiresAt: number,
): Promise<void> {
  await updateRow(tx, 'deviceCodes', { id, tenantId }, { expiresAt });
}
