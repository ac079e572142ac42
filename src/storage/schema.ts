// The rows as they are stored; the folders beside this have those of their nouns.
import type { Generated } from 'kysely';
import type { ConsentChange } from '../core/access/consent.ts';
import type { CustomProperty } from '../core/access/custom-property.ts';
import type { AuthorizationCode } from '../core/grants/authorization-code.ts';
import type { DeviceCode } from '../core/grants/device-code.ts';
import type { SignIn } from '../core/grants/sign-in.ts';
import type { EmailProof } from '../core/members/email-proof.ts';
import type { Member } from '../core/members/member.ts';
import type { SignInFailures } from '../core/members/member-limits.ts';
import type { Passkey } from '../core/members/passkey.ts';
import type { SecondFactor } from '../core/members/second-factor.ts';
import type { PushedRequest } from '../core/oidc/request/pushed-request.ts';
import type { ScopeConsent } from '../core/oidc/scope-consent.ts';
import type { AdminToken } from '../core/operators/admin-token.ts';
import type { AuditEvent } from '../core/operators/audit-event.ts';
import type { Session } from '../core/session.ts';
import type { SignInWay } from '../core/strength.ts';
import type { SigningAlgorithm, Tenant } from '../core/tenant.ts';
import type { CheckoutRow, ConsentRow, InvoiceRow, PackageRow, SubscriptionRow } from './access/schema.ts';
import type {
  ApiRow,
  ClientBanRow,
  ClientRow,
  LogoutNoticeRow,
  RegistrationTokenRow,
} from './clients/schema.ts';
import type { IdentityProviderRow, LinkedAccountRow } from './providers/schema.ts';
import type { Stored } from './stored.ts';

/**
 * The rows as they are stored. Columns bear the names of the core's records, so most rows are records;
 * booleans are 0 and 1, lists and objects are JSON texts, times are ms since the epoch.
 */
export interface Database {
  service: ServiceRow;
  /** Goes up when something changes that processes remember. */
  remembered: { id: 1; version: number; bannedUntil: Generated<number> };
  counters: CounterRow;
  /** When pending device codes were polled last (ms), as the processes tell one another once in a while. */
  pollTimes: { deviceCodeId: string; polledAt: number };
  slowedEntries: SlowedEntryRow;
  usedIds: UsedIdRow;
  figures: FigureRow;
  /** How far figures are rolled up: the last event that is counted, and when levels were taken last (ms). */
  rolledUp: { what: 'events' | 'levels'; until: number };
  leases: LeaseRow;
  filler: { id: 1; bytes: Buffer };
  auditEvents: AuditEventRow & { id: Generated<number> };
  adminTokens: AdminTokenRow;
  tenants: TenantRow;
  signingKeys: SigningKeyRow;
  clients: ClientRow;
  clientBans: ClientBanRow;
  registrationTokens: RegistrationTokenRow;
  identityProviders: IdentityProviderRow;
  members: MemberRow;
  /** The words of members' names, as they are searched. */
  memberWords: { tenantId: string; word: string; memberId: string };
  formerAddresses: FormerAddressRow;
  passkeys: PasskeyRow;
  linkedAccounts: LinkedAccountRow;
  sessions: Session;
  authorizationCodes: AuthorizationCode;
  signIns: SignIn;
  emailProofs: EmailProof;
  mails: MailRow;
  logoutNotices: LogoutNoticeRow;
  signInFailures: SignInFailureRow;
  knownBrowsers: KnownBrowserRow;
  secondFactors: SecondFactorRow;
  deviceCodes: DeviceCode;
  wrongUserCodes: WrongUserCodeRow;
  scopeConsents: ScopeConsent;
  pushedRequests: PushedRequest;
  apis: ApiRow;
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

/** The changes are a JSON list; what an event leaves out is null. */
export type AuditEventRow = Omit<AuditEvent, LeftOut> &
  Record<Exclude<LeftOut, 'way'>, string | null> & { way: SignInWay | null };

type LeftOut = 'changes' | 'operation' | 'reference' | 'browser' | 'memberId' | 'way';

/** The scopes are a JSON object. */
export type AdminTokenRow = Stored<AdminToken, 'permissions'>;

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

/** How often something happened, for all processes of a database. */
export interface CounterRow {
  /** SHA-256 of what is counted, such as an address, and how long its window is. */
  key: string;
  count: number;
  /** When its window is over (ms): then it says nothing any more. */
  endsAt: number;
}

/** The place of a slowed entry of a user code, among those of all processes; a member has one. */
export interface SlowedEntryRow {
  tenantId: string;
  memberId: string;
  /** As addresses and networks are counted. */
  address: string;
  network: string;
  /** Whether it waits in the line of browsers that their members have used for long. */
  isKnown: number;
  /** Whether its code was right: such an entry is waited for by none. */
  isRight: number;
  /** When its turn is over (ms), and its place free. */
  overAt: number;
}

/** An id that may be used once, and was: it is refused until what bears it has expired. */
export interface UsedIdRow {
  tenantId: string;
  /**
   * What bears it, as its `jti` or its challenge: one of each kind may have the same (RFC 7523 §3, RFC 9449 §11.1, RFC
   * 9101 §10.2).
   */
  purpose: 'client assertion' | 'DPoP proof' | 'invoice reminder' | 'passkey' | 'request object' | 'way back';
  /** SHA-256 of the id and of who made it. */
  hash: string;
  /** ms */
  expiresAt: number;
}

/** What a figure of a tenant came to in an hour or a day of UTC. */
export interface FigureRow {
  tenantId: string;
  unit: 'hour' | 'day';
  /** When it began (ms). */
  at: number;
  /** `FigureName`; behind one of money stands its currency. */
  name: string;
  value: number;
}

/** Work that one of several processes does at a time. */
export interface LeaseRow {
  /** Of the work. */
  name: string;
  /** Names the process that does it, or did it last. */
  holder: string;
  /** Before this moment (ms) no other process does it. */
  until: number;
}

type StoredTenant = Stored<
  Tenant,
  'limits' | 'invoicing' | 'returnOrigins' | 'languages' | 'clientMetadataHosts',
  'development' | 'revocationListed' | 'unverifiedOfflineAccess'
>;

export interface TenantRow extends StoredTenant {
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

export interface MemberRow extends Stored<Omit<Member, 'address'>, never, 'emailVerified' | 'phoneVerified'> {
  normalisedEmail: string;
  /** Since when the member has the address; 0 where that is not known. */
  emailSince: number;
  passwordHash: string;
  /** What it takes to check: `hashWork`. */
  passwordWork: number;
  /** When it was chosen: 0 where that is not known, null where it was never chosen. */
  passwordSince: number | null;
  /** When the personal data of a deleted member were erased. */
  erasedAt: number | null;
  addressLine1: string | null;
  addressCity: string | null;
  addressPostCode: string | null;
  addressPostOffice: string | null;
  addressCountry: string | null;
  addressName: string | null;
  addressEmail: string | null;
}

export type PasskeyRow = Stored<Passkey, never, 'isSynced' | 'isBackedUp'>;

/** An address that a member had before, so that what belongs to it can be erased with the member. */
export interface FormerAddressRow {
  memberId: string;
  /** Normalised. */
  email: string;
  givenUpAt: number;
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
  /** The member that it is to; null where the address has no account, and of mails from before this was kept. */
  memberId: string | null;
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

/** The hashes are a JSON list. */
export type SecondFactorRow = Stored<SecondFactor, 'recoveryHashes'>;

export interface KnownBrowserRow {
  memberId: string;
  /** SHA-256 of the browser's cookie. */
  browserHash: string;
  firstSeenAt: number;
  lastSeenAt: number;
  /** Until when it is trusted without the member's second factor (ms); null where it is not. */
  trustedUntil: number | null;
}
