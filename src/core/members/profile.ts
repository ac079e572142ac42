import type { Address, Member, UserType } from './member.ts';
import { type CustomPropertyValue, isActive, type Subscription } from './subscription.ts';

/** The member profile with active subscriptions, exactly as the contract lists it. */
export interface Profile {
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
  readonly customPropertyValues: Readonly<Record<string, CustomPropertyValue>>;
}

/** The profile of a member at a moment: of the subscriptions only the active ones (contract). */
export function profileOf(member: Member, subscriptions: readonly Subscription[], now: number): Profile {
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
    subscriptions: subscriptions.filter((subscription) => isActive(subscription, now)).map(listed),
  };
}

function listed(subscription: Subscription): ProfileSubscription {
  return {
    subscriptionId: subscription.subscriptionId,
    packageId: subscription.packageId,
    packageName: subscription.packageName,
    status: 'active',
    createdAt: isoTime(subscription.createdAt),
    activatedAt: isoTime(subscription.activatedAt),
    expiresAt: isoTime(subscription.expiresAt),
    // The products of an active subscription are open; a closed one is not listed at all.
    subscriptionProducts: subscription.products.map(({ id, name }) => ({ id, name, hasAccess: true })),
    customPropertyValues: subscription.customPropertyValues,
  };
}

const isoTime = (ms: number) => new Date(ms).toISOString();
