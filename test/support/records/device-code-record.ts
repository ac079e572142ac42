import { type DeviceCode, issueDeviceCode } from '../../../src/core/grants/device-code.ts';
import { sha256 } from '../../../src/core/hash.ts';
import { minute, now } from './records.ts';

/** A code just issued to client-1 for a TV that names itself; it is not decided yet. */
export function deviceCodeRecord(changes: Partial<DeviceCode> = {}): DeviceCode {
  const facts = {
    id: 'device-code-1',
    tenantId: 'tenant-a',
    clientId: 'client-1',
    hash: sha256('the device code'),
    userCodeHash: 'hash of 123456',
    scope: 'openid offline_access email',
    resources: '',
    deviceName: 'Living room',
    deviceModel: 'TV 2000',
    ipAddress: '192.0.2.7',
  };
  return { ...issueDeviceCode(facts, now), ...changes };
}

/** What a decision of member-1 leaves on a code. */
export const byMember1 = {
  memberId: 'member-1',
  sessionId: 'session-1',
  authenticatedAt: now - 30 * minute,
} as const;
