// Ends a session or a TV that was not the member's doing.
import { findDeviceCodeById } from '../../storage/device-code.ts';
import { findSession } from '../../storage/session.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import { signOutDevice } from '../device/decide-device.ts';
import { signOutApps, signOutSession } from '../session/sign-out.ts';

/** Whose and when, of what is taken back. */
interface Taken {
  readonly tenantId: string;
  readonly memberId: string;
  readonly now: number;
}

/** Ends a session that was not the member's doing, with every app that was signed in and every TV approved in it. */
export async function endForeignSession(
  tx: Tx,
  sessionId: string,
  { tenantId, memberId, now }: Taken,
): Promise<void> {
  const session = await findSession(tx, tenantId, sessionId);
  if (session?.memberId !== memberId) return;
  await auditDeed(tx, { event: 'device_reported', memberId, target: sessionId, reason: 'a browser' });
  await signOutSession(tx, session);
  await signOutApps(tx, memberId, 'signed_out', now, sessionId);
}

/** Takes back the approval of a TV, and ends the sign-in that it began. */
export async function endForeignDevice(
  tx: Tx,
  deviceCodeId: string,
  { tenantId, memberId, now }: Taken,
): Promise<void> {
  const code = await findDeviceCodeById(tx, tenantId, deviceCodeId);
  if (code?.memberId !== memberId) return;
  const facts = { memberId, clientId: code.clientId, target: deviceCodeId, reason: 'a TV or app' };
  await auditDeed(tx, { event: 'device_reported', ...facts });
  await signOutDevice(tx, code, now);
}
