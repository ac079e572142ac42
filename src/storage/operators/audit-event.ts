// Queries of the audit.
import { sql } from 'kysely';
import type { AuditEvent } from '../../core/operators/audit-event.ts';
import { insertion } from '../prepared.ts';
import { deleteSome } from '../rows.ts';
import type { Tx } from '../store.ts';
import { isIn, type Part, refreshed } from './audit-list.ts';
import { noteAuditEvent } from './audited.ts';

/** The one writer of the audit: a row, and after the commit a line of the log. */
export async function insertAuditEvent(tx: Tx, event: AuditEvent): Promise<void> {
  const { changes, ...row } = event;
  await insertRow(tx, changes === undefined ? row : { ...row, changes: JSON.stringify(changes) });
  noteAuditEvent(tx, event);
}

const insertRow = insertion('auditEvents');

/** Deletes refreshes, or all other events, before a time, at most so many. @returns how many were deleted */
export function deleteAuditEvents(tx: Tx, part: Part, before: number, atMost: number): Promise<number> {
  return deleteSome(
    tx,
    'auditEvents',
    ['id'],
    (events) => events.where(isIn(part)).where('at', '<', before).orderBy('at'),
    atMost,
  );
}

/**
 * Forgets the addresses that a member came from, with every browser, app and TV: the events stay, and say what
 * happened to which id. Where an operator acted on the member, the address is the operator's, and stays.
 */
export async function eraseAuditAddresses(tx: Tx, tenantId: string, memberId: string): Promise<void> {
  await eraseUnnamed(tx, tenantId, await addressesOf(tx, tenantId, memberId));
  const forgotten = tx
    .updateTable('auditEvents')
    .set({ address: null, browser: null })
    .where('address', 'is not', null);
  const ofTenant = forgotten.where(isIn('others')).where('tenantId', '=', tenantId);
  await ofTenant.where('actorId', '=', memberId).execute();
  // An app acts on a sign-in, and a TV on a code that the member decided on: neither names the member.
  const signIns = tx
    .selectFrom('signIns as signIn')
    .select('signIn.id as target')
    .where('signIn.memberId', '=', memberId);
  await forgotten.where(isIn('refreshes')).where('target', 'in', signIns).execute();
  await ofTenant
    .where('actorKind', 'in', ['member', 'client', 'nobody'])
    .where('target', 'in', (select) =>
      select
        .selectFrom('auditEvents as own')
        .select('own.target')
        .where(sql<boolean>`own.event <> ${sql.lit(refreshed)}`)
        .where('own.tenantId', '=', tenantId)
        .where('own.actorId', '=', memberId)
        .where('own.actorKind', '=', 'member')
        .where('own.target', 'is not', null)
        .union(signIns),
    )
    .execute();
  await ofTenant
    .where('actorKind', 'in', ['member', 'client', 'nobody'])
    .where('target', '=', memberId)
    .execute();
}

/** Every address that a member was seen at: in sessions, on TVs, and in events of their own and of their apps. */
async function addressesOf(tx: Tx, tenantId: string, memberId: string): Promise<readonly string[]> {
  const signIns = tx.selectFrom('signIns').select('id').where('memberId', '=', memberId);
  const events = tx.selectFrom('auditEvents').select('address').where('address', 'is not', null);
  const found = await Promise.all([
    tx.selectFrom('sessions').select('ipAddress as address').where('memberId', '=', memberId).execute(),
    tx.selectFrom('deviceCodes').select('ipAddress as address').where('memberId', '=', memberId).execute(),
    events
      .where(isIn('others'))
      .where('tenantId', '=', tenantId)
      .where('actorId', '=', memberId)
      .where('actorKind', '=', 'member')
      .execute(),
    events.where(isIn('others')).where('tenantId', '=', tenantId).where('target', 'in', signIns).execute(),
    events.where(isIn('refreshes')).where('target', 'in', signIns).execute(),
  ]);
  return [...new Set(found.flat().flatMap(({ address }) => (address === null ? [] : [address])))];
}

/** Forgets addresses of events that name no actor, and of refusals to an app that name no member. */
async function eraseUnnamed(tx: Tx, tenantId: string, addresses: readonly string[]): Promise<void> {
  for (const address of addresses.filter((text) => text !== '')) {
    await tx
      .updateTable('auditEvents')
      .set({ address: null, browser: null })
      .where('tenantId', '=', tenantId)
      .where('address', '=', address)
      .where('address', 'is not', null)
      .where('actorKind', 'in', ['client', 'nobody'])
      // As the condition of the index has it.
      .where(sql<boolean>`(${sql.ref('actorKind')} = 'nobody' or result = 'refused')`)
      .execute();
  }
}

/**
 * Forgets what operators changed of a member and of her subscriptions: names and addresses stood there. That it was
 * changed, by whom and when, stays.
 */
export async function eraseAuditChanges(tx: Tx, tenantId: string, memberId: string): Promise<void> {
  const ofTenant = tx
    .updateTable('auditEvents')
    .set({ changes: null })
    .where('changes', 'is not', null)
    .where(isIn('others'))
    .where('tenantId', '=', tenantId);
  await ofTenant.where('target', '=', memberId).execute();
  await ofTenant.where('memberId', '=', memberId).execute();
  await ofTenant
    .where('target', 'in', (select) =>
      select
        .selectFrom('subscriptions')
        .select(sql<string>`cast(id as text)`.as('target'))
        .where('memberId', '=', memberId),
    )
    .where('reason', 'like', '%ubscription%')
    .execute();
}
