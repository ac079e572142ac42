// Queries of the mail queue.
import { type RowOf, rowsWith, updateRows } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { MailRow } from './schema.ts';

/** A mail that waits, its message still encrypted. */
export type WaitingMail = Pick<RowOf<'mails'>, 'id' | 'tenantId' | 'name' | 'attempts' | 'createdAt'> & {
  readonly message: Buffer;
};

/** Puts a mail into the queue; it leaves after the commit. */
export async function insertMail(
  tx: Tx,
  mail: Pick<WaitingMail, 'tenantId' | 'name' | 'message'> &
    Pick<MailRow, 'recipientHash'> &
    Partial<Pick<MailRow, 'memberId'>>,
  now: number,
): Promise<void> {
  await tx
    .insertInto('mails')
    .values({
      memberId: null,
      ...mail,
      state: 'waiting',
      attempts: 0,
      nextAttemptAt: now,
      lastError: null,
      createdAt: now,
      sentAt: null,
    })
    .execute();
}

/** The mails that are due, oldest first. */
export async function listDueMails(tx: Tx, now: number, most: number): Promise<readonly WaitingMail[]> {
  const waiting = rowsWith(tx, 'mails', { state: 'waiting' }).where('nextAttemptAt', '<=', now);
  const rows = await waiting.orderBy('nextAttemptAt').orderBy('id').limit(most).execute();
  return rows.flatMap(({ message, ...row }) => (message === null ? [] : [{ ...row, message }]));
}

/** Mails that one of several processes has taken to send. */
export interface TakenMails {
  readonly ids: readonly number[];
  /** They are due again then (ms), so that another process sends them if this one dies. */
  readonly until: number;
}

/** Takes the mails that are due, so that no other process finds them until a moment. */
export async function takeDueMails(
  tx: Tx,
  now: number,
  most: number,
  until: number,
): Promise<readonly WaitingMail[]> {
  const due = await listDueMails(tx, now, most);
  const ids = due.map(({ id }) => id);
  if (ids.length > 0)
    await tx.updateTable('mails').set({ nextAttemptAt: until }).where('id', 'in', ids).execute();
  return due;
}

/** Moves the moment until which mails are taken; those that were tried in the meantime have another, and keep it. */
export async function moveTakenMails(tx: Tx, { ids, until }: TakenMails, to: number): Promise<void> {
  await tx
    .updateTable('mails')
    .set({ nextAttemptAt: to })
    .where('id', 'in', ids)
    .where('state', '=', 'waiting')
    .where('nextAttemptAt', '=', until)
    .execute();
}

/** When the next mail is due, or null if none waits. */
export async function nextMailDueAt(tx: Tx): Promise<number | null> {
  const waiting = rowsWith(tx, 'mails', { state: 'waiting' }).orderBy('nextAttemptAt').limit(1);
  return (await waiting.executeTakeFirst())?.nextAttemptAt ?? null;
}

/** Makes the mails of a tenant due that wait for a moment behind another one (ms). @returns how many */
export async function hastenMails(tx: Tx, tenantId: string, now: number, behind: number): Promise<number> {
  const waiting = tx.updateTable('mails').set({ nextAttemptAt: now }).where('state', '=', 'waiting');
  const own = waiting.where('tenantId', '=', tenantId).where('nextAttemptAt', '>', behind);
  return Number((await own.executeTakeFirst()).numUpdatedRows);
}

/** A mail was taken by the mail server: its message is dropped. */
export async function mailSent(tx: Tx, id: number, now: number): Promise<void> {
  const sent = { state: 'sent', sentAt: now, lastError: null } as const;
  await updateRows(tx, 'mails', { id }, { ...sent, message: null, recipientHash: null });
}

/** A mail was not taken: it is tried again at a time, or given up with null. */
export async function mailFailed(
  tx: Tx,
  id: number,
  { attempts, error, retryAt }: { attempts: number; error: string; retryAt: number | null },
): Promise<void> {
  const failed = { state: 'failed', message: null, recipientHash: null } as const;
  const then = retryAt === null ? failed : { nextAttemptAt: retryAt };
  // Another process may have sent it, where this one was cut off for long.
  await updateRows(tx, 'mails', { id, state: 'waiting' }, { attempts, lastError: error, ...then });
}

/** How many mails wait and how many were given up: for the operator. */
export async function countMails(tx: Tx): Promise<{ waiting: number; failed: number }> {
  const rows = await tx
    .selectFrom('mails')
    .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
    .where('state', 'in', ['waiting', 'failed'])
    .groupBy('state')
    .execute();
  const of = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  return { waiting: of('waiting'), failed: of('failed') };
}

/**
 * Mails of a tenant that the mail server did not take, and that wait to be tried again or were given up since a moment
 * (ms): how many, and what it said of one that was tried last.
 *
 * @param most how many are looked at
 */
export async function countRefusedMails(tx: Tx, tenantId: string, since: number, most: number) {
  const refused = tx
    .selectFrom('mails')
    .select(['lastError', 'nextAttemptAt'])
    .where('state', 'in', ['waiting', 'failed'])
    .where('nextAttemptAt', '>=', since)
    .where('tenantId', '=', tenantId)
    .where('attempts', '>', 0)
    .orderBy('nextAttemptAt', 'desc');
  const { count } = await tx
    .selectFrom(refused.limit(most).as('refused'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const last = count === 0 ? undefined : await refused.limit(1).executeTakeFirst();
  return { count, lastError: last?.lastError ?? null };
}

/** A mail that was sent to a member, or is to be: what became of it, and nothing of what it says. */
export type MemberMail = Pick<RowOf<'mails'>, 'id' | 'name' | 'state' | 'lastError' | 'createdAt' | 'sentAt'>;

/** The mails to a member that are not forgotten yet, the newest first. @param before the last one of the page before */
export function listMemberMails(
  tx: Tx,
  memberId: string,
  before: Pick<MemberMail, 'id' | 'createdAt'> | null,
  limit: number,
): Promise<readonly MemberMail[]> {
  let mails = tx
    .selectFrom('mails')
    .select(['id', 'name', 'state', 'lastError', 'createdAt', 'sentAt'])
    .where('memberId', '=', memberId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== null) {
    const { id, createdAt } = before;
    mails = mails.where((eb) =>
      eb.and([eb('createdAt', '<=', createdAt), eb.or([eb('createdAt', '<', createdAt), eb('id', '<', id)])]),
    );
  }
  return mails.execute();
}
