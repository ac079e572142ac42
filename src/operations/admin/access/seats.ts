// The operations on the seats of a subscription.
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { seatStanding } from '../../../core/access/seats/seat.ts';
import { emailProblem } from '../../../core/members/details.ts';
import { problem } from '../../../core/problem.ts';
import { listSeats, type NamedSeat } from '../../../storage/access/seat.ts';
import type { Tx } from '../../../storage/store.ts';
import { takeSeatMail } from '../../access/seat-invitations.ts';
import {
  inviteToSeat,
  type OpenedGroup,
  openSeats,
  removeSeat,
  seatOf,
  sendInvitationAgain,
} from '../../access/seats.ts';
import * as s from '../../json-schema.ts';
import { conflict, refuseIfAny, tooManyMails, unknown } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import { emailField, memberIdField } from '../members/member.ts';
import { memberNameFields, withMemberNames } from '../names.ts';
import type { Operation, OperationContext } from '../operation.ts';
import type { Thing } from '../portal-face.ts';
import { subscriptionIdField } from './subscriptions.ts';

const seatIdField = s.named('SeatId', s.text('The id of the seat', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a31'));

export const seatSchema = s.resource('Seat', 'A seat of a subscription', {
  seatId: seatIdField,
  state: s.oneOf('SeatState', 'What it is now; an expired invitation keeps no seat', [
    'invited',
    'taken',
    'expired',
    'ended',
  ]),
  email: s.text('The address that was invited, or with which it was taken', 'ada@school.example'),
  memberId: s.orNull({ ...memberIdField, description: 'Who has it; null as long as it is not taken' }),
  invitedAt: s.time('When the address was invited last, or it was taken without an invitation'),
  expiresAt: s.time('Until when an invitation can be taken'),
  takenAt: s.timeOrNull('When it was taken', null),
});

/** A seat of a list names its member. */
export const namedSeatSchema = s.extended(seatSchema, 'ListedSeat', 'A seat in a list', memberNameFields);

export function seatAnswer(seat: NamedSeat, now: number) {
  const { id, invitedAt, expiresAt, takenAt } = seat;
  return s.pick(seatSchema, {
    ...seat,
    seatId: id,
    state: seatStanding(seat, now),
    invitedAt: isoTime(invitedAt),
    expiresAt: isoTime(expiresAt),
    takenAt: isoTimeOrNull(takenAt),
  });
}

type Context = OnTenant<OperationContext>;

/** @throws OperationRefused if the tenant has no such, or it has no seats */
export async function groupFor({ tx, tenant, now }: Context, subscriptionId: number): Promise<OpenedGroup> {
  const opened = await openSeats(tx, tenant.id, subscriptionId, now);
  if (opened === null) throw unknown('group');
  return opened;
}

const fields = { subscriptionId: subscriptionIdField };
const seatsListed = onTenant(
  keyedList({
    name: 'seats.list',
    summary: 'List the seats of a subscription that are taken, or kept for an invitation',
    permission: 'subscriptions:read',
    route: 'GET /groups/{subscriptionId}/seats',
    title: 'Seats',
    lead: 'Who has access through this subscription, and which addresses are invited.',
    columns: ['email', 'state', 'memberId', 'invitedAt', 'expiresAt', 'takenAt'],
    entry: { field: 'seatId', key: 'seatId' },
    fields,
    of: 'seats',
    page: 'A page of seats, oldest first',
    schema: namedSeatSchema,
    read: async (context, page, { subscriptionId }) => {
      await groupFor(context, subscriptionId);
      const seats = await listSeats(context.tx, subscriptionId, page);
      return withMemberNames(
        seats.map((seat) => seatAnswer(seat, context.now)),
        context,
      );
    },
  }),
);

const invited = onTenant({
  name: 'seats.invite',
  summary: 'Invite an address to a seat, by a mail in the language of the holder',
  portal: { page: ['groups.read', 'seats.list'], reads: 'groups.read' },
  permission: 'subscriptions:write',
  route: 'POST /groups/{subscriptionId}/seats',
  fields: { ...fields, email: emailField },
  output: seatSchema,
  made: 'seatId',
  run: async (context, { subscriptionId, email }) => {
    const { tx, tenant, random, mails, now } = context;
    const opened = await groupFor(context, subscriptionId);
    const wrong = emailProblem(email);
    refuseIfAny(wrong === null ? [] : [problem('email', wrong)]);
    const language = languageOf(context, opened);
    const mail = mailIn(context);
    const answer = await inviteToSeat(
      tx,
      tenant,
      opened,
      { email, language, doer: null },
      { random, mails, now, takeMail: mail.take },
    );
    if (answer === 'mailed') throw tooManyMails(mail.wait, 'email', 'seat_mailed');
    if (typeof answer === 'string') throw conflict('email', refusals[answer]);
    return shown(context, subscriptionId, answer.id);
  },
});

const refusals = {
  full: 'no_free_seat',
  holder: 'seat_of_holder',
  kept: 'seat_kept',
  over: 'seat_over',
} as const;

/** Counts a mail that is about to be sent, by its address, and keeps in how many seconds the next one may be. */
function mailIn({ tenant, mailCounters }: Context) {
  const mail = {
    wait: 0,
    take: async (tx: Tx, email: string) => {
      if (mailCounters === undefined) return null;
      mail.wait = (await takeSeatMail(tx, mailCounters, tenant.id, email)) ?? 0;
      return mail.wait === 0 ? null : 'mailed';
    },
  };
  return mail;
}

/** The mail is in the language of the seller or the holder of the seats: that of its reader is not known. */
const languageOf = ({ tenant }: Context, { holder }: OpenedGroup) =>
  holder?.locale ?? tenant.languages[0] ?? 'en';

const isInvited = ({ state }: Thing) => ['invited', 'expired'].includes(String(state));

const sentAgain = onTenant({
  name: 'seats.sendAgain',
  summary: 'Send an invitation again: it is good for another fortnight',
  portal: {
    page: 'seats.list',
    reads: 'seats.list',
    atOnce: true,
    fits: isInvited,
    done: 'The mail is on its way.',
  },
  permission: 'subscriptions:write',
  route: 'POST /groups/{subscriptionId}/seats/{seatId}/send-again',
  fields: { ...fields, seatId: seatIdField },
  output: seatSchema,
  run: async (context, { subscriptionId, seatId }) => {
    const { tx, tenant, random, mails, now } = context;
    const opened = await groupFor(context, subscriptionId);
    const seat = await seatOf(tx, opened.group, seatId);
    if (seat === null) throw unknown('seat');
    const by = { language: languageOf(context, opened), doer: null };
    const mail = mailIn(context);
    const answer = await sendInvitationAgain(tx, tenant, opened, seat, by, {
      ...{ random, mails, now },
      takeMail: mail.take,
    });
    if (answer === 'mailed') throw tooManyMails(mail.wait, 'seatId', 'seat_mailed');
    if (answer === 'full') throw conflict('seatId', 'no_free_seat');
    if (answer === 'refused') throw conflict('seatId', opened.isActive ? 'seat_kept' : 'seat_over');
    return shown(context, subscriptionId, seatId);
  },
});

const removed = onTenant({
  name: 'seats.remove',
  summary: 'End a seat at once, or take an invitation back',
  portal: { page: 'seats.list', reads: 'seats.list', ends: 'forNow' },
  permission: 'subscriptions:write',
  route: 'DELETE /groups/{subscriptionId}/seats/{seatId}',
  fields: { ...fields, seatId: seatIdField },
  output: s.exactly('Which seat it was', { ...fields, seatId: seatIdField }),
  run: async (context, { subscriptionId, seatId }) => {
    const opened = await groupFor(context, subscriptionId);
    const seat = await seatOf(context.tx, opened.group, seatId);
    if (seat === null) throw unknown('seat');
    await removeSeat(context.tx, seat, 'operator', null, context.now);
    return { subscriptionId, seatId };
  },
});

async function shown({ tx, now }: Context, subscriptionId: number, seatId: string) {
  const [seat] = await listSeats(tx, subscriptionId, { only: seatId });
  if (seat === undefined) throw unknown('seat');
  return seatAnswer(seat, now);
}

export const seatOperations: readonly Operation[] = [seatsListed, invited, sentAgain, removed];
