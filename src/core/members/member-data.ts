import type { Client } from '../client.ts';
import type { ScopeConsent } from '../oidc/scope-consent.ts';
import type { Session } from '../session.ts';
import type { SignIn } from '../sign-in.ts';
import type { Member } from './member.ts';
import type { Subscription } from './subscription.ts';

/** What is held of a member, as it was loaded. */
export interface HeldData {
  readonly member: Member;
  readonly subscriptions: readonly Subscription[];
  readonly signIns: readonly {
    readonly signIn: SignIn;
    readonly device: { readonly name: string | null; readonly model: string | null } | null;
    readonly ipAddress: string;
  }[];
  readonly sessions: readonly Session[];
  readonly consents: readonly ScopeConsent[];
  readonly clients: readonly Client[];
  readonly exportedAt: number;
}

/**
 * Everything that is held of a member, for the member: names in words, times in ISO 8601. Each field is
 * listed by hand, so that no hash or secret of a row gets into the file with a new column.
 */
export function memberData(held: HeldData) {
  const { member, subscriptions, signIns, sessions, consents, clients, exportedAt } = held;
  const nameOf = (id: string) => clients.find(({ clientId }) => clientId === id)?.name ?? id;
  return {
    exportedAt: iso(exportedAt),
    details: {
      id: member.id,
      userId: member.userId,
      memberNumber: member.memberNumber,
      userType: member.userType,
      email: member.email,
      emailVerified: member.emailVerified,
      fullName: member.fullName,
      nickName: member.nickName,
      phone: member.phone,
      phoneVerified: member.phoneVerified,
      avatar: member.avatar,
      language: member.locale,
      address: member.address,
      createdAt: iso(member.createdAt),
      updatedAt: iso(member.updatedAt),
      deletionDueAt: member.deletionDueAt === null ? null : iso(member.deletionDueAt),
    },
    subscriptions: subscriptions.map((subscription) => ({
      subscriptionId: subscription.subscriptionId,
      packageId: subscription.packageId,
      packageName: subscription.packageName,
      products: subscription.products,
      createdAt: iso(subscription.createdAt),
      activatedAt: iso(subscription.activatedAt),
      expiresAt: iso(subscription.expiresAt),
      customPropertyValues: subscription.customPropertyValues,
    })),
    signIns: signIns.map(({ signIn, device, ipAddress }) => ({
      app: nameOf(signIn.clientId),
      name: signIn.label,
      deviceName: device?.name ?? null,
      deviceModel: device?.model ?? null,
      ipAddress,
      scope: signIn.scope,
      firstUsedAt: iso(signIn.createdAt),
      lastUsedAt: iso(signIn.rotatedAt),
    })),
    sessions: sessions.map(({ userAgent, ipAddress, createdAt, authenticatedAt, lastUsedAt }) => ({
      browser: userAgent,
      ipAddress,
      createdAt: iso(createdAt),
      authenticatedAt: iso(authenticatedAt),
      lastUsedAt: iso(lastUsedAt),
    })),
    consents: consents.map(({ clientId, scope, grantedAt }) => ({
      app: nameOf(clientId),
      scope,
      grantedAt: iso(grantedAt),
    })),
  };
}

const iso = (ms: number) => new Date(ms).toISOString();
