/**
 * A seat: the share of a member in a subscription of another holder, such as a school. It is taken by the member, by
 * a button, never for her; it gives access as long as the subscription does, and not a moment longer.
 */
import type { Decision } from '../../decision.ts';
import { machineOf, type StateOf, step } from '../../machine.ts';
import { seatInvitationLifetime, seatUndo } from '../limits.ts';
import type { MemberSubscription } from '../subscription.ts';

export type SeatState = StateOf<typeof seatMachine>;

/** The actor or the event that ended a seat. */
export type SeatEnd = 'holder' | 'member' | 'operator' | 'subscription';

/** A stored seat. Times are ms since the epoch. */
export interface Seat {
  readonly id: string;
  readonly tenantId: string;
  readonly subscriptionId: number;
  readonly state: SeatState;
  /** The address that was invited, or with which the seat was taken; normalised. */
  readonly email: string;
  /** The member who has it, or had it; null as long as it was not taken. */
  readonly memberId: string | null;
  /** When the last invitation to it was sent, and until when that can be taken. */
  readonly invitedAt: number;
  readonly expiresAt: number;
  readonly takenAt: number | null;
  readonly endedAt: number | null;
  readonly endedBy: SeatEnd | null;
}

/** A subscription with seats. */
export interface SeatGroup {
  readonly subscriptionId: number;
  readonly tenantId: string;
  /** How many members it gives access to, beside its holder. */
  readonly seats: number;
  /** A member with a proven address at one of these may take a seat; normalised. */
  readonly domains: readonly string[];
  /** A member with a proven address who comes from one of these may take a seat too; in their canonical form. */
  readonly networks: readonly string[];
}

/** How many of the seats of a subscription are taken, and how many are kept for invitations that are open. */
export interface SeatCount {
  readonly taken: number;
  readonly invited: number;
}

interface Happening {
  readonly type: 'look' | 'invite' | 'take' | 'end' | 'restore';
  readonly now: number;
  /** Whether a seat of the subscription is left for it. */
  readonly isFree: boolean;
}

export const seatMachine = machineOf({
  id: 'seat',
  context: {} as Pick<Seat, 'expiresAt' | 'endedAt' | 'endedBy'>,
  event: {} as Happening,
  conditions: {
    'its time is over': ({ context, event }) => event.now >= context.expiresAt,
    'no seat is free': ({ event }) => !event.isFree,
    'its holder did not just end it': ({ context: { endedAt, endedBy }, event }) =>
      endedBy !== 'holder' || endedAt === null || event.now >= endedAt + seatUndo,
  },
  lines: [
    ['invited', 'look', 'its time is over', 'expired', 'settle'],
    ['invited', 'look', '–', '–', 'ignore'],
    ['invited', 'invite', '–', '–', 'recordInvitation'],
    ['invited', 'take', 'its time is over', 'expired', 'refuse'],
    ['invited', 'take', 'no seat is free', '–', 'refuseFull'],
    ['invited', 'take', '–', 'taken', 'recordTaking'],
    ['invited', 'end', '–', 'ended', 'recordEnd'],
    ['invited', 'restore', '–', '–', 'refuse'],
    ['taken', ['look', 'take', 'restore'], '–', '–', 'ignore'],
    ['taken', 'invite', '–', '–', 'refuse'],
    ['taken', 'end', '–', 'ended', 'recordEnd'],
    ['expired', 'look', '–', '–', 'ignore'],
    // The seat that was kept for it may be another's by now.
    ['expired', 'invite', 'no seat is free', '–', 'refuseFull'],
    ['expired', 'invite', '–', 'invited', 'recordInvitation'],
    ['expired', ['take', 'restore'], '–', '–', 'refuse'],
    ['expired', 'end', '–', 'ended', 'recordEnd'],
    ['ended', ['look', 'end'], '–', '–', 'ignore'],
    ['ended', ['invite', 'take'], '–', '–', 'refuse'],
    // A member who left is not brought back by the holder.
    ['ended', 'restore', 'its holder did not just end it', '–', 'refuse'],
    ['ended', 'restore', 'no seat is free', '–', 'refuseFull'],
    ['ended', 'restore', '–', 'taken', 'recordRestoring'],
  ],
});

export type SeatWrite =
  | { readonly write: 'insertSeat'; readonly seat: Seat }
  | { readonly write: 'moveSeat'; readonly from: SeatState; readonly seat: Seat };

/** What becomes of a seat: `full` where none is left for it. */
export type SeatAnswer = 'done' | 'full' | 'refused';
export type SeatDecision = Decision<SeatAnswer, SeatWrite>;

/** A seat that no member has yet, as an invitation to an address keeps it. */
export function beginSeat(
  facts: Pick<Seat, 'id' | 'tenantId' | 'subscriptionId' | 'email'>,
  now: number,
): Seat {
  return {
    ...facts,
    state: 'invited',
    memberId: null,
    invitedAt: now,
    expiresAt: now + seatInvitationLifetime,
    takenAt: null,
    endedAt: null,
    endedBy: null,
  };
}

/** What state a seat is in at this moment, whatever was last written of it. */
export function seatStanding(seat: Seat, now: number): SeatState {
  return step(seatMachine, seat.state, seat, { type: 'look', now, isFree: true }).state;
}

/** Whether one more seat can be kept for an address, or taken by someone who was not invited. */
export function hasFreeSeat({ seats }: Pick<SeatGroup, 'seats'>, { taken, invited }: SeatCount): boolean {
  return taken + invited < seats;
}

/** Sends the invitation to a seat again: it can be taken for its whole time from now on. */
export function inviteAgain(seat: Seat, group: SeatGroup, count: SeatCount, now: number): SeatDecision {
  return decide(seat, { type: 'invite', now, isFree: hasFreeSeat(group, count) });
}

/**
 * A member takes a seat that is kept for her: the number may have been lowered since, so what is taken counts alone.
 *
 * @param count as it is in this very transaction
 */
export function takeSeat(
  seat: Seat,
  memberId: string,
  group: SeatGroup,
  count: SeatCount,
  now: number,
): SeatDecision {
  return decide(seat, { type: 'take', now, isFree: count.taken < group.seats }, { memberId });
}

/** A member takes a seat that was not kept for her, by the domain of her address: one must be free. */
export function takeFreeSeat(seat: Seat, group: SeatGroup, count: SeatCount): SeatDecision {
  const { memberId, invitedAt: now } = seat;
  const taken = step(seatMachine, seat.state, seat, { type: 'take', now, isFree: hasFreeSeat(group, count) });
  if (taken.outcome !== 'recordTaking' || memberId === null) return { answer: 'full', writes: [] };
  return {
    answer: 'done',
    writes: [{ write: 'insertSeat', seat: { ...seat, state: taken.state, takenAt: now } }],
  };
}

/** Ends a seat, or takes an invitation back: at once. */
export function endSeat(seat: Seat, by: SeatEnd, now: number): SeatDecision {
  return decide(seat, { type: 'end', now, isFree: true }, { endedBy: by });
}

/** Gives a member back the seat that the holder has just taken from her. */
export function restoreSeat(seat: Seat, group: SeatGroup, count: SeatCount, now: number): SeatDecision {
  return decide(seat, { type: 'restore', now, isFree: hasFreeSeat(group, count) });
}

function decide(seat: Seat, event: Happening, by: Partial<Seat> = {}): SeatDecision {
  const { now } = event;
  const { state, outcome } = step(seatMachine, seatStanding(seat, now), seat, event);
  const moved = (changes: Partial<Seat>): SeatDecision => ({
    answer: 'done',
    writes: [{ write: 'moveSeat', from: seat.state, seat: { ...seat, state, ...changes } }],
  });
  switch (outcome) {
    case 'recordInvitation':
      return moved({ invitedAt: now, expiresAt: now + seatInvitationLifetime });
    case 'recordTaking':
      return moved({ ...by, takenAt: now });
    case 'recordRestoring':
      return moved({ takenAt: now, endedAt: null, endedBy: null });
    case 'recordEnd':
      return moved({ ...by, endedAt: now });
    case 'settle':
    case 'ignore':
      return { answer: 'done', writes: [] };
    case 'refuse':
      return { answer: 'refused', writes: [] };
    case 'refuseFull':
      return { answer: 'full', writes: [] };
  }
}

/**
 * What a seat gives a member: the subscription of its holder, from when it was taken until it ended, without what the
 * tenant notes of the holder. It opens content channels like one of her own (`channelAccess`), at any moment.
 */
export function throughSeat(
  subscription: MemberSubscription,
  { memberId, takenAt, endedAt }: Pick<Seat, 'memberId' | 'takenAt' | 'endedAt'>,
): MemberSubscription {
  return {
    ...subscription,
    memberId: memberId ?? subscription.memberId,
    createdAt: Math.max(subscription.createdAt, takenAt ?? Number.MAX_SAFE_INTEGER),
    endedAt: earlierOf(subscription.endedAt, endedAt),
    customPropertyValues: {},
  };
}

function earlierOf(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}
