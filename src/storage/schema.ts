// The rows as they are stored; the folders beside this have those of their nouns.
import type { Generated } from 'kysely';
import type { ConsentChange } from '../core/access/consent.ts';
import type { CustomProperty } from '../core/access/custom-property.ts';
import type { Seat } from '../core/access/seats/seat.ts';
import type { AuthorizationCode } from '../core/grants/authorization-code.ts';
import type { DeviceCode } from '../core/grants/device-code.ts';
import type { SignIn } from '../core/grants/sign-in.ts';
import type { EmailProof } from '../core/members/email-proof.ts';
import type { PushedRequest } from '../core/oidc/request/pushed-request.ts';
import type { ScopeConsent } from '../core/oidc/scope-consent.ts';
import type { Session } from '../core/session.ts';
import type { SigningAlgorithm, Tenant } from '../core/tenant.ts';
import type {
  CheckoutRow,
  ConsentRow,
  InvoiceRow,
  PackageRow,
  SeatDomainRow,
  SeatGroupRow,
  SeatNetworkRow,
  SubscriptionRow,
} from './access/schema.ts';
import type {
  ApiRow,
  ClientBanRow,
  ClientRow,
  LogoutNoticeRow,
  RegistrationTokenRow,
} from './clients/schema.ts';
import type { EventRow, WebhookAttemptRow, WebhookDeliveryRow, WebhookEndpointRow } from './events/schema.ts';
import type {
  ImportPartRow,
  ImportRefusalRow,
  ImportRow,
  MovedAddressRow,
  OldSystemRow,
} from './imports/schema.ts';
import type {
  FormerAddressRow,
  KnownBrowserRow,
  MailRow,
  MemberRow,
  PasskeyRow,
  SecondFactorRow,
  SignInFailureRow,
  WrongUserCodeRow,
} from './members/schema.ts';
import type { AdminTokenRow, AuditEventRow, CallOnceRow, FigureRow, LeaseRow } from './operators/schema.ts';
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
  callsOnce: CallOnceRow;
  figures: FigureRow;
  /** How far figures are rolled up: the last event that is counted, and when levels were taken last (ms). */
  rolledUp: { what: 'events' | 'levels'; until: number };
  leases: LeaseRow;
  filler: { id: 1; bytes: Buffer };
  auditEvents: AuditEventRow & { id: Generated<number> };
  events: EventRow;
  /** The last number that an event of a tenant has. */
  eventNumbers: { tenantId: string; last: number };
  /** The last event of the audit that was streamed to a place, by its SHA-256. */
  auditStreams: { place: string; until: number };
  webhookEndpoints: WebhookEndpointRow;
  webhookDeliveries: WebhookDeliveryRow;
  webhookAttempts: WebhookAttemptRow;
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
  seatGroups: SeatGroupRow;
  seatDomains: SeatDomainRow;
  seatNetworks: SeatNetworkRow;
  seats: Seat;
  customProperties: CustomProperty & { tenantId: string };
  contentChannels: { tenantId: string; id: string; name: string; description: string };
  channelProducts: { tenantId: string; channelId: string; productId: number };
  consents: ConsentRow;
  consentChanges: ConsentChange & { id: Generated<number> };
  checkouts: CheckoutRow;
  invoices: InvoiceRow;
  imports: ImportRow;
  importParts: ImportPartRow;
  oldSystems: OldSystemRow;
  movedAddresses: MovedAddressRow;
  importRefusals: ImportRefusalRow;
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
  /** Until when (ms) the file is clean: no data of members who were erased by then are left in it. */
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
  /** SHA-256 of the id and its maker. */
  hash: string;
  /** ms */
  expiresAt: number;
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
