// Queries of seats: who was invited to a subscription, and who has a part of it.
import {
  type Seat,
  type SeatCount,
  type SeatEnd,
  type SeatWrite,
  seatMachine,
} from '../../core/access/seats/seat.ts';
import type { Subscription } from '../../core/access/subscription.ts';
import { movesOf } from '../../core/machine.ts';
import { searchWords } from '../../core/members/member.ts';
import { insertEvents } from '../events/event.ts';
import { hasWord } from '../members/member-search.ts';
import { sourceIn } from '../operators/audited.ts';
import { insertion, prepared, query, unplanned } from '../prepared.ts';
import { findRow, hasText, type ListPage, rowsWith, updateRow, updateRows, within } from '../rows.ts';
import type { Tx } from '../store.ts';
import { hasSeatGroups } from './seat-group.ts';

export const findSeat = (tx: Tx, tenantId: string, id: string): Promise<Seat | null> =>
  findRow(tx, 'seats', { id, tenantId });

/** A seat with what its member is called; null as long as no one has it, or where she gave no name. */
export interface NamedSeat extends Seat {
  readonly memberName: string | null;
}

/** A page of seats; a text narrows them to those whose address has it, or whose member has all of its words. */
interface SeatPage extends ListPage<string> {
  readonly search?: string | undefined;
}

/** The seats of a subscription that are taken or kept for an invitation, in the order in which they began. */
export async function listSeats(
  tx: Tx,
  subscriptionId: number,
  { search, ...page }: SeatPage,
): Promise<readonly NamedSeat[]> {
  let rows = tx
    .selectFrom('seats')
    .leftJoin('members', 'members.id', 'seats.memberId')
    .selectAll('seats')
    .select('members.fullName as memberName')
    .where('seats.subscriptionId', '=', subscriptionId)
    .where('seats.state', 'in', open);
  if (search !== undefined) {
    const words = searchWords(search).map((word) => hasWord('seats.memberId', word));
    const byAddress = hasText('seats.email', search);
    rows = rows.where(({ and, or }) => (words.length === 0 ? byAddress : or([byAddress, and(words)])));
  }
  return within(rows, 'seats.id', page).execute();
}

/** A subscription has no more of these than seats, but for invitations whose time is over. */
const open = ['invited', 'taken'] as const;

/** How many of the seats of a subscription are taken, and how many are kept. @param now ms */
export async function countSeats(tx: Tx, subscriptionId: number, now: number): Promise<SeatCount> {
  return tx
    .selectFrom('seats')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('state', '=', 'taken').as('taken'),
      fn
        .countAll<number>()
        .filterWhere('state', '=', 'invited')
        .filterWhere('expiresAt', '>', now)
        .as('invited'),
    ])
    .where('subscriptionId', '=', subscriptionId)
    .executeTakeFirstOrThrow();
}

/** The seat of a subscription that is kept for an address, or was taken with it; null if there is none. */
export async function findSeatOfAddress(
  tx: Tx,
  { tenantId, subscriptionId, email }: Pick<Seat, 'tenantId' | 'subscriptionId' | 'email'>,
): Promise<Seat | null> {
  const rows = rowsWith(tx, 'seats', { tenantId, subscriptionId, email }).where('state', 'in', open);
  return (await rows.limit(1).executeTakeFirst()) ?? null;
}

/** The seat that a member has of a subscription; null if she has none. */
export const findTakenSeat = (tx: Tx, subscriptionId: number, memberId: string): Promise<Seat | null> =>
  findRow(tx, 'seats', { subscriptionId, memberId, state: 'taken' });

/** Every seat that a member has or had, oldest first: what was swept is gone. */
export const listSeatsOfMember = (tx: Tx, memberId: string): Promise<readonly Seat[]> =>
  Promise.resolve(seatsOf.all(tx, { memberId }));

const seatsOf = prepared(({ memberId }: { memberId: string }) =>
  query.selectFrom('seats').selectAll().where('memberId', '=', unplanned(memberId, 'text')).orderBy('id'),
);

/** The seats that are kept for an address, the newest first. @param now ms */
export async function listInvitations(
  tx: Tx,
  { tenantId, email }: Pick<Seat, 'tenantId' | 'email'>,
  now: number,
  limit: number,
): Promise<readonly Seat[]> {
  const rows = rowsWith(tx, 'seats', { tenantId, email, state: 'invited' }).where('expiresAt', '>', now);
  return rows.orderBy('subscriptionId', 'desc').limit(limit).execute();
}

/** Every address that the holder of subscriptions invited, as long as it is kept: for the file of the holder's data. */
export async function listSeatsGiven(tx: Tx, subscriptionIds: readonly number[]): Promise<readonly Seat[]> {
  if (subscriptionIds.length === 0) return [];
  const rows = tx.selectFrom('seats').selectAll().where('subscriptionId', 'in', subscriptionIds);
  return rows.orderBy('id').execute();
}

export const insertSeat = insertion('seats');

export async function moveSeat(
  tx: Tx,
  { from, seat }: Extract<SeatWrite, { write: 'moveSeat' }>,
): Promise<void> {
  const { id, state, memberId, invitedAt, expiresAt, takenAt, endedAt, endedBy } = seat;
  const changes = { state, memberId, invitedAt, expiresAt, takenAt, endedAt, endedBy };
  await updateRow(tx, 'seats', { id, state: from }, changes);
}

/**
 * Ends all seats of a subscription that is over, in its transaction, and tells of each: there may be ten thousand.
 *
 * @param at when that was (ms)
 */
export async function endSeatsOf(
  tx: Tx,
  { tenantId, subscriptionId }: Pick<Subscription, 'tenantId' | 'subscriptionId'>,
  at: number,
): Promise<void> {
  if (await hasSeatGroups(tx, tenantId)) await endSeats(tx, { subscriptionId }, 'subscription', at);
}

/** Ends all seats of a subscription, or of a member, and tells of each. */
async function endSeats(
  tx: Tx,
  of: Pick<Seat, 'subscriptionId'> | { readonly memberId: string; readonly subscriptionId: number },
  endedBy: SeatEnd,
  at: number,
): Promise<void> {
  const source = sourceIn(tx);
  const facts = { expiresAt: at, endedAt: null, endedBy: null };
  for (const { from, to } of movesOf(seatMachine, facts, { type: 'end', now: at, isFree: true })) {
    const state = from as Seat['state'];
    const ending = tx
      .selectFrom('seats')
      .select(['id as subject', 'tenantId', 'memberId'])
      .select(({ val }) => val<string | null>(null).as('clientId'))
      .where(({ and }) => and({ ...of, state }));
    if (source !== null) {
      const event = { type: 'seat.ended', detail: `${of.subscriptionId}`, at: source.at } as const;
      await insertEvents(tx, event, ending);
    }
    await updateRows(tx, 'seats', { ...of, state }, { state: to as Seat['state'], endedAt: at, endedBy });
  }
}

/**
 * Erases what seats tell of a member who is deleted: those that she has or was invited to, and those of her own
 * subscriptions with the addresses that she invited.
 *
 * @param email her address, normalised
 * @param at ms
 */
export async function eraseSeats(
  tx: Tx,
  { id: memberId, tenantId }: { readonly id: string; readonly tenantId: string },
  email: string,
  at: number,
): Promise<void> {
  if (!(await hasSeatGroups(tx, tenantId))) return;
  for (const { subscriptionId, state } of await listSeatsOfMember(tx, memberId)) {
    if (state === 'taken') await endSeats(tx, { memberId, subscriptionId }, 'member', at);
  }
  const own = tx.selectFrom('subscriptions').select('id').where('memberId', '=', memberId);
  const groups = tx.selectFrom('seatGroups').select('subscriptionId').where('subscriptionId', 'in', own);
  for (const { subscriptionId } of await groups.execute()) {
    await endSeats(tx, { subscriptionId }, 'subscription', at);
    await tx.deleteFrom('seats').where('subscriptionId', '=', subscriptionId).execute();
    await tx.deleteFrom('seatDomains').where('subscriptionId', '=', subscriptionId).execute();
    await tx.deleteFrom('seatNetworks').where('subscriptionId', '=', subscriptionId).execute();
    await tx.deleteFrom('seatGroups').where('subscriptionId', '=', subscriptionId).execute();
  }
  await tx.deleteFrom('seats').where('memberId', '=', memberId).execute();
  await tx
    .deleteFrom('seats')
    .where('tenantId', '=', tenantId)
    .where('email', '=', email)
    .where('state', '=', 'invited')
    .execute();
}
