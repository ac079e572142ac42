// The member profile with active subscriptions, as the contract lists it.
import { type Address, type Member, noAddress, type UserType } from '../members/member.ts';
import type { Sight } from '../oidc/scope.ts';
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

/**
 * The fields of a member that both profiles show: each is listed by hand (M19). What the app does not see is null,
 * empty or 0, as the type of the field allows (decision 41).
 */
export function basicsOf(member: Member, sees: Sight): MemberBasics {
  return {
    id: member.id,
    fullName: sees.profile ? member.fullName : '',
    email: sees.email ? member.email : '',
    userType: sees.role ? member.userType : 'member',
    userId: sees.profile ? member.userId : 0,
    phone: sees.phone ? member.phone : '',
    avatar: sees.profile ? member.avatar : null,
    nickName: sees.profile ? member.nickName : '',
    memberNumber: sees.profile ? member.memberNumber : 0,
    address: sees.address ? addressOf(member.address, sees) : noAddress,
  };
}

/** The name and the e-mail address of a postal address are no less than those of the member. */
function addressOf(address: Address, sees: Sight): Address {
  const { name, email } = address;
  return { ...address, name: sees.profile ? name : null, email: sees.email ? email : null };
}

/** The profile of a member at a moment: of the subscriptions only the active ones (contract). */
export function profileOf(
  member: Member,
  subscriptions: readonly MemberSubscription[],
  sees: Sight,
  now: number,
): Profile {
  return {
    ...basicsOf(member, sees),
    subscriptions: sees.subscriptions ? subscriptions.flatMap((one) => listed(one, now)) : [],
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
