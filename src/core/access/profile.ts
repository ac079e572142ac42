import type { Address, Member, UserType } from '../members/member.ts';
import type { CustomPropertyValues } from './custom-property.ts';
import { isoTime } from './iso-time.ts';
import { isActive, type MemberSubscription } from './subscription.ts';

/** Who a member is: what both profiles begin with (contract, "Member profile"). */
export interface MemberBasics {
  readonly id: string;
  readonly fullName: string;
  readonly email: string;
  readonly userType: UserType;
  readonly userId: number;
  readonly phone: string;
  readonly avatar: string | null;
  readonly nickName: string;
  readonly memberNumber: number;
  readonly address: Address;
}

/** The member profile with active subscriptions, exactly as the contract lists it. */
export interface Profile extends MemberBasics {
  readonly subscriptions: readonly ProfileSubscription[];
}

export interface ProfileSubscription {
  readonly subscriptionId: number;
  readonly packageId: number;
  readonly packageName: string;
  readonly status: 'active';
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string;
  readonly activatedAt: string;
  readonly expiresAt: string;
  readonly subscriptionProducts: readonly {
    readonly id: number;
    readonly name: string;
    readonly hasAccess: boolean;
  }[];
  readonly customPropertyValues: CustomPropertyValues;
}

/** The fields of a member that both profiles show: each is listed by hand (M19). */
export function basicsOf(member: Member): MemberBasics {
  return {
    id: member.id,
    fullName: member.fullName,
    email: member.email,
    userType: member.userType,
    userId: member.userId,
    phone: member.phone,
    avatar: member.avatar,
    nickName: member.nickName,
    memberNumber: member.memberNumber,
    address: member.address,
  };
}

/** The profile of a member at a moment: of the subscriptions only the active ones (contract). */
export function profileOf(
  member: Member,
  subscriptions: readonly MemberSubscription[],
  now: number,
): Profile {
  return {
    ...basicsOf(member),
    subscriptions: subscriptions.flatMap((subscription) => listed(subscription, now)),
  };
}

function listed(subscription: MemberSubscription, now: number): readonly ProfileSubscription[] {
  const { activatedAt, expiresAt } = subscription;
  if (activatedAt === null || expiresAt === null || !isActive(subscription, now)) return [];
  return [
    {
      subscriptionId: subscription.subscriptionId,
      packageId: subscription.packageId,
      packageName: subscription.packageName,
      status: 'active',
      createdAt: isoTime(subscription.createdAt),
      activatedAt: isoTime(activatedAt),
      expiresAt: isoTime(expiresAt),
      // The products of an active subscription are open; a closed one is not listed at all.
      subscriptionProducts: subscription.products.map(({ id, name }) => ({ id, name, hasAccess: true })),
      customPropertyValues: subscription.customPropertyValues,
    },
  ];
}
