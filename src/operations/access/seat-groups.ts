// What an operator and a holder set of a subscription with seats: how many, and at which domains and from which networks
// they may be taken.

import { mostSeats } from '../../core/access/limits.ts';
import { canonicalNetworks, soundNetwork } from '../../core/access/network.ts';
import { isSeatNumber } from '../../core/access/package.ts';
import { domainOf, domainProblems, normaliseDomain } from '../../core/access/seats/domain.ts';
import { isOwnNetwork, ownNetwork, seatNetworkProblems } from '../../core/access/seats/network.ts';
import type { SeatGroup } from '../../core/access/seats/seat.ts';
import { isOver, standingOf } from '../../core/access/subscription.ts';
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import { problem } from '../../core/problem.ts';
import {
  findSeatGroup,
  saveSeatDomains,
  saveSeatNetworks,
  saveSeatNumber,
} from '../../storage/access/seat-group.ts';
import { findSubscription } from '../../storage/access/subscription.ts';
import type { Tx } from '../../storage/store.ts';
import { auditDeed } from '../audit/audit.ts';
import { conflict, refuseIfAny, unknown } from '../refusal.ts';
import type { OpenedGroup } from './seats.ts';

const numberProblems = (seats: number) =>
  isSeatNumber(seats) ? [] : [problem('seats', 'out_of_range', { least: 1, most: mostSeats })];

/**
 * Gives seats to a subscription that was ordered without.
 *
 * @throws OperationRefused
 */
export async function addSeats(
  tx: Tx,
  tenantId: string,
  subscriptionId: number,
  seats: number,
  now: number,
): Promise<void> {
  refuseIfAny(numberProblems(seats));
  const subscription = await findSubscription(tx, tenantId, subscriptionId);
  if (subscription === null) throw unknown('subscription');
  if (isOver(standingOf(subscription, now))) throw conflict('subscriptionId', 'seat_over');
  if ((await findSeatGroup(tx, tenantId, subscriptionId)) !== null) {
    throw conflict('subscriptionId', 'taken', { what: 'group' });
  }
  await saveSeatNumber(tx, tenantId, subscriptionId, seats);
}

/**
 * Changes how many seats a subscription has, never to fewer than are taken: whose seat ends is for people to say. Of
 * invitations beyond the number the first that are taken have it.
 *
 * @throws OperationRefused
 */
export async function changeSeatNumber(
  tx: Tx,
  { group: { tenantId, subscriptionId }, count }: OpenedGroup,
  seats: number,
): Promise<void> {
  refuseIfAny(numberProblems(seats));
  if (seats < count.taken) throw conflict('seats', 'seats_taken', { taken: count.taken });
  await saveSeatNumber(tx, tenantId, subscriptionId, seats);
}

/**
 * Says at which domains the seats of a subscription may be taken, all of them. Seats that are taken stay.
 *
 * @throws OperationRefused
 */
export async function changeSeatDomains(tx: Tx, group: SeatGroup, typed: readonly string[]): Promise<void> {
  const domains = typed.map(normaliseDomain);
  refuseIfAny(domainProblems(domains));
  await saveSeatDomains(tx, group, domains);
}

/**
 * Says from which networks the seats of a subscription may be taken, all of them. Seats that are taken stay.
 *
 * @throws OperationRefused
 */
export async function changeSeatNetworks(
  tx: Tx,
  group: SeatGroup,
  networks: readonly string[],
  development: boolean,
): Promise<void> {
  refuseIfAny(seatNetworkProblems(networks, development));
  await saveSeatNetworks(tx, group, canonicalNetworks(networks));
}

/** The domain that a holder may open seats for: that of her own proven address, where not anyone gets one there. */
export function ownDomain({ email, emailVerified }: Pick<Member, 'email' | 'emailVerified'>): string | null {
  const domain = domainOf(normaliseEmail(email));
  const isSound = emailVerified && domainProblems([domain]).length === 0;
  return isSound ? domain : null;
}

/** A holder opens the seats for her own domain, or closes them again. @returns whether that may be */
export async function openToOwnDomain(
  tx: Tx,
  { group, holder }: OpenedGroup,
  isOpen: boolean,
): Promise<boolean> {
  const domain = holder === null ? null : ownDomain(holder);
  if (holder === null || domain === null) return false;
  const others = group.domains.filter((one) => one !== domain);
  const domains = isOpen ? [...others, domain] : others;
  if (domainProblems(domains).length > 0) return false;
  await saveSeatDomains(tx, group, domains);
  await auditOpening(tx, group, holder, domain, isOpen);
  return true;
}

/** Where a holder is when she opens seats, or closes them: the address is the one that we saw. */
interface Where {
  readonly ipAddress: string;
  readonly development: boolean;
}

/**
 * A holder opens the seats to the network that she is in, which the page has shown her, or closes them to one: not to one
 * that an operator opened for more than one place, since she could not open that again (decision 56; GA9).
 *
 * @param network as it is kept
 * @returns whether that may be
 */
export async function openToNetwork(
  tx: Tx,
  { group, holder }: OpenedGroup,
  network: string,
  isOpen: boolean,
  { ipAddress, development }: Where,
): Promise<boolean> {
  const isTheirs = isOpen
    ? network === ownNetwork(ipAddress, development)
    : group.networks.includes(network) && isOwnNetwork(soundNetwork(network));
  const others = group.networks.filter((one) => one !== network);
  const networks = isOpen ? [...others, network] : others;
  if (holder === null || !isTheirs || seatNetworkProblems(networks, development).length > 0) return false;
  await saveSeatNetworks(tx, group, networks);
  await auditOpening(tx, group, holder, network, isOpen);
  return true;
}

/** Tells the audit what a holder says of who may take a seat; an operation tells of an operator's word by itself. */
async function auditOpening(
  tx: Tx,
  { tenantId, subscriptionId }: SeatGroup,
  { id: memberId }: Pick<Member, 'id'>,
  to: string,
  isOpen: boolean,
): Promise<void> {
  const reason = `${isOpen ? 'open' : 'closed'} to ${to}`;
  const target = String(subscriptionId);
  await auditDeed(tx, { event: 'seat_ways_changed', tenantId, memberId, target, reason });
}
