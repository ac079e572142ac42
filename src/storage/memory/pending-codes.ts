import { countPendingDeviceCodes } from '../device-code.ts';
import { statementsOf } from '../queries/prepared.ts';
import type { Tx } from '../store.ts';

/**
 * Whether a tenant may have one more pending device code (decision 32). Counting them for each new one would
 * make codes dearer the more there are, so a bound is kept in memory: it grows with each code, and they are
 * counted anew only where it reaches the limit.
 */
export interface PendingCodes {
  /** @param most the tenant's limit */
  hasRoom(tx: Tx, tenantId: string, most: number, now: number): Promise<boolean>;
  /** One more was issued. */
  add(tenantId: string): void;
}

export function createPendingCodes(): PendingCodes {
  /** At least as many as there are: those that were decided or expired since are still counted. */
  const bounds = new Map<string, number>();
  return {
    async hasRoom(tx, tenantId, most, now) {
      const bound = bounds.get(tenantId);
      if (bound !== undefined && bound < most) return true;
      const count = await countPendingDeviceCodes(tx, tenantId, now);
      // A snapshot lacks the newest of them.
      if (!statementsOf(tx).isSnapshot) bounds.set(tenantId, count);
      return count < most;
    },
    add(tenantId) {
      const bound = bounds.get(tenantId);
      if (bound !== undefined) bounds.set(tenantId, bound + 1);
    },
  };
}
