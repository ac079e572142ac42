// The tables that a service lives in, as they are copied from one engine to the other.
import type { RowOf, Table } from '../rows.ts';

/** All of them: `filler` holds bytes that mean nothing, and none for long. */
export type MovedTable = Exclude<Table, 'filler'>;

/**
 * Each with the columns in whose order its rows are read. A table comes after all that its rows refer to.
 * `selfReferences` has the exception.
 */
const orders: { readonly [T in MovedTable]: readonly (keyof RowOf<T> & string)[] } = {
  service: ['id'],
  remembered: ['id'],
  leases: ['name'],
  counters: ['key'],
  pollTimes: ['deviceCodeId'],
  usedIds: ['tenantId', 'purpose', 'hash'],
  callsOnce: ['id'],
  tenants: ['id'],
  figures: ['tenantId', 'unit', 'at', 'name'],
  rolledUp: ['what'],
  signingKeys: ['kid'],
  apis: ['tenantId', 'identifier'],
  clients: ['tenantId', 'clientId'],
  clientBans: ['tenantId', 'banned'],
  registrationTokens: ['id'],
  identityProviders: ['tenantId', 'key'],
  members: ['id'],
  memberWords: ['tenantId', 'word', 'memberId'],
  formerAddresses: ['memberId', 'email'],
  linkedAccounts: ['id'],
  knownBrowsers: ['memberId', 'browserHash'],
  secondFactors: ['memberId'],
  signInFailures: ['tenantId', 'emailHash'],
  slowedEntries: ['tenantId', 'memberId'],
  passkeys: ['id'],
  sessions: ['id'],
  signIns: ['id'],
  authorizationCodes: ['hash'],
  deviceCodes: ['id'],
  // They have no key of their own.
  wrongUserCodes: ['tenantId', 'enteredAt', 'memberId', 'address', 'userCodeHash', 'browserHash'],
  emailProofs: ['id'],
  mails: ['id'],
  logoutNotices: ['id'],
  scopeConsents: ['memberId', 'clientId'],
  pushedRequests: ['hash'],
  packages: ['id'],
  products: ['id'],
  packageProducts: ['packageId', 'productId'],
  customProperties: ['tenantId', 'key'],
  contentChannels: ['tenantId', 'id'],
  channelProducts: ['tenantId', 'channelId', 'productId'],
  subscriptions: ['id'],
  seatGroups: ['subscriptionId'],
  seatDomains: ['tenantId', 'domain', 'subscriptionId'],
  seatNetworks: ['tenantId', 'network', 'subscriptionId'],
  seats: ['id'],
  checkouts: ['id'],
  invoices: ['id'],
  consents: ['tenantId', 'id'],
  consentChanges: ['id'],
  imports: ['id'],
  importRefusals: ['importId', 'line'],
  importParts: ['importId', 'start'],
  oldSystems: ['tenantId'],
  movedAddresses: ['tenantId', 'addressHash'],
  adminTokens: ['id'],
  auditEvents: ['id'],
  events: ['seq'],
  eventNumbers: ['tenantId'],
  auditStreams: ['place'],
  webhookEndpoints: ['id'],
  webhookDeliveries: ['id'],
  webhookAttempts: ['id'],
};

export const movedTables = Object.keys(orders) as readonly MovedTable[];

/** What a new database holds before anything is copied into it: the row that processes count changes in. */
export const ofNewDatabase: MovedTable = 'remembered';

/** The column by which rows of a table refer to others of the same, and the one that they refer to. */
export const selfReferences: { readonly [T in MovedTable]?: { readonly from: string; readonly to: string } } =
  {
    tenants: { from: 'stageTenantId', to: 'id' },
  };

/** The rows of a table, in their order, as both engines understand it. */
export function queryOf(table: MovedTable, columns: readonly string[]): string {
  return `select ${listed(columns)} from "${table}" order by ${listed(orders[table])}`;
}

export const listed = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join();
