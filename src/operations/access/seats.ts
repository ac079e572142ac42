// Seats of subscriptions: opens them for their holder or an operator, invites to them, and ends them.
import {
  beginSeat,
  endSeat,
  hasFreeSeat,
  inviteAgain,
  restoreSeat,
  type Seat,
  type SeatAnswer,
  type SeatCount,
  type SeatDecision,
  type SeatEnd,
  type SeatGroup,
  seatStanding,
} from '../../core/access/seats/seat.ts';
import { isActive, type MemberSubscription } from '../../core/access/subscription.ts';
import { type Member, maySignIn, normaliseEmail } from '../../core/members/member.ts';
import { countSeats, findSeat, findSeatOfAddress, findTakenSeat } from '../../storage/access/seat.ts';
import { findSeatGroup } from '../../storage/access/seat-group.ts';
import { listSubscriptionsOf } from '../../storage/access/subscription.ts';
import { apply, type By } from '../../storage/apply.ts';
import { findMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';
import { isName } from '../mail/mail.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** A subscription with seats, as it stands in a transaction. */
export interface OpenedGroup {
  readonly group: SeatGroup;
  readonly subscription: MemberSubscription;
  /** null where she was deleted, and may not sign in any more. */
  readonly holder: Member | null;
  readonly count: SeatCount;
  /** Whether it gives access now. */
  readonly isActive: boolean;
}

/** What these operations need beside the transaction. */
export interface SeatDeps<Limit extends string = never> {
  readonly random: Pick<Random, 'id'>;
  readonly mails: Pick<Mailer, 'queue'>;
  readonly now: number;
  /** Counts a mail that is about to be sent to an address; why it is not, where there were too many. */
  readonly takeMail?: (tx: Tx, email: string) => Promise<Limit | null>;
}

/** The seats of a subscription of a tenant; null if it has none. @param now ms */
export async function openSeats(
  tx: Tx,
  tenantId: string,
  subscriptionId: number,
  now: number,
): Promise<OpenedGroup | null> {
  const group = await findSeatGroup(tx, tenantId, subscriptionId);
  return group === null ? null : openGroup(tx, group, now);
}

/** The same of seats that were read already. @throws Error if their subscription is not there: none is ever deleted */
export async function openGroup(tx: Tx, group: SeatGroup, now: number): Promise<OpenedGroup> {
  const { tenantId, subscriptionId } = group;
  const [subscription] = await listSubscriptionsOf(tx, tenantId, [subscriptionId]);
  if (subscription === undefined) throw new Error('seats of no subscription');
  const holder = await findMember(tx, tenantId, subscription.memberId);
  return {
    group,
    subscription,
    holder: maySignIn(holder, now) ? holder : null,
    count: await countSeats(tx, subscriptionId, now),
    isActive: isActive(subscription, now),
  };
}

/** The same of a member's own subscription; null if it is another member's (GA1). */
export async function openOwnSeats(
  tx: Tx,
  { tenantId, id }: Pick<Member, 'tenantId' | 'id'>,
  subscriptionId: number,
  now: number,
): Promise<OpenedGroup | null> {
  const opened = await openSeats(tx, tenantId, subscriptionId, now);
  return opened?.subscription.memberId === id ? opened : null;
}

/** The actor on a seat, for the audit: a holder acts on what is another member's. */
type Doer = Pick<Member, 'id'> | null;
const doneBy = (doer: Doer): By => (doer === null ? {} : { actorKind: 'member', actorId: doer.id });

/** Why an address was not invited; the form and the operation say it in their words. */
export type InviteAnswer = 'full' | 'holder' | 'kept' | 'over' | Seat;

/**
 * Invites an address to a seat. Whether it has an account is not looked at, so the answer cannot tell (GA7).
 *
 * @param language of the mail: that of the page where it is sent
 */
export async function inviteToSeat<Limit extends string = never>(
  tx: Tx,
  tenant: OpenTenant,
  opened: OpenedGroup,
  {
    email: typed,
    language,
    doer,
  }: { readonly email: string; readonly language: string; readonly doer: Doer },
  deps: SeatDeps<Limit>,
): Promise<InviteAnswer | Limit> {
  const { group, subscription, holder, count } = opened;
  const { tenantId, subscriptionId } = group;
  const email = normaliseEmail(typed);
  const { random, now } = deps;
  if (!opened.isActive || holder === null) return 'over';
  if (email === normaliseEmail(holder.email)) return 'holder';
  const known = await findSeatOfAddress(tx, { tenantId, subscriptionId, email });
  const isExpired = known !== null && seatStanding(known, now) === 'expired';
  if (known !== null && !isExpired) return 'kept';
  if (!hasFreeSeat(group, count)) return 'full';
  const limit = (await deps.takeMail?.(tx, email)) ?? null;
  if (limit !== null) return limit;
  if (known !== null) {
    await apply(tx, inviteAgain(known, group, count, now).writes, doneBy(doer));
    await mailInvitation(tx, tenant, opened, known, language, deps);
    return known;
  }
  const seat = beginSeat({ id: random.id(now), tenantId: subscription.tenantId, subscriptionId, email }, now);
  await apply(tx, [{ write: 'insertSeat', seat }], doneBy(doer));
  await mailInvitation(tx, tenant, opened, seat, language, deps);
  return seat;
}

/** Sends an invitation again, which is good for its whole time from now on. */
export async function sendInvitationAgain<Limit extends string = never>(
  tx: Tx,
  tenant: OpenTenant,
  opened: OpenedGroup,
  seat: Seat,
  { language, doer }: { readonly language: string; readonly doer: Doer },
  deps: SeatDeps<Limit>,
): Promise<SeatAnswer | Limit> {
  if (!opened.isActive || opened.holder === null) return 'refused';
  const { answer, writes } = inviteAgain(seat, opened.group, opened.count, deps.now);
  if (answer !== 'done') return answer;
  const limit = (await deps.takeMail?.(tx, seat.email)) ?? null;
  if (limit !== null) return limit;
  await apply(tx, writes, doneBy(doer));
  await mailInvitation(tx, tenant, opened, seat, language, deps);
  return answer;
}

/** The page of the seats that a member may take. */
export const invitationsPath = '/account/seats/join';

/** The same, from the mail of an invitation: the page to sign in then says what it is to (GA16). */
export const invitationUrl = ({ id }: Pick<Seat, 'id'>): string => `${invitationsPath}?invitation=${id}`;

/**
 * Tells an address of its invitation. The link opens the offers of the member who signs in there: it is no secret, and gives
 * nothing to those whose address is another.
 */
async function mailInvitation(
  tx: Tx,
  tenant: OpenTenant,
  { subscription, holder }: OpenedGroup,
  seat: Seat,
  language: string,
  { mails, now }: Pick<SeatDeps, 'mails' | 'now'>,
): Promise<void> {
  const { expiresAt } = inviteTimes(seat, now);
  await mails.queue(tx, tenant, {
    name: 'seatInvitation',
    to: seat.email,
    language,
    values: {
      from: holder === null ? tenant.name : inviterOf(holder),
      package: subscription.packageName,
      date: expiresAt,
    },
    link: `${tenant.issuer}${invitationUrl(seat)}`,
  });
}

const inviteTimes = ({ id, tenantId, subscriptionId, email }: Seat, now: number) =>
  beginSeat({ id, tenantId, subscriptionId, email }, now);

/** The inviter, in a mail to strangers: the proven address, and a name only where it cannot be an advertisement. */
const inviterOf = ({ fullName, email }: Member) => (isName(fullName) ? `${fullName} (${email})` : email);

/** What a member who has a seat, or may take one, reads of its holder. */
export const nameOfHolder = ({ fullName }: Member, otherwise: string) =>
  fullName === '' ? otherwise : fullName;

/** Ends a seat, or takes an invitation back. */
export const removeSeat = (tx: Tx, seat: Seat, by: SeatEnd, doer: Doer, now: number): Promise<SeatAnswer> =>
  carryOut(tx, endSeat(seat, by, now), doer);

/** A holder gives back the seat that was just taken away: not to those who have another one by now. */
export async function giveSeatBack(
  tx: Tx,
  { group, count, isActive: givesAccess }: OpenedGroup,
  seat: Seat,
  doer: Doer,
  now: number,
): Promise<SeatAnswer> {
  if (seat.memberId === null || !givesAccess) return 'refused';
  if ((await findTakenSeat(tx, seat.subscriptionId, seat.memberId)) !== null) return 'refused';
  return carryOut(tx, restoreSeat(seat, group, count, now), doer);
}

/** Writes what was decided. @param doer who does it, where that is a member */
export async function carryOut(tx: Tx, { answer, writes }: SeatDecision, doer: Doer): Promise<SeatAnswer> {
  await apply(tx, writes, doneBy(doer));
  return answer;
}

/** A seat of a subscription; null if it is another's. */
export async function seatOf(
  tx: Tx,
  { tenantId, subscriptionId }: SeatGroup,
  id: string,
): Promise<Seat | null> {
  const seat = await findSeat(tx, tenantId, id);
  return seat?.subscriptionId === subscriptionId ? seat : null;
}
