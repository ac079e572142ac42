import { type AuditFacts, auditEvent, serviceSource } from '../core/operators/audit-event.ts';
import { eventOfWrite, type Meaning } from '../core/operators/audited-write.ts';
import { auditBite } from '../core/operators/limits.ts';
import { deleteAuditEvents, insertAuditEvent } from '../storage/operators/audit-event.ts';
import { sourceIn } from '../storage/operators/audited.ts';
import type { Store, Tx } from '../storage/store.ts';

/** What somebody does that is no write of the core's, such as a new password. */
export type Deed = AuditFacts & Pick<Meaning, 'memberId'>;

/** Writes down what was done, in the transaction that does it, for whoever acts there. */
export async function auditDeed(tx: Tx, deed: Deed): Promise<void> {
  const source = sourceIn(tx);
  if (source !== null) await insertAuditEvent(tx, eventOfWrite(source, deed));
}

/** Writes down that the service started or stopped. @param now ms */
export function auditServiceEvent(
  store: Store,
  event: 'service_started' | 'service_stopped',
  now: number,
): Promise<void> {
  return store.transaction((tx) =>
    insertAuditEvent(
      tx,
      auditEvent(
        serviceSource(() => now),
        { event },
      ),
    ),
  );
}

/**
 * Deletes the events before a time, in small bites: others write in between.
 *
 * @param before ms
 * @returns how many were deleted
 */
export async function sweepAuditEvents(store: Store, before: number): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await store.transaction((tx) => deleteAuditEvents(tx, before, auditBite));
    deleted += count;
    if (count < auditBite) return deleted;
  }
}
