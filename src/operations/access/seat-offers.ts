// Seats that members may take, and those that they have.
import { seatOffersShown } from '../../core/access/limits.ts';
import { networksAround, parseAddress } from '../../core/access/network.ts';
import { domainOf } from '../../core/access/seats/domain.ts';
import { isFrom } from '../../core/access/seats/network.ts';
import {
  beginSeat,
  endSeat,
  hasFreeSeat,
  type Seat,
  type SeatAnswer,
  type SeatGroup,
  seatStanding,
  takeFreeSeat,
  takeSeat,
} from '../../core/access/seats/seat.ts';
import type { MemberSubscription } from '../../core/access/subscription.ts';
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import {
  findSeat,
  findSeatOfAddress,
  findTakenSeat,
  listInvitations,
  listSeatsOfMember,
} from '../../storage/access/seat.ts';
import {
  hasSeatGroups,
  listSeatGroupsOfDomain,
  listSeatGroupsOfNetworks,
} from '../../storage/access/seat-group.ts';
import type { Tx } from '../../storage/store.ts';
import { isName } from '../mail/mail.ts';
import { carryOut, nameOfHolder, openSeats, type SeatDeps } from './seats.ts';

/** How a member may come to a seat: it is kept for her address, or free to those of its domain or of a network. */
type SeatWay = 'invitation' | 'domain' | 'network';

/** A seat that a member may take. */
export interface SeatOffer {
  readonly subscriptionId: number;
  readonly packageName: string;
  readonly way: SeatWay;
  /** Of whom it is; null where the holder has no name that strangers may be shown. */
  readonly through: string | null;
  /** Until when, where it is kept for her (ms). */
  readonly until: number | null;
}

/** When a member looks, and from which address. */
export interface SeatVisit extends Pick<SeatDeps, 'now'> {
  readonly ipAddress: string;
}

/** The seats that a member may take: none without a proven address. */
export async function listSeatOffers(
  tx: Tx,
  member: Member,
  visit: SeatVisit,
): Promise<readonly SeatOffer[]> {
  const { tenantId } = member;
  const email = normaliseEmail(member.email);
  if (!member.emailVerified || !(await hasSeatGroups(tx, tenantId))) return [];
  const most = seatOffersShown;
  const invited = await listInvitations(tx, { tenantId, email }, visit.now, most);
  const address = parseAddress(visit.ipAddress);
  const networks = address === null ? [] : networksAround(address);
  const ids = new Set([
    ...invited.map(({ subscriptionId }) => subscriptionId),
    ...(await listSeatGroupsOfDomain(tx, tenantId, domainOf(email), most)),
    ...(await listSeatGroupsOfNetworks(tx, tenantId, networks, most)),
  ]);
  const offers: SeatOffer[] = [];
  for (const subscriptionId of [...ids].slice(0, most)) {
    const found = await offerOf(tx, member, subscriptionId, visit);
    if (found === null) continue;
    const { opened, holder, seat, way } = found;
    offers.push({
      subscriptionId,
      packageName: opened.subscription.packageName,
      way,
      through: throughWhom(holder, way, domainOf(email)),
      until: seat?.expiresAt ?? null,
    });
  }
  return offers;
}

/** Those who were invited know the holder, and those of a network may be anyone: they read no advertisement. */
function throughWhom(holder: Member, way: SeatWay, domain: string): string | null {
  if (way === 'network') return isName(holder.fullName) ? holder.fullName : null;
  return nameOfHolder(holder, way === 'domain' ? domain : holder.email);
}

/** A subscription in which a member may take a seat now, and the seat where one is kept for her; else null. */
async function offerOf(tx: Tx, member: Member, subscriptionId: number, visit: SeatVisit) {
  const { tenantId, id: memberId } = member;
  const email = normaliseEmail(member.email);
  const opened = await openSeats(tx, tenantId, subscriptionId, visit.now);
  if (opened === null || !opened.isActive || !member.emailVerified) return null;
  const { holder, group, count } = opened;
  if (holder === null || holder.id === memberId) return null;
  if ((await findTakenSeat(tx, subscriptionId, memberId)) !== null) return null;
  const known = await findSeatOfAddress(tx, { tenantId, subscriptionId, email });
  const standing = known === null ? null : seatStanding(known, visit.now);
  if (standing === 'invited')
    return { opened, holder, seat: known, way: 'invitation', expired: null } as const;
  const way = await wayWithoutInvitation(tx, member, group, visit);
  if (way === null || !hasFreeSeat(group, count)) return null;
  return { opened, holder, seat: null, way, expired: standing === 'expired' ? known : null } as const;
}

/** What an invitation is to, for a visitor who is not signed in. */
export interface InvitedTo {
  readonly packageName: string;
  /** Of whom it is; null where the holder has no name that strangers may be shown. */
  readonly through: string | null;
}

/**
 * What the invitation of a mail is to, as long as it can be taken: its id is what the mail has and what no one guesses
 * (74 random bits), and what it says the mail says too (GA16).
 */
export async function invitedTo(
  tx: Tx,
  tenantId: string,
  seatId: string,
  now: number,
): Promise<InvitedTo | null> {
  const seat = await findSeat(tx, tenantId, seatId);
  if (seat === null || seatStanding(seat, now) !== 'invited') return null;
  const opened = await openSeats(tx, tenantId, seat.subscriptionId, now);
  if (opened === null || !opened.isActive || opened.holder === null) return null;
  const { fullName } = opened.holder;
  return { packageName: opened.subscription.packageName, through: isName(fullName) ? fullName : null };
}

/** How a member may take a seat that is kept for no one; null if she may not. */
async function wayWithoutInvitation(
  tx: Tx,
  { id, email }: Member,
  { subscriptionId, domains, networks }: SeatGroup,
  { ipAddress }: SeatVisit,
): Promise<Exclude<SeatWay, 'invitation'> | null> {
  const isOfDomain = domains.includes(domainOf(normaliseEmail(email)));
  if (!isOfDomain && !isFrom(networks, ipAddress)) return null;
  const had = (await listSeatsOfMember(tx, id)).findLast((seat) => seat.subscriptionId === subscriptionId);
  // Whose seat was taken away does not come back by the open door (GA13).
  if (had?.endedBy === 'holder' || had?.endedBy === 'operator') return null;
  return isOfDomain ? 'domain' : 'network';
}

/**
 * A member takes a seat that is offered to her: asked anew, in the transaction that gives it, so the last one is
 * given once (GA6).
 */
export async function takeOfferedSeat(
  tx: Tx,
  member: Member,
  subscriptionId: number,
  { random, ...visit }: Pick<SeatDeps, 'random'> & SeatVisit,
): Promise<SeatAnswer> {
  const { now } = visit;
  const found = await offerOf(tx, member, subscriptionId, visit);
  if (found === null) return (await isFull(tx, member, subscriptionId, visit)) ? 'full' : 'refused';
  const { opened, seat, expired } = found;
  const { group, count } = opened;
  if (seat !== null) return carryOut(tx, takeSeat(seat, member.id, group, count, now), member);
  // The invitation that was left lying is taken back: the address has a seat now.
  if (expired !== null) await carryOut(tx, endSeat(expired, 'member', now), member);
  const { tenantId } = group;
  const facts = { id: random.id(now), tenantId, subscriptionId, email: normaliseEmail(member.email) };
  const fresh = { ...beginSeat(facts, now), memberId: member.id };
  return carryOut(tx, takeFreeSeat(fresh, group, count), member);
}

/** Whether all that keeps a member from a seat is that none is left: what she may not know, she is not told. */
async function isFull(tx: Tx, member: Member, subscriptionId: number, visit: SeatVisit): Promise<boolean> {
  const opened = await openSeats(tx, member.tenantId, subscriptionId, visit.now);
  if (opened === null || !opened.isActive || !member.emailVerified) return false;
  const way = await wayWithoutInvitation(tx, member, opened.group, visit);
  return way !== null && !hasFreeSeat(opened.group, opened.count);
}

/** A seat that a member has, with the subscription that it is of. */
export interface OwnSeat {
  readonly seat: Seat;
  readonly subscription: MemberSubscription;
  readonly through: string;
}

/** The seats that a member has now. @param now ms */
export async function listOwnSeats(tx: Tx, member: Member, now: number): Promise<readonly OwnSeat[]> {
  if (!(await hasSeatGroups(tx, member.tenantId))) return [];
  const found: OwnSeat[] = [];
  for (const seat of await listSeatsOfMember(tx, member.id)) {
    if (seatStanding(seat, now) !== 'taken') continue;
    const opened = await openSeats(tx, member.tenantId, seat.subscriptionId, now);
    if (opened === null || !opened.isActive) continue;
    const { holder, subscription } = opened;
    const through = holder === null ? '' : nameOfHolder(holder, holder.email);
    found.push({ seat, subscription, through });
  }
  return found;
}
