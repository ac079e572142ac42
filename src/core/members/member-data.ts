// What a member gets who asks for all data that are held about them.
import { type Checkout, checkoutStanding } from '../access/checkout.ts';
import type { ConsentChange } from '../access/consent.ts';
import type { Invoice } from '../access/invoice.ts';
import { paymentReference } from '../access/invoicing.ts';
import { isoTime as iso, isoTimeOrNull as isoOrNull } from '../access/iso-time.ts';
import type { Seat } from '../access/seats/seat.ts';
import type { MemberSubscription } from '../access/subscription.ts';
import type { Client } from '../client.ts';
import type { ToldEvent } from '../events/event.ts';
import type { SignIn } from '../grants/sign-in.ts';
import type { ScopeConsent } from '../oidc/scope-consent.ts';
import type { LinkedAccount } from '../providers/linked-account.ts';
import type { Session } from '../session.ts';
import { factorsOf } from '../strength.ts';
import type { Member } from './member.ts';
import type { Passkey } from './passkey.ts';
import type { SecondFactor } from './second-factor.ts';

/** What is held of a member, as it was loaded. */
interface HeldData {
  readonly member: Member;
  readonly subscriptions: readonly MemberSubscription[];
  /** Those that the member has or had, and those of her own subscriptions with whom she invited. */
  readonly seats: { readonly had: readonly Seat[]; readonly given: readonly Seat[] };
  readonly checkouts: readonly Checkout[];
  readonly invoices: readonly Invoice[];
  readonly consentChanges: readonly ConsentChange[];
  readonly signIns: readonly {
    readonly signIn: SignIn;
    readonly device: { readonly name: string | null; readonly model: string | null } | null;
    readonly ipAddress: string;
  }[];
  readonly sessions: readonly Session[];
  readonly passkeys: readonly Passkey[];
  readonly secondFactor: SecondFactor | null;
  readonly linkedAccounts: readonly LinkedAccount[];
  readonly consents: readonly ScopeConsent[];
  readonly events: readonly Pick<ToldEvent, 'type' | 'at'>[];
  readonly clients: readonly Client[];
  readonly exportedAt: number;
}

/** What is held of a member itself, as the member and who operates the service are shown it. */
export function memberDetails(member: Member) {
  return {
    id: member.id,
    userId: member.userId,
    memberNumber: member.memberNumber,
    externalId: member.externalId,
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
    deletionDueAt: isoOrNull(member.deletionDueAt),
  };
}

/**
 * Everything that is held of a member, for the member: names in words, times in ISO 8601. Each field is
 * listed by hand, so that no hash or secret of a row gets into the file with a new column.
 */
export function memberData(held: HeldData) {
  const { member, subscriptions, checkouts, invoices, consentChanges } = held;
  const {
    seats,
    signIns,
    sessions,
    passkeys,
    secondFactor,
    linkedAccounts,
    consents,
    events,
    clients,
    exportedAt,
  } = held;
  const nameOf = (id: string) => clients.find(({ clientId }) => clientId === id)?.name ?? id;
  return {
    exportedAt: iso(exportedAt),
    details: memberDetails(member),
    subscriptions: subscriptions.map((subscription) => ({
      subscriptionId: subscription.subscriptionId,
      packageId: subscription.packageId,
      packageName: subscription.packageName,
      products: subscription.products,
      createdAt: iso(subscription.createdAt),
      activatedAt: isoOrNull(subscription.activatedAt),
      expiresAt: isoOrNull(subscription.expiresAt),
      cancelledAt: isoOrNull(subscription.cancelledAt),
      endedAt: isoOrNull(subscription.endedAt),
      customPropertyValues: subscription.customPropertyValues,
    })),
    seats: seats.had.map(seatData),
    seatsGiven: seats.given.map(seatData),
    checkouts: checkouts.map((checkout) => ({
      packageId: checkout.packageId,
      state: checkoutStanding(checkout, exportedAt),
      price: checkout.price,
      period: checkout.period,
      payment: checkout.payment,
      paymentReference: checkout.paymentReference,
      reference: checkout.reference,
      onCheckoutCompletedUrl: checkout.onCheckoutCompletedUrl,
      callBackUrl: checkout.callBackUrl,
      createdAt: iso(checkout.createdAt),
      expiresAt: iso(checkout.expiresAt),
      closedAt: isoOrNull(checkout.closedAt),
      subscriptionId: checkout.subscriptionId,
    })),
    invoices: invoices.map((invoice) => ({
      number: invoice.number,
      subscriptionId: invoice.subscriptionId,
      packageName: invoice.packageName,
      seats: invoice.seats,
      price: invoice.price,
      taxName: invoice.taxName,
      taxPercent: invoice.taxPercent,
      paymentReference: paymentReference(invoice.number),
      payTo: invoice.payTo,
      addressee: invoice.addressee,
      issuedAt: iso(invoice.issuedAt),
      dueAt: iso(invoice.dueAt),
      paidAt: isoOrNull(invoice.paidAt),
    })),
    agreements: consentChanges.map(({ name, description, status, source, clientId, changedAt }) => ({
      name,
      description,
      status,
      source,
      app: clientId === null ? null : nameOf(clientId),
      changedAt: iso(changedAt),
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
    sessions: sessions.map(({ userAgent, ipAddress, amr, createdAt, authenticatedAt, lastUsedAt }) => ({
      browser: userAgent,
      ipAddress,
      begunWith: factorsOf({ amr }),
      createdAt: iso(createdAt),
      authenticatedAt: iso(authenticatedAt),
      lastUsedAt: iso(lastUsedAt),
    })),
    passkeys: passkeys.map((passkey) => ({
      name: passkey.name,
      synced: passkey.isSynced,
      backedUp: passkey.isBackedUp,
      browser: passkey.userAgent,
      ipAddress: passkey.ipAddress,
      createdAt: iso(passkey.createdAt),
      lastUsedAt: isoOrNull(passkey.lastUsedAt),
    })),
    secondFactor:
      secondFactor === null
        ? null
        : {
            since: iso(secondFactor.createdAt),
            recoveryCodesLeft: secondFactor.recoveryHashes.length,
          },
    linkedAccounts: linkedAccounts.map(({ provider, issuer, subject, email, linkedAt, lastUsedAt }) => ({
      provider,
      issuer,
      subject,
      email,
      linkedAt: iso(linkedAt),
      lastUsedAt: iso(lastUsedAt),
    })),
    consents: consents.map(({ clientId, scope, grantedAt }) => ({
      app: nameOf(clientId),
      scope,
      grantedAt: iso(grantedAt),
    })),
    // What the tenant's other systems are told of the member, as long as it is kept.
    events: events.map(({ type, at }) => ({ event: type, at: iso(at) })),
  };
}

/** What a seat says of whose it is: who else is in it stays out. */
function seatData({ subscriptionId, state, email, invitedAt, takenAt, endedAt }: Seat) {
  const [invited, taken, ended] = [iso(invitedAt), isoOrNull(takenAt), isoOrNull(endedAt)];
  return { subscriptionId, state, email, invitedAt: invited, takenAt: taken, endedAt: ended };
}
