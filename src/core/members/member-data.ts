// The file of all data about a member, as the member gets it.
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
  /** `had`: the seats that the member has or had. `given`: the seats of the member's own subscriptions. */
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

/** The details of a member, as the member and the operators are shown them. */
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
  const { exportedAt, seats, clients } = held;
  const appOf = (id: string) => clients.find(({ clientId }) => clientId === id)?.name ?? id;
  return {
    exportedAt: iso(exportedAt),
    details: memberDetails(held.member),
    subscriptions: held.subscriptions.map(subscriptionData),
    seats: seats.had.map(seatData),
    seatsGiven: seats.given.map(seatData),
    checkouts: held.checkouts.map((checkout) => checkoutData(checkout, exportedAt)),
    invoices: held.invoices.map(invoiceData),
    agreements: held.consentChanges.map((change) => agreementData(change, appOf)),
    signIns: held.signIns.map((entry) => signInData(entry, appOf)),
    sessions: held.sessions.map(sessionData),
    passkeys: held.passkeys.map(passkeyData),
    secondFactor: held.secondFactor === null ? null : secondFactorData(held.secondFactor),
    linkedAccounts: held.linkedAccounts.map(linkedAccountData),
    consents: held.consents.map(({ clientId, scope, grantedAt }) => ({
      app: appOf(clientId),
      scope,
      grantedAt: iso(grantedAt),
    })),
    // What the tenant's other systems are told of the member, as long as it is kept.
    events: held.events.map(({ type, at }) => ({ event: type, at: iso(at) })),
  };
}

/** The name of an app by its client id. */
type AppOf = (clientId: string) => string;

const subscriptionData = (subscription: MemberSubscription) => ({
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
});

/** What a seat says to one of its two members: it leaves out the other. */
const seatData = ({ subscriptionId, state, email, invitedAt, takenAt, endedAt }: Seat) => ({
  subscriptionId,
  state,
  email,
  invitedAt: iso(invitedAt),
  takenAt: isoOrNull(takenAt),
  endedAt: isoOrNull(endedAt),
});

const checkoutData = (checkout: Checkout, now: number) => ({
  packageId: checkout.packageId,
  state: checkoutStanding(checkout, now),
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
});

const invoiceData = (invoice: Invoice) => ({
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
});

const agreementData = (change: ConsentChange, appOf: AppOf) => ({
  name: change.name,
  description: change.description,
  status: change.status,
  source: change.source,
  app: change.clientId === null ? null : appOf(change.clientId),
  changedAt: iso(change.changedAt),
});

const signInData = ({ signIn, device, ipAddress }: HeldData['signIns'][number], appOf: AppOf) => ({
  app: appOf(signIn.clientId),
  name: signIn.label,
  deviceName: device?.name ?? null,
  deviceModel: device?.model ?? null,
  ipAddress,
  scope: signIn.scope,
  firstUsedAt: iso(signIn.createdAt),
  lastUsedAt: iso(signIn.rotatedAt),
});

const sessionData = ({ userAgent, ipAddress, amr, createdAt, authenticatedAt, lastUsedAt }: Session) => ({
  browser: userAgent,
  ipAddress,
  begunWith: factorsOf({ amr }),
  createdAt: iso(createdAt),
  authenticatedAt: iso(authenticatedAt),
  lastUsedAt: iso(lastUsedAt),
});

const passkeyData = (passkey: Passkey) => ({
  name: passkey.name,
  synced: passkey.isSynced,
  backedUp: passkey.isBackedUp,
  browser: passkey.userAgent,
  ipAddress: passkey.ipAddress,
  createdAt: iso(passkey.createdAt),
  lastUsedAt: isoOrNull(passkey.lastUsedAt),
});

const secondFactorData = ({ createdAt, recoveryHashes }: SecondFactor) => ({
  since: iso(createdAt),
  recoveryCodesLeft: recoveryHashes.length,
});

const linkedAccountData = (account: LinkedAccount) => ({
  provider: account.provider,
  issuer: account.issuer,
  subject: account.subject,
  email: account.email,
  linkedAt: iso(account.linkedAt),
  lastUsedAt: iso(account.lastUsedAt),
});
