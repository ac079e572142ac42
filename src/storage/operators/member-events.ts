// Lists what happened to a member.
import type { Tx } from '../store.ts';
import type { StoredAuditEvent } from './audit-list.ts';
import { type AuditFilter, listAuditEvents } from './audit-list.ts';

/**
 * What a member did, what was done to her, and what concerns her account, newest first. Each has an index of its own, so
 * that a page of it costs as much with ten thousand events as with ten (security, F10).
 */
export async function listMemberEvents(
  tx: Tx,
  {
    tenantId,
    memberId,
    ...filter
  }: Required<Pick<AuditFilter, 'tenantId' | 'memberId'>> & Pick<AuditFilter, 'events' | 'before'>,
  limit: number,
): Promise<readonly StoredAuditEvent[]> {
  const each = new Map<number, StoredAuditEvent>();
  for (const named of [{ actorId: memberId }, { target: memberId }, { memberId }]) {
    for (const event of await listAuditEvents(tx, { tenantId, ...filter, ...named }, limit)) {
      each.set(event.id, event);
    }
  }
  return [...each.values()].toSorted((a, b) => b.at - a.at || b.id - a.id).slice(0, limit);
}
