import type { Facts } from './call.ts';

/** What the portal knows of a noun beyond its operations. */
export interface Noun {
  /** The heading of its list, where it is not the noun itself. */
  readonly title?: string;
  /** The columns of its list. */
  readonly columns: readonly string[];
  /** What the list is for, in one sentence. */
  readonly lead: string;
}

const eventColumns = [
  'at',
  'event',
  'actorKind',
  'actorId',
  'target',
  'clientId',
  'result',
  'reason',
  'changes',
];
const tokenColumns = ['name', 'permissions', 'createdAt', 'expiresAt', 'revokedAt'];

/** A noun that is not here has a list all the same: with the first columns that fit. */
export const nouns: Readonly<Record<string, Noun>> = {
  tenants: {
    columns: ['host', 'name', 'stageTenant', 'disabledAt'],
    lead: 'Each tenant is an issuer on a domain of its own, with members and clients of its own.',
  },
  clients: {
    columns: ['clientId', 'name', 'type', 'deviceFlow', 'disabledAt'],
    lead: 'The apps, web sites and TVs that members sign in to.',
  },
  signIns: {
    columns: ['clientId', 'label', 'deviceName', 'deviceModel', 'ipAddress', 'lastUsedAt'],
    lead: 'The TVs and apps that can use the account of a member, the newest first.',
  },
  sessions: {
    columns: ['kind', 'userAgent', 'ipAddress', 'createdAt', 'lastUsedAt'],
    lead: 'The browsers that a member is signed in with, the newest first.',
  },
  keys: {
    columns: ['kid', 'algorithm', 'state', 'activeFrom'],
    lead: 'What signs tokens. Keys are rotated by themselves; a new one is published a day before it signs.',
  },
  members: {
    columns: ['email', 'fullName', 'memberNumber', 'userType', 'status'],
    lead: 'Who can sign in here.',
  },
  packages: {
    columns: ['name', 'price', 'period', 'payment', 'offered'],
    lead: 'What members subscribe to.',
  },
  products: { columns: ['id', 'name'], lead: 'What packages are made of.' },
  channels: {
    columns: ['id', 'name', 'description'],
    lead: 'What members get to see; each is opened by products.',
  },
  consents: {
    columns: ['id', 'name', 'atSignUp', 'atCheckout', 'retiredAt'],
    lead: 'What members are asked to agree to.',
  },
  consentAnswers: {
    title: 'Consent answers',
    columns: ['changedAt', 'email', 'memberId', 'consentId', 'status', 'holds', 'name', 'source'],
    lead: 'Who agreed to what and who took it back, with the words of that day, newest first.',
  },
  properties: {
    columns: ['key', 'type'],
    lead: 'The keys that subscriptions have of your own.',
  },
  checkouts: {
    columns: [],
    lead: 'What members ordered, and what came of it.',
  },
  invoices: {
    columns: ['number', 'memberId', 'packageName', 'price', 'dueAt', 'paidAt'],
    lead: 'What members owe and have paid.',
  },
  tokens: {
    title: 'API tokens',
    columns: tokenColumns,
    lead: 'Bearer tokens of the admin API. A secret is shown once, when its token is made.',
  },
  audit: {
    columns: eventColumns,
    lead: 'Everything worth knowing afterwards, newest first.',
  },
  serviceAudit: {
    title: 'Audit of everything',
    columns: eventColumns,
    lead: 'Everything worth knowing afterwards, on every tenant and of the service itself, newest first.',
  },
  serviceTokens: {
    title: 'API tokens for all',
    columns: tokenColumns,
    lead: 'Bearer tokens of the admin API that reach every tenant.',
  },
};

/** The columns of the lists on a page of one thing. */
export const sectionColumns: Readonly<Record<string, readonly string[]>> = {
  changes: ['tenant', 'noun', 'name', 'change', 'fields', 'note'],
  events: ['at', 'event', 'actorKind', 'clientId', 'address', 'result', 'reason', 'changes'],
  limits: ['limit', 'counted', 'allowed', 'lockedUntil'],
  sessions: ['kind', 'userAgent', 'ipAddress', 'createdAt', 'lastUsedAt'],
  signIns: ['clientId', 'label', 'deviceName', 'deviceModel', 'ipAddress', 'lastUsedAt'],
  subscriptions: ['subscriptionId', 'packageName', 'state', 'activatedAt', 'expiresAt'],
};

/** Verbs that end something for good, or for those who are in the middle of it: they are asked twice. */
const ending = /^(?:disable|retire|delete|remove|revoke|end|cancel|signOut|unregister|emergency)/;

export const isEnding = (verb: string) => ending.test(verb);

/** Whether it makes sense to do something to a thing as it is: what is off cannot be turned off. */
export function isFitting(verb: string, shown: Facts): boolean {
  const { disabledAt, revokedAt, retiredAt, paidAt, status, limits } = shown;
  const isOff = typeof disabledAt === 'string' || status === 'disabled';
  if (verb === 'disable' || verb.startsWith('send')) return !isOff;
  if (verb === 'enable') return isOff;
  if (verb === 'markPaid') return typeof paidAt !== 'string';
  if (verb === 'unlock') return isLocked({ limits });
  if (verb === 'revoke') return typeof revokedAt !== 'string';
  return verb !== 'retire' || typeof retiredAt !== 'string';
}

/** Whether a limit keeps a member out. */
export const isLocked = ({ limits }: Facts) =>
  Array.isArray(limits) && limits.some((limit: Facts) => typeof limit.lockedUntil === 'string');

/** Values that make of something harmless something that ends things: they are asked twice too. */
export const graveValues: Readonly<Record<string, readonly unknown[]>> = {
  change: ['cancel', 'end'],
  emergency: [true],
  force: [true],
  prune: [true],
};

/** Where what came of an operation is shown, where that is not a page of its own noun. */
export const landings: Readonly<Record<string, string>> = {
  serviceTenantFiles: 'tenants.list',
  subscriptions: 'members.read',
};

/** The noun that has no pages of its own, and whose forms and files stand on a page of another. */
export const companions: Readonly<Record<string, string>> = {
  'tenants.list': 'serviceTenantFiles',
  'tenants.read': 'tenantFiles',
};

/** Where a field finds what is there now, if that bears another name. */
export const presentNames: Readonly<Record<string, string>> = {
  enabled: 'deviceFlow',
  productIds: 'products',
  values: 'customPropertyValues',
};

/** Where the choices of a field come from: a list, and what of each entry is sent and shown. */
export const offered: Readonly<Record<string, { list: string; value: string; label: string }>> = {
  packageId: { list: 'packages.list', value: 'id', label: 'name' },
  productId: { list: 'products.list', value: 'id', label: 'name' },
  productIds: { list: 'products.list', value: 'id', label: 'name' },
  stageTenant: { list: 'tenants.list', value: 'host', label: 'name' },
};
