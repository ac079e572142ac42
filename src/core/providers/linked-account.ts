// An account of another provider that a member signs in with, and when it may become one.
import { type Member, maySignIn, normaliseEmail } from '../members/member.ts';
import type { ForeignIdentity } from './foreign-identity.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { pendingAccountLifetime } from './limits.ts';

/** An account of another provider that is linked to a member. Times are ms. */
export interface LinkedAccount {
  readonly id: string;
  readonly tenantId: string;
  readonly memberId: string;
  /** The key of its provider. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** The address that the provider named when it was linked; empty where it named none. */
  readonly email: string;
  readonly linkedAt: number;
  readonly lastUsedAt: number;
}

/** An account that was proven at its provider, and waits until a member proves that ours is hers, or makes one. */
export interface PendingAccount extends Omit<ForeignIdentity, 'emailVerified'> {
  readonly provider: string;
  /** Whether the address counts as proven: the provider verified it, and is trusted with that. */
  readonly isEmailProven: boolean;
  /** When it was proven: ms. */
  readonly at: number;
}

/** What comes of an account that was proven at its provider, where no member is signed in here. */
export type Arrival =
  /** It is linked to this member already, or may be at once: then with what is linked. */
  | { readonly kind: 'member'; readonly memberId: string; readonly account: PendingAccount | null }
  /** She proves that an account of ours is hers, or makes one. */
  | { readonly kind: 'pending'; readonly account: PendingAccount };

/**
 * Decides what a proven account is good for (decision 46). By the address alone it is linked only where the provider says
 * that the address is verified, ours is verified too, and the operator trusts that provider for it. An administrator's
 * account never is, nor one that has another account there: its address may have passed to another person.
 *
 * @param linked the account as it is linked
 * @param holder the member with the account's address, and what is linked to her
 */
export function arrivalOf(
  provider: Pick<IdentityProvider, 'key' | 'trustsVerifiedEmail'>,
  identity: ForeignIdentity,
  { linked, holder }: { readonly linked: LinkedAccount | null; readonly holder: Holder | null },
  now: number,
): Arrival {
  if (linked !== null) return { kind: 'member', memberId: linked.memberId, account: null };
  const { emailVerified, ...known } = identity;
  const isEmailProven = provider.trustsVerifiedEmail && emailVerified;
  const account = { ...known, provider: provider.key, isEmailProven, at: now };
  const isHers = isEmailProven && holder !== null && mayLinkByAddress(holder, provider.key, now);
  return isHers ? { kind: 'member', memberId: holder.member.id, account } : { kind: 'pending', account };
}

/** The member with an address. */
interface Holder {
  readonly member: Member;
  readonly accounts: readonly Pick<LinkedAccount, 'provider'>[];
}

const mayLinkByAddress = ({ member, accounts }: Holder, key: string, now: number) =>
  member.emailVerified &&
  member.userType === 'member' &&
  maySignIn(member, now) &&
  accounts.every(({ provider }) => provider !== key);

/** Whether a proven account still counts: a page may lie open for hours. */
export const isFresh = ({ at }: PendingAccount, now: number): boolean =>
  now >= at && now < at + pendingAccountLifetime;

/** Whether an address is the one that a provider has proven. */
export const isProvenBy = (account: PendingAccount, email: string): boolean =>
  account.isEmailProven && account.email !== null && normaliseEmail(account.email) === normaliseEmail(email);
