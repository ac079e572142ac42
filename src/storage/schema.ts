// The rows as they are stored.
import type { Generated } from 'kysely';
import type { Checkout } from '../core/access/checkout.ts';
import type { Consent, ConsentChange } from '../core/access/consent.ts';
import type { CustomProperty } from '../core/access/custom-property.ts';
import type { Invoice } from '../core/access/invoice.ts';
import type { Package, Period } from '../core/access/package.ts';
import type { Subscription } from '../core/access/subscription.ts';
import type { Client } from '../core/client.ts';
import type { AuthorizationCode } from '../core/grants/authorization-code.ts';
import type { DeviceCode } from '../core/grants/device-code.ts';
import type { SignIn } from '../core/grants/sign-in.ts';
import type { EmailProof } from '../core/members/email-proof.ts';
import type { Member } from '../core/members/member.ts';
import type { SignInFailures } from '../core/members/member-limits.ts';
import type { ScopeConsent } from '../core/oidc/scope-consent.ts';
import type { AdminToken } from '../core/operators/admin-token.ts';
import type { AuditEvent } from '../core/operators/audit-event.ts';
import type { Session } from '../core/session.ts';
import type { SigningAlgorithm, Tenant } from '../core/tenant.ts';

/**
 * The rows as they are stored. Columns bear the names of the core's records, so most rows are records;
 * booleans are 0 and 1, lists and objects are JSON texts, times are ms since the epoch.
 */
export interface Database {
  service: ServiceRow;
  filler: { id: 1; bytes: Buffer };
  auditEvents: AuditEventRow & { id: Generated<number> };
  adminTokens: AdminTokenRow;
  tenants: TenantRow;
  signingKeys: SigningKeyRow;
  clients: ClientRow;
  members: MemberRow;
  memberWords: MemberWordRow;
  formerAddresses: FormerAddressRow;
  sessions: Session;
  authorizationCodes: AuthorizationCode;
  signIns: SignIn;
  emailProofs: EmailProof;
  mails: MailRow;
  signInFailures: SignInFailureRow;
  knownBrowsers: KnownBrowserRow;
  deviceCodes: DeviceCode;
  wrongUserCodes: WrongUserCodeRow;
  scopeConsents: ScopeConsent;
  packages: PackageRow;
  products: { id: Generated<number>; tenantId: string; name: string };
  packageProducts: { packageId: number; productId: number };
  subscriptions: SubscriptionRow;
  customProperties: CustomProperty & { tenantId: string };
  contentChannels: { tenantId: string; id: string; name: string; description: string };
  channelProducts: { tenantId: string; channelId: string; productId: number };
  consents: ConsentRow;
  consentChanges: ConsentChange & { id: Generated<number> };
  checkouts: CheckoutRow;
  invoices: InvoiceRow;
}

export interface AuditEventRow extends Omit<AuditEvent, 'changes'> {
  /** JSON list. */
  changes: string | null;
}

export interface AdminTokenRow extends Omit<AdminToken, 'permissions'> {
  /** JSON list. */
  permissions: string;
}

export interface ServiceRow {
  id: 1;
  environment: 'development' | 'production';
  /** Proves that the master key is the one this file was made with, without telling it. */
  keyCheck: string;
  initialisedAt: number;
  /** SHA-256 of the one-time link that makes the first administrator. */
  setupHash: string | null;
  setupUsedAt: number | null;
  /** When the last member was erased (ms) of whom the file was cleaned. */
  cleanedUntil: number;
  /** Tokens that were issued before this moment (ms) are refused: when a backup was restored last. */
  tokensFrom: number;
}

export interface TenantRow
  extends Omit<Tenant, 'development' | 'limits' | 'returnOrigins' | 'languages' | 'revocationListed'> {
  development: number;
  revocationListed: number;
  /** JSON lists. */
  returnOrigins: string;
  languages: string;
  /** JSON of what the tenant sets for itself. */
  limits: string;
  /** The key of refresh tokens and forms, encrypted under the master key. */
  tokenKey: Buffer;
  createdAt: number;
}

export interface SigningKeyRow {
  kid: string;
  tenantId: string;
  algorithm: SigningAlgorithm;
  publicJwk: string;
  /** PKCS#8, encrypted under the master key. */
  privateKey: Buffer;
  createdAt: number;
  activeFrom: number;
  retiredAt: number | null;
}

type ClientLists = 'secrets' | 'redirectUris' | 'postLogoutRedirectUris' | 'webOrigins';
type ClientFlags = 'signupDisabled' | 'deviceFlow' | 'thirdParty' | 'claimsInIdToken';

export interface ClientRow
  extends Omit<Client, ClientLists | ClientFlags>,
    Record<ClientLists, string>,
    Record<ClientFlags, number> {
  createdAt: number;
}

export interface MemberRow extends Omit<Member, 'address' | 'emailVerified' | 'phoneVerified'> {
  normalisedEmail: string;
  /** Since when the member has the address; 0 where that is not known. */
  emailSince: number;
  passwordHash: string;
  /** What it takes to check: `hashWork`. */
  passwordWork: number;
  /** When the personal data of a deleted member were erased. */
  erasedAt: number | null;
  emailVerified: number;
  phoneVerified: number;
  addressLine1: string | null;
  addressCity: string | null;
  addressPostCode: string | null;
  addressPostOffice: string | null;
  addressCountry: string | null;
  addressName: string | null;
  addressEmail: string | null;
}

/** An address that a member had before, so that what belongs to it can be erased with the member. */
export interface FormerAddressRow {
  memberId: string;
  /** Normalised. */
  email: string;
  givenUpAt: number;
}

/** One word of a member's name, as it is searched. */
export interface MemberWordRow {
  tenantId: string;
  word: string;
  memberId: string;
}

/** A price and a period, in the columns of a row. */
interface OfferColumns {
  price: number;
  currency: string;
  periodUnit: Period['unit'];
  periodCount: number;
}

export interface PackageRow
  extends Omit<Package, 'id' | 'products' | 'price' | 'period' | 'needsAddress' | 'offered'>,
    OfferColumns {
  id: Generated<number>;
  needsAddress: number;
  offered: number;
}

export interface SubscriptionRow extends Omit<Subscription, 'subscriptionId' | 'customPropertyValues'> {
  id: number;
  customPropertyValues: string;
}

export interface ConsentRow extends Omit<Consent, 'atSignUp' | 'atCheckout'> {
  atSignUp: number;
  atCheckout: number;
}

export interface CheckoutRow extends Omit<Checkout, 'price' | 'period'>, OfferColumns {}

export interface InvoiceRow extends Omit<Invoice, 'price' | 'addressee'> {
  amount: number;
  currency: string;
  /** JSON of the address. */
  addressee: string;
}

export interface WrongUserCodeRow {
  tenantId: string;
  memberId: string;
  /** The address it was entered from: IPv4, or the /64 of IPv6. */
  address: string;
  /** Keyed hash of the code, and SHA-256 of the browser's cookie; empty where no code was entered. */
  userCodeHash: string;
  browserHash: string;
  enteredAt: number;
}

export interface MailRow {
  id: Generated<number>;
  tenantId: string;
  /** Which of our mails it is. */
  name: string;
  /** Hash of the address that it is to, while it waits. */
  recipientHash: string | null;
  /** JSON of recipient, subject and bodies, encrypted; null once it was sent or given up. */
  message: Buffer | null;
  state: 'waiting' | 'sent' | 'failed';
  attempts: number;
  nextAttemptAt: number;
  lastError: string | null;
  createdAt: number;
  sentAt: number | null;
}

export interface SignInFailureRow extends SignInFailures {
  tenantId: string;
  emailHash: string;
  /** How many of the failures are guesses that were counted and are not judged yet. */
  underWay: Generated<number>;
}

export interface KnownBrowserRow {
  memberId: string;
  /** SHA-256 of the browser's cookie. */
  browserHash: string;
  firstSeenAt: number;
  lastSeenAt: number;
}
