// The member profile with active subscriptions, as the contract lists it.
import { type Address, type Member, noAddress } from '../members/member.ts';
import type { Sight } from '../oidc/scope.ts';
import { isoTime } from './iso-time.ts';
import { isActive, type MemberSubscription } from './subscription.ts';

/**
 * Who a member is: what both profiles begin with (contract, "Member profile"), each field listed by hand (M19). What
 * the app does not see is null, empty or 0, as the type of the field allows (decision 41).
 */
export function basicsOf(member: Member, sees: Sight) {
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

/**
 * The profile of a member at a moment, exactly as the contract lists it: of the subscriptions only the active ones.
 * Times are ISO 8601, UTC, milliseconds.
 */
export function profileOf(
  member: Member,
  subscriptions: readonly MemberSubscription[],
  sees: Sight,
  now: number,
) {
  return {
    ...basicsOf(member, sees),
    subscriptions: sees.subscriptions ? subscriptions.flatMap((one) => listed(one, now)) : [],
  };
}

function listed(subscription: MemberSubscription, now: number) {
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
