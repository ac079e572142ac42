// Queries of the audit.
import { sql } from 'kysely';
import type { AuditEvent, AuditEventName, FieldChange } from '../../core/operators/audit-event.ts';
import { insertion } from '../prepared.ts';
import { deleteSome, findRow, given, highest, isDescending, type RowOf } from '../rows.ts';
import type { Tx } from '../store.ts';
import { noteAuditEvent } from './audited.ts';

/** The one writer of the audit: a row, and after the commit a line of the log. */
export async function insertAuditEvent(tx: Tx, event: AuditEvent): Promise<void> {
  const { changes, ...row } = event;
  await insertRow(tx, changes === undefined ? row : { ...row, changes: JSON.stringify(changes) });
  noteAuditEvent(tx, event);
}

const insertRow = insertion('auditEvents');

/** An event as it is stored; ids count up. */
export type StoredAuditEvent = AuditEvent & { readonly id: number };

/** Which events to list; what is left out does not narrow. */
export interface AuditFilter {
  readonly tenantId?: string;
  readonly event?: AuditEventName;
  /** One of these; refreshes are none of them. */
  readonly events?: readonly AuditEventName[];
  readonly actorId?: string;
  readonly target?: string;
  readonly clientId?: string;
  /** The member whose account they are about, where neither the actor nor the target says so. */
  readonly memberId?: string;
  /** What the page of a refusal showed. */
  readonly reference?: string;
  readonly result?: AuditEvent['result'];
  /** ms; `from` is included, `until` is not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** The newest first unless it is `at`. */
  readonly sort?: 'at' | '-at' | undefined;
  /** The last event of the page before, or its id: those behind it follow. */
  readonly before?: number | Pick<StoredAuditEvent, 'id' | 'at'>;
}

/** A refresh is one event of many: indexes of their own hold refreshes alone, and the others hold none. */
const refreshed: AuditEventName = 'token_refreshed';

/** The two parts of the audit; in queries as a literal, which tells which indexes serve. */
type Part = 'refreshes' | 'others';

/** The condition of the indexes of a part. */
export function isIn(part: Part) {
  return part === 'refreshes'
    ? sql<boolean>`event = ${sql.lit(refreshed)}`
    : sql<boolean>`event <> ${sql.lit(refreshed)}`;
}

/** Events by time, then by id, as the indexes have them. */
export async function listAuditEvents(
  tx: Tx,
  filter: AuditFilter,
  limit: number,
): Promise<readonly StoredAuditEvent[]> {
  const found: StoredAuditEvent[] = [];
  const { before } = filter;
  const named = typeof before === 'number' ? await findRow(tx, 'auditEvents', { id: before }) : null;
  const { sort = '-at' } = filter;
  const sign = isDescending(sort) ? 1 : -1;
  // One that is no more is before all.
  const at = named?.at ?? sign * Number.MAX_SAFE_INTEGER;
  const last = typeof before === 'number' ? { id: before, at } : (before ?? null);
  for (const part of await partsOf(tx, filter)) {
    found.push(...(await listPart(tx, part, filter, last, limit)));
  }
  return found.toSorted((a, b) => sign * (b.at - a.at || b.id - a.id)).slice(0, limit);
}

/** In which parts a filter can find something: only clients refresh, and what they are refused is another event. */
async function partsOf(
  tx: Tx,
  { event, events, result, actorId, tenantId, memberId, reference }: AuditFilter,
): Promise<readonly Part[]> {
  if (event !== undefined && event !== refreshed) return ['others'];
  if (memberId !== undefined || reference !== undefined || events !== undefined) return ['others'];
  const hasRefreshes =
    result !== 'refused' && (actorId === undefined || (await isClient(tx, actorId, tenantId)));
  const refreshes: readonly Part[] = hasRefreshes ? ['refreshes'] : [];
  return event === refreshed ? refreshes : ['others', ...refreshes];
}

async function isClient(tx: Tx, clientId: string, tenantId: string | undefined): Promise<boolean> {
  let clients = tx.selectFrom('clients').select('clientId').where('clientId', '=', clientId);
  if (tenantId !== undefined) clients = clients.where('tenantId', '=', tenantId);
  return (await clients.executeTakeFirst()) !== undefined;
}

async function listPart(
  tx: Tx,
  part: Part,
  filter: AuditFilter,
  last: { readonly id: number; readonly at: number } | null,
  limit: number,
): Promise<readonly StoredAuditEvent[]> {
  const { tenantId, event, actorId, target, clientId, memberId, reference } = filter;
  const isFalling = isDescending(filter.sort ?? '-at');
  const [order, upTo, behind] = isFalling ? (['desc', '<=', '<'] as const) : (['asc', '>=', '>'] as const);
  let query = tx
    .selectFrom('auditEvents')
    .selectAll()
    .where(isIn(part))
    .orderBy('at', order)
    .orderBy('id', order)
    .limit(limit);
  // A sign-in is of one tenant, so that is asked below: here it would lead SQLite to the refreshes of them all.
  const isOneSignIn = part === 'refreshes' && target !== undefined;
  if (tenantId !== undefined && !isOneSignIn) query = query.where('tenantId', '=', tenantId);
  query = query.where(({ and }) => and(given({ event, actorId, target, clientId, memberId, reference })));
  if (filter.events !== undefined) query = query.where('event', 'in', filter.events);
  // As a literal, since an index holds what was refused alone.
  if (filter.result !== undefined) query = query.where('result', '=', sql.lit(filter.result));
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from);
  if (filter.until !== undefined) query = query.where('at', '<', filter.until);
  if (last !== null) {
    const { id, at } = last;
    query = query.where((eb) =>
      eb.and([eb('at', upTo, at), eb.or([eb('at', behind, at), eb('id', behind, id)])]),
    );
  }
  const found = await query.execute();
  const events = found.map(eventOfRow);
  return tenantId === undefined ? events : events.filter((event) => event.tenantId === tenantId);
}

/** A row without what it does not say. */
function eventOfRow({
  changes,
  operation,
  memberId,
  reference,
  browser,
  ...row
}: RowOf<'auditEvents'>): StoredAuditEvent {
  return {
    ...row,
    ...(changes === null ? {} : { changes: JSON.parse(changes) as readonly FieldChange[] }),
    ...(operation === null ? {} : { operation }),
    ...(memberId === null ? {} : { memberId }),
    ...(reference === null ? {} : { reference }),
    ...(browser === null ? {} : { browser }),
  };
}

/** The newest events of a tenant of some kinds, as far as they are among the newest of all but refreshes. */
export async function listNewestOf(
  tx: Tx,
  tenantId: string,
  names: readonly AuditEventName[],
  { looked, told }: { readonly looked: number; readonly told: number },
): Promise<readonly StoredAuditEvent[]> {
  const newestOnes = tx
    .selectFrom('auditEvents')
    .selectAll()
    .where(isIn('others'))
    .where('tenantId', '=', tenantId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(looked)
    .as('newest');
  const found = tx.selectFrom(newestOnes).selectAll().where('event', 'in', names);
  return (await found.orderBy('at', 'desc').orderBy('id', 'desc').limit(told).execute()).map(eventOfRow);
}

/** The id of the newest event; 0 where there is none. */
export async function highestEvent(tx: Tx): Promise<number> {
  return (await highest(tx, 'auditEvents', 'id', {})) ?? 0;
}

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
