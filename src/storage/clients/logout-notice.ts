// Queries of what clients are told when members sign out.
import { sql } from 'kysely';
import type { SignIn } from '../../core/grants/sign-in.ts';
import { type LogoutNotice, toldEnds } from '../../core/oidc/logout-notice.ts';
import type { Write } from '../../core/write.ts';
import { sourceIn, wakeAfterCommit } from '../operators/audited.ts';
import { lookup, remembered } from '../prepared.ts';
import { type NewestPage, newest, type RowOf, rowsWith, updateRows } from '../rows.ts';
import type { Tx } from '../store.ts';

/** A notice as its operator sees it. */
export type LogoutNoticeRow = RowOf<'logoutNotices'>;

/**
 * Puts into the queue what clients are told of a write: that a session ended in which they took part, or a sign-in of
 * theirs (interop 46, 66). `apply` calls it for each write, so no caller can forget it; where no client wants to be
 * told, it asks nothing. In a store that is not a running service's nothing is told.
 */
export async function tellClients(tx: Tx, write: Write): Promise<void> {
  if (!isToldOf(write)) return;
  const source = sourceIn(tx);
  const told = source === null ? null : await clientsTold(tx);
  if (source === null || told === null) return;
  const touched = await clientsTouched(tx, write);
  const notices = touched.filter(({ tenantId, clientId }) => told.has(keyOf(tenantId, clientId)));
  for (const notice of notices) await insertNotice(tx, notice, source.at);
  if (notices.length > 0) wakeAfterCommit(tx, 'logoutNotices');
}

type Touched = Pick<SignIn, 'tenantId' | 'clientId' | 'memberId' | 'sessionId'>;
type Told = Extract<Write, { write: 'endSignIn' | 'moveSession' }>;

function isToldOf(write: Write): write is Told {
  if (write.write === 'endSignIn') return toldEnds.includes(write.reason);
  // Those of the portal are no part of any client, and one that grew too old is no sign-out.
  return write.write === 'moveSession' && write.session.kind === 'member' && write.session.state === 'ended';
}

const keyOf = (tenantId: string, clientId: string) => `${tenantId} ${clientId}`;

/** The clients that are told, by tenant and client_id; null where there is none. */
async function clientsTold(tx: Tx): Promise<ReadonlySet<string> | null> {
  const told = await remembered(tx, 'clients told of logouts', async () => {
    const rows = await tx
      .selectFrom('clients')
      .select(['tenantId', 'clientId'])
      .where('backchannelLogoutUri', 'is not', null)
      .where('disabledAt', 'is', null)
      .execute();
    return new Set(rows.map(({ tenantId, clientId }) => keyOf(tenantId, clientId)));
  });
  return told === null || told.size === 0 ? null : told;
}

/** The clients whose sign-ins a write ends, or takes the session away from. */
async function clientsTouched(tx: Tx, write: Told): Promise<readonly Touched[]> {
  if (write.write === 'endSignIn') {
    const signIn = await signInOf.first(tx, { id: write.id });
    return signIn === null ? [] : [signIn];
  }
  const { id: sessionId, tenantId, memberId } = write.session;
  const rows = await tx
    .selectFrom('signIns')
    .select('clientId')
    .distinct()
    .where('sessionId', '=', sessionId)
    .where('tenantId', '=', tenantId)
    // The clients of the others were told when they ended.
    .where((eb) => eb.or([eb('endReason', 'is', null), eb('endReason', 'not in', [...toldEnds])]))
    .execute();
  return rows.map(({ clientId }) => ({ tenantId, clientId, memberId, sessionId }));
}

const signInOf = lookup('signIns', 'id');

/** A later end takes the place of one that waits, and is another message: the client may have signed in in between. */
async function insertNotice(tx: Tx, touched: Touched, now: number): Promise<void> {
  const { tenantId, clientId, memberId, sessionId } = touched;
  const anew = { attempts: 0, nextAttemptAt: now, lastResult: null, endedAt: now };
  await tx
    .insertInto('logoutNotices')
    .values({ tenantId, clientId, memberId, sessionId, state: 'waiting', ...anew, doneAt: null })
    .onConflict((conflict) =>
      conflict.columns(['sessionId', 'clientId']).where('state', '=', sql.lit('waiting')).doUpdateSet(anew),
    )
    .execute();
}

/** Those that are due, the oldest first. */
export async function listDueNotices(tx: Tx, now: number, most: number): Promise<readonly LogoutNoticeRow[]> {
  const waiting = rowsWith(tx, 'logoutNotices', { state: 'waiting' }).where('nextAttemptAt', '<=', now);
  return waiting.orderBy('nextAttemptAt').orderBy('id').limit(most).execute();
}

/** Takes those that are due, so that no other process finds them until a moment (ms). */
export async function takeDueNotices(
  tx: Tx,
  now: number,
  most: number,
  until: number,
): Promise<readonly LogoutNoticeRow[]> {
  const due = await listDueNotices(tx, now, most);
  const ids = due.map(({ id }) => id);
  if (ids.length > 0) {
    await tx.updateTable('logoutNotices').set({ nextAttemptAt: until }).where('id', 'in', ids).execute();
  }
  return due;
}

/** Moves the moment until which they are taken; those that were tried in the meantime have another, and keep it. */
export async function moveTakenNotices(
  tx: Tx,
  { ids, until }: { readonly ids: readonly number[]; readonly until: number },
  to: number,
): Promise<void> {
  await tx
    .updateTable('logoutNotices')
    .set({ nextAttemptAt: to })
    .where('id', 'in', ids)
    .where('state', '=', 'waiting')
    .where('nextAttemptAt', '=', until)
    .execute();
}

/** When the next one is due, or null if none waits. */
export async function nextNoticeDueAt(tx: Tx): Promise<number | null> {
  const waiting = rowsWith(tx, 'logoutNotices', { state: 'waiting' }).orderBy('nextAttemptAt').limit(1);
  return (await waiting.executeTakeFirst())?.nextAttemptAt ?? null;
}

/** What was sent, by when it ended too: one whose place a later end has taken still waits. */
const sent = ({ id, endedAt }: Pick<LogoutNotice, 'id' | 'endedAt'>) =>
  ({ id, endedAt, state: 'waiting' }) as const;

/** Its client took it. */
export async function noticeDelivered(
  tx: Tx,
  notice: Pick<LogoutNotice, 'id' | 'endedAt' | 'attempts'>,
  { result, now }: { readonly result: string; readonly now: number },
): Promise<void> {
  const done = {
    state: 'delivered',
    lastResult: result,
    attempts: notice.attempts + 1,
    doneAt: now,
  } as const;
  await updateRows(tx, 'logoutNotices', sent(notice), done);
}

/** It was not taken: it is sent again at a time, or given up with null. */
export async function noticeFailed(
  tx: Tx,
  notice: Pick<LogoutNotice, 'id' | 'endedAt'>,
  {
    attempts,
    result,
    retryAt,
    now,
  }: {
    readonly attempts: number;
    readonly result: string;
    readonly retryAt: number | null;
    readonly now: number;
  },
): Promise<void> {
  const then = retryAt === null ? ({ state: 'given_up', doneAt: now } as const) : { nextAttemptAt: retryAt };
  await updateRows(tx, 'logoutNotices', sent(notice), { attempts, lastResult: result, ...then });
}

/** Lets others of a client wait as long as the one that it did not take: each would take as long to fail. */
export async function postponeNotices(
  tx: Tx,
  { tenantId, clientId }: Pick<LogoutNotice, 'tenantId' | 'clientId'>,
  { ids, from, to }: { readonly ids: readonly number[]; readonly from: number; readonly to: number },
): Promise<void> {
  await tx
    .updateTable('logoutNotices')
    .set({ nextAttemptAt: to })
    .where('tenantId', '=', tenantId)
    .where('clientId', '=', clientId)
    .where('state', '=', 'waiting')
    .where((eb) =>
      eb.or([eb('nextAttemptAt', '<=', from), ...(ids.length > 0 ? [eb('id', 'in', [...ids])] : [])]),
    )
    .execute();
}

/** What a client was told or waits to be told, the newest first. */
export async function listLogoutNotices(
  tx: Tx,
  { tenantId, clientId }: Pick<LogoutNotice, 'tenantId' | 'clientId'>,
  page: NewestPage<number>,
): Promise<readonly LogoutNoticeRow[]> {
  return newest(rowsWith(tx, 'logoutNotices', { tenantId, clientId }), 'id', page).execute();
}

/** How many wait and how many were given up: for the operator. */
export async function countNotices(tx: Tx): Promise<{ waiting: number; given_up: number }> {
  const rows = await tx
    .selectFrom('logoutNotices')
    .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
    .where('state', 'in', ['waiting', 'given_up'])
    .groupBy('state')
    .execute();
  const of = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  return { waiting: of('waiting'), given_up: of('given_up') };
}
