import { sql } from 'kysely';
import type { AuditEvent, AuditEventName } from '../../core/operators/audit-event.ts';
import { insertion } from '../prepared.ts';
import type { Tx } from '../store.ts';
import { noteAuditEvent } from './audited.ts';

/** The one writer of the audit: a row, and after the commit a line of the log. */
export async function insertAuditEvent(tx: Tx, event: AuditEvent): Promise<void> {
  insertRow(tx, event);
  noteAuditEvent(tx, event);
}

const insertRow = insertion('auditEvents');

/** An event as it is stored; ids count up. */
export type StoredAuditEvent = AuditEvent & { readonly id: number };

/** Which events to list; what is left out does not narrow. */
export interface AuditFilter {
  readonly tenantId?: string;
  readonly event?: AuditEventName;
  readonly actorId?: string;
  readonly target?: string;
  readonly clientId?: string;
  readonly result?: AuditEvent['result'];
  /** ms; `from` is included, `until` is not. */
  readonly from?: number;
  readonly until?: number;
  /** The id of the last event of the page before: older ones follow. */
  readonly before?: number;
}

/** Events, newest first: by time, then by id, as the indexes have them. */
export async function listAuditEvents(
  tx: Tx,
  filter: AuditFilter,
  limit: number,
): Promise<readonly StoredAuditEvent[]> {
  let query = tx
    .selectFrom('auditEvents')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (filter.tenantId !== undefined) query = query.where('tenantId', '=', filter.tenantId);
  if (filter.event !== undefined) query = query.where('event', '=', filter.event);
  if (filter.actorId !== undefined) query = query.where('actorId', '=', filter.actorId);
  if (filter.target !== undefined) query = query.where('target', '=', filter.target);
  if (filter.clientId !== undefined) query = query.where('clientId', '=', filter.clientId);
  // As a literal, since an index holds what was refused alone.
  if (filter.result !== undefined) query = query.where('result', '=', sql.lit(filter.result));
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from);
  if (filter.until !== undefined) query = query.where('at', '<', filter.until);
  if (filter.before !== undefined) {
    const before = filter.before;
    const at = (await timeOf(tx, before)) ?? Number.MAX_SAFE_INTEGER;
    query = query.where((eb) =>
      eb.and([eb('at', '<=', at), eb.or([eb('at', '<', at), eb('id', '<', before)])]),
    );
  }
  return query.execute();
}

async function timeOf(tx: Tx, id: number): Promise<number | null> {
  const row = await tx.selectFrom('auditEvents').select('at').where('id', '=', id).executeTakeFirst();
  return row?.at ?? null;
}

/** Deletes events before a time, at most so many. @returns how many were deleted */
export async function deleteAuditEvents(tx: Tx, before: number, atMost: number): Promise<number> {
  const result = await tx
    .deleteFrom('auditEvents')
    .where('id', 'in', (select) =>
      select.selectFrom('auditEvents').select('id').where('at', '<', before).orderBy('at').limit(atMost),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

/**
 * Forgets the addresses that a member came from, with every browser, app and TV: the events stay, and say what
 * happened to which id. Where an operator acted on the member, the address is the operator's, and stays.
 */
export async function eraseAuditAddresses(tx: Tx, tenantId: string, memberId: string): Promise<void> {
  const ofTenant = tx
    .updateTable('auditEvents')
    .set({ address: null })
    .where('tenantId', '=', tenantId)
    .where('address', 'is not', null);
  await ofTenant.where('actorId', '=', memberId).execute();
  // An app acts on a sign-in, and a TV on a code that the member decided on: neither names the member.
  await ofTenant
    .where('actorKind', 'in', ['member', 'client', 'nobody'])
    .where('target', 'in', (select) =>
      select
        .selectFrom('auditEvents as own')
        .select('own.target')
        .where('own.tenantId', '=', tenantId)
        .where('own.actorId', '=', memberId)
        .where('own.actorKind', '=', 'member')
        .where('own.target', 'is not', null)
        .union(
          select
            .selectFrom('signIns as signIn')
            .select('signIn.id as target')
            .where('signIn.memberId', '=', memberId),
        ),
    )
    .execute();
  await ofTenant
    .where('actorKind', 'in', ['member', 'client', 'nobody'])
    .where('target', '=', memberId)
    .execute();
}
