// The account page of the seats that a member may take, and the cards of those that she has.

import { seatMemory } from '../../../../core/access/limits.ts';
import type { MemberSubscription } from '../../../../core/access/subscription.ts';
import {
  listOwnSeats,
  listSeatOffers,
  type SeatOffer,
  takeOfferedSeat,
} from '../../../../operations/access/seat-offers.ts';
import { invitationsPath, removeSeat } from '../../../../operations/access/seats.ts';
import type { Tx } from '../../../../storage/store.ts';
import { pageForm } from '../../../form.ts';
import type { Answer } from '../../../pages/guarded-page.ts';
import { sendProblem } from '../../../pages/problem.ts';
import { dayOf } from '../../times.ts';
import { type AccountPage, redirectDone, sendAccountPage, type Visit } from '../page.ts';
import { returnToInvitation } from './invited.ts';

const after = '/account/subscriptions';

/**
 * GET and POST /account/seats/join: where the mail of an invitation leads. Opening it gives nothing: a button does, to the
 * member whose proven address was invited, or is at a domain or in a network that may join (GA2, GA3, GA10).
 */
export const seatOffersPage: AccountPage = {
  url: invitationsPath,
  returnTo: returnToInvitation,
  show: (tx, visit) => show(tx, visit, null),
  submit,
};

async function show(tx: Tx, visit: Visit, problem: string | null): Promise<Answer> {
  const { member, language } = visit;
  const offers = await offersShown(tx, visit);
  const none = member.emailVerified ? 'none' : 'unproven';
  return () =>
    sendAccountPage(visit, {
      template: 'seats/join',
      title: 'account.seats.offers.title',
      problems: problem === null ? [] : [{ field: 'join', text: language.t(problem) }],
      data: { offers, none: language.t(`account.seats.offers.${none}`, { email: member.email }) },
    });
}

/** A name in a sentence: it is read in its own direction, and the sentence keeps its own (U+2068, U+2069). */
const isolated = (name: string) => `\u2068${name}\u2069`;

/** What a member may join, as the pages show it. */
export async function offersShown(tx: Tx, { request, member, language, deps }: Visit) {
  const visit = { now: deps.clock(), ipAddress: request.address };
  const offers = await listSeatOffers(tx, member, visit);
  const aboutOf = ({ way, through, until }: SeatOffer) => [
    ...(through === null ? [] : [language.t('account.seats.offers.lead', { through: isolated(through) })]),
    ...(way === 'network' ? [language.t('account.seats.offers.network')] : []),
    ...(until === null ? [] : [language.t('account.seats.offers.until', { date: dayOf(until, language) })]),
  ];
  return offers.map((offer) => ({
    id: offer.subscriptionId,
    name: offer.packageName,
    about: aboutOf(offer),
  }));
}

/** The seats that a member has, as the pages show them. */
export async function seatsShown(tx: Tx, { member, language, deps }: Visit) {
  const now = deps.clock();
  const own = await listOwnSeats(tx, member, now);
  const endOf = ({ expiresAt }: MemberSubscription) => dayOf(expiresAt ?? now + seatMemory, language);
  return own.map(({ seat, subscription, through }) => ({
    id: seat.id,
    name: subscription.packageName,
    about: [
      language.t('account.seats.through', { through }),
      language.t(`account.subscriptions.standing.${subscription.renews ? 'renewing' : 'ending'}`, {
        date: endOf(subscription),
      }),
    ],
  }));
}

async function submit(tx: Tx, visit: Visit): Promise<Answer> {
  const { request, reply, language } = visit;
  const { action, subscription = '', seat = '' } = pageForm(request, ['action', 'subscription', 'seat']);
  if (action === 'leave') return leave(tx, visit, seat);
  if (action !== 'join' || !/^\d{1,15}$/.test(subscription)) {
    return () => sendProblem(reply, 'notFound', { language });
  }
  return join(tx, visit, Number(subscription));
}

async function join(tx: Tx, visit: Visit, subscriptionId: number): Promise<Answer> {
  const { request, member, deps } = visit;
  const now = deps.clock();
  const { random } = deps;
  const { address: ipAddress } = request;
  const answer = await takeOfferedSeat(tx, member, subscriptionId, { random, now, ipAddress });
  if (answer === 'full') return show(tx, visit, 'account.seats.full');
  // What is no offer of hers looks like one that is not there.
  if (answer === 'refused') return show(tx, visit, 'account.seats.gone');
  const taken = (await listOwnSeats(tx, member, now)).find(
    ({ seat }) => seat.subscriptionId === subscriptionId,
  );
  const name = taken?.subscription.packageName ?? '';
  return () => redirectDone(visit, after, 'seatTaken', { name });
}

async function leave(tx: Tx, visit: Visit, seatId: string): Promise<Answer> {
  const { reply, member, language, deps } = visit;
  const now = deps.clock();
  const own = (await listOwnSeats(tx, member, now)).find(({ seat }) => seat.id === seatId);
  if (own === undefined) return () => sendProblem(reply, 'notFound', { language });
  await removeSeat(tx, own.seat, 'member', member, now);
  return () => redirectDone(visit, after, 'seatLeft', { name: own.subscription.packageName });
}
