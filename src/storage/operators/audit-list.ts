// Lists the events of the audit: all that a filter finds, or those among so many that were looked at.
import { type SelectQueryBuilder, sql } from 'kysely';
import type { AuditEvent, AuditEventName, FieldChange } from '../../core/operators/audit-event.ts';
import { findRow, given, highest, isDescending, type RowOf } from '../rows.ts';
import type { Database } from '../schema.ts';
import type { Tx } from '../store.ts';

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
  readonly before?: number | Place;
  /** The last event that is looked at. */
  readonly upTo?: Place | undefined;
}

/** Where an event stands: by time, then by id, as the indexes have them. */
type Place = Pick<StoredAuditEvent, 'id' | 'at'>;

/** A refresh is one event of many: indexes of their own hold refreshes alone, and the others hold none. */
export const refreshed: AuditEventName = 'token_refreshed';

/** The two parts of the audit; in queries as a literal, which tells which indexes serve. */
export type Part = 'refreshes' | 'others';

/** The condition of the indexes of a part. */
export function isIn(part: Part) {
  return part === 'refreshes'
    ? sql<boolean>`event = ${sql.lit(refreshed)}`
    : sql<boolean>`event <> ${sql.lit(refreshed)}`;
}

/**
 * What a crowd makes happen all the time. An index has the events beside these by what they are, which are few: a rare
 * one is found at once, and what happens at every sign-in costs no entry more.
 */
const frequent: readonly AuditEventName[] = [
  'api_denied',
  'authorization_refused',
  'client_authentication_failed',
  'code_issued',
  'code_redeemed',
  'code_refused',
  'device_code_entered',
  'device_code_issued',
  'device_code_refused',
  'device_code_wrong',
  'device_redeemed',
  'form_refused',
  'page_refused',
  'refresh_refused',
  'service_token_issued',
  'session_ended',
  'sign_in',
  'sign_in_refused',
  'signed_out',
  'token_refreshed',
  'token_request_refused',
];

/** The condition of that index, in the words of its migration. */
const isRare = sql<boolean>`event not in (${sql.join(frequent.map((event) => sql.lit(event)))})`;

/** Events by time, then by id, as the indexes have them. */
export async function listAuditEvents(
  tx: Tx,
  filter: AuditFilter,
  limit: number,
): Promise<readonly StoredAuditEvent[]> {
  const last = await lastOf(tx, filter);
  const found: StoredAuditEvent[] = [];
  for (const part of await partsOf(tx, filter)) {
    found.push(...(await listPart(tx, part, filter, last, limit)));
  }
  return found.toSorted(inOrderOf(filter)).slice(0, limit);
}

/**
 * The same, looking at no more than so many events where no index has what the filter asks for: what is rare, or never
 * was, would be looked for among all.
 *
 * @returns the events, and the last one that was looked at where there may be more behind it
 */
export async function lookAtAuditEvents(
  tx: Tx,
  filter: AuditFilter,
  limit: number,
  most: number,
): Promise<{ readonly found: readonly StoredAuditEvent[]; readonly lookedAt: Place | null }> {
  const end = hasIndex(filter) ? null : await endOfLook(tx, filter, most);
  const found = await listAuditEvents(tx, { ...filter, upTo: end ?? undefined }, limit);
  return { found, lookedAt: found.length < limit ? end : null };
}

/** Whether an index has what a filter asks for. */
function hasIndex(filter: AuditFilter): boolean {
  const { tenantId, event, result, actorId, target, clientId, memberId, reference } = filter;
  if (tenantId === undefined) return false;
  if (event !== undefined && !frequent.includes(event)) return true;
  if (result === 'refused' && clientId !== undefined) return true;
  return [actorId, target, memberId, reference].some((value) => value !== undefined);
}

/** Where the look ends first, in any part: behind that one, events of another part would be missing between. */
async function endOfLook(tx: Tx, filter: AuditFilter, most: number): Promise<Place | null> {
  const { tenantId, from, until } = filter;
  const last = await lastOf(tx, filter);
  const ends: Place[] = [];
  for (const part of await partsOf(tx, filter)) {
    const all = tx.selectFrom('auditEvents').select(['id', 'at']).where(isIn(part));
    const ofTenant = tenantId === undefined ? all : all.where('tenantId', '=', tenantId);
    const since = from === undefined ? ofTenant : ofTenant.where('at', '>=', from);
    const within = until === undefined ? since : since.where('at', '<', until);
    const end = await behind(within, filter, last)
      .limit(1)
      .offset(most - 1)
      .executeTakeFirst();
    if (end !== undefined) ends.push(end);
  }
  return ends.toSorted(inOrderOf(filter))[0] ?? null;
}

const isFalling = ({ sort = '-at' }: AuditFilter) => isDescending(sort);

/** Compares places in the order of a list. */
function inOrderOf(filter: AuditFilter) {
  const sign = isFalling(filter) ? 1 : -1;
  return (a: Place, b: Place) => sign * (b.at - a.at || b.id - a.id);
}

/** The place that a page begins behind; if it is gone, the page begins at the start. */
async function lastOf(tx: Tx, filter: AuditFilter): Promise<Place | null> {
  const { before, tenantId } = filter;
  if (typeof before !== 'number') return before ?? null;
  const own = tenantId === undefined ? {} : { tenantId };
  const at = (await findRow(tx, 'auditEvents', { id: before, ...own }))?.at;
  return { id: before, at: at ?? (isFalling(filter) ? 1 : -1) * Number.MAX_SAFE_INTEGER };
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

/** Puts a query of events in the order of a list, behind a place. */
function behind<Found>(
  query: SelectQueryBuilder<Database, 'auditEvents', Found>,
  filter: AuditFilter,
  last: Place | null,
) {
  const [order, upTo, beyond] = isFalling(filter)
    ? (['desc', '<=', '<'] as const)
    : (['asc', '>=', '>'] as const);
  const ordered = query.orderBy('at', order).orderBy('id', order);
  if (last === null) return ordered;
  const { id, at } = last;
  return ordered.where((eb) =>
    eb.and([eb('at', upTo, at), eb.or([eb('at', beyond, at), eb('id', beyond, id)])]),
  );
}

async function listPart(
  tx: Tx,
  part: Part,
  filter: AuditFilter,
  last: { readonly id: number; readonly at: number } | null,
  limit: number,
): Promise<readonly StoredAuditEvent[]> {
  const { tenantId, event, actorId, target, clientId, memberId, reference } = filter;
  let query = behind(tx.selectFrom('auditEvents').selectAll().where(isIn(part)), filter, last).limit(limit);
  // A sign-in is of one tenant, so that is asked below: here it would lead SQLite to the refreshes of them all.
  const isOneSignIn = part === 'refreshes' && target !== undefined;
  if (tenantId !== undefined && !isOneSignIn) query = query.where('tenantId', '=', tenantId);
  query = query.where(({ and }) => and(given({ event, actorId, target, clientId, memberId, reference })));
  if (event !== undefined && !frequent.includes(event)) query = query.where(isRare);
  if (filter.events !== undefined) query = query.where('event', 'in', filter.events);
  // As a literal, since an index holds what was refused alone.
  if (filter.result !== undefined) query = query.where('result', '=', sql.lit(filter.result));
  if (filter.from !== undefined) query = query.where('at', '>=', filter.from);
  if (filter.until !== undefined) query = query.where('at', '<', filter.until);
  if (filter.upTo !== undefined) {
    const { id, at } = filter.upTo;
    const [before, beyond] = isFalling(filter) ? (['>', '>='] as const) : (['<', '<='] as const);
    query = query.where((eb) =>
      eb.and([eb('at', beyond, at), eb.or([eb('at', before, at), eb('id', beyond, id)])]),
    );
  }
  const found = await query.execute();
  const events = found.map(eventOfRow);
  return tenantId === undefined ? events : events.filter((event) => event.tenantId === tenantId);
}

/** A row without what it does not say. */
export function eventOfRow({
  changes,
  operation,
  memberId,
  reference,
  browser,
  rule,
  way,
  ...row
}: RowOf<'auditEvents'>): StoredAuditEvent {
  return {
    ...row,
    ...(changes === null ? {} : { changes: JSON.parse(changes) as readonly FieldChange[] }),
    ...(operation === null ? {} : { operation }),
    ...(memberId === null ? {} : { memberId }),
    ...(reference === null ? {} : { reference }),
    ...(browser === null ? {} : { browser }),
    ...(rule === null ? {} : { rule }),
    ...(way === null ? {} : { way }),
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
