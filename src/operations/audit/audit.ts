// Writes events into the audit, and deletes old ones.
import type { Config } from '../../config.ts';
import { type AuditFacts, auditEvent, serviceSource } from '../../core/operators/audit-event.ts';
import { eventOfWrite, type Meaning } from '../../core/operators/audited-write.ts';
import { sweepStep } from '../../core/operators/limits.ts';
import { deleteAuditEvents, insertAuditEvent } from '../../storage/operators/audit-event.ts';
import { sourceIn } from '../../storage/operators/audited.ts';
import type { Store, Tx } from '../../storage/store.ts';
import { indexed, type Sweep } from '../../storage/sweep/sweep.ts';

/** A deed of an actor that is no write of the core, such as a new password. */
export type Deed = AuditFacts & Pick<Meaning, 'memberId'>;

/** Writes down what was done, in the transaction that does it, in the name of its actor. */
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
  return store.transaction((tx) => insertAuditEvent(tx, auditEvent(serviceSource(now), { event })));
}

/** The events that are older than the operator keeps them. @param now ms */
export function oldAuditEvents(
  { auditRetention, auditRefreshRetention }: Pick<Config, 'auditRetention' | 'auditRefreshRetention'>,
  now: number,
): readonly Sweep[] {
  return [
    indexed('auditEvents', (tx) => deleteAuditEvents(tx, 'others', now - auditRetention, sweepStep)),
    indexed('auditEvents', (tx) =>
      deleteAuditEvents(tx, 'refreshes', now - auditRefreshRetention, sweepStep),
    ),
  ];
}
