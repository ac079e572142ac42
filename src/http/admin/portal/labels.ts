/** What operations and their fields are called on the pages of the portal. */
import { nameOf, type Operation } from '../../../operations/admin/operation.ts';

/** Words that are not written as other words are. */
const spelled: Readonly<Record<string, string>> = {
  api: 'API',
  apis: 'APIs',
  id: 'ID',
  ids: 'IDs',
  ip: 'IP',
  jwks: 'JWKS',
  kid: 'key ID',
  uri: 'URI',
  uris: 'URIs',
};

/** What is read otherwise than it is written. */
const labels: Readonly<Record<string, string>> = {
  accessTokenSeconds: 'Access token lifetime (seconds)',
  actorId: 'Who',
  actorKind: 'Kind',
  at: 'When',
  atCheckout: 'At checkout',
  atSignUp: 'At sign-up',
  backchannelLogoutUri: 'Back-channel logout URI',
  brandColor: 'Colour',
  claimsParameter: 'Single claims by request',
  clientMetadataDocuments: 'Documents as clients',
  clientMetadataHosts: 'Hosts of documents',
  deletionCoolingOffSeconds: 'Cooling-off of deletions (seconds)',
  deletionDueAt: 'To be deleted',
  deviceRequestsPerAddressAndHour: 'Device requests, address and hour',
  deviceRequestsPerAddressAndMinute: 'Device requests, address and minute',
  deviceRequestsPerClientAndMinute: 'Device requests, client and minute',
  dpop: 'Tokens bound to a key (DPoP)',
  dpopNonce: 'DPoP proofs carry a nonce',
  email: 'E-mail',
  emailVerified: 'E-mail proven',
  events: 'What happened last',
  failedClientAuthenticationsPerAddressAndMinute: 'Failed client authentications, address and minute',
  failedGrantsPerClientAddressAndMinute: 'Failed grants, client, address and minute',
  failedSignInsPerAccount: 'Failed sign-ins, account',
  failedSignInsPerAddressAndMinute: 'Failed sign-ins, address and minute',
  line1: 'Line 1',
  needsAddress: 'Needs a postal address',
  offered: 'On offer',
  passwordLength: 'Shortest password',
  phoneVerified: 'Phone proven',
  postLogoutRedirectUris: 'Post-logout redirect URIs',
  productIds: 'Products',
  refusals: 'Last refused requests',
  recoveriesPerAddressAndHour: 'Forgotten passwords, address and hour',
  refreshTokenAbsoluteSeconds: 'Sign-in lifetime, at most (seconds)',
  refreshTokenIdleSeconds: 'Sign-in lifetime, unused (seconds)',
  registrationsPerAddressAndHour: 'Registrations, address and hour',
  registrationsPerHour: 'Registrations, hour',
  requestsPerUnverifiedClientAddressAndMinute: 'Requests, unverified client, address and minute',
  replayWindowSeconds: 'Replay window (seconds)',
  revocationListed: 'Revocation in discovery without the device flow',
  sessions: 'Browsers',
  signInId: 'Sign-in',
  signIns: 'TVs and apps',
  signInsPerMember: 'Sign-ins of a member, at most',
  signUpsPerAddressAndDay: 'Sign-ups, address and day',
  signUpsPerAddressAndHour: 'Sign-ups, address and hour',
  signupDisabled: 'Disable signup',
  unverifiedOfflineAccess: 'Offline access of unverified clients',
  wrongUserCodesPerAddress: 'Wrong user codes, address and 15 minutes',
  wrongUserCodesPerMember: 'Wrong user codes, member and 15 minutes',
};

/** The name of a field or a verb as people read it: `redirectUris` are "Redirect URIs". */
export function labelOf(name: string): string {
  const known = labels[name];
  if (known !== undefined) return known;
  const words = name
    .replace(/At$/, '')
    .replace(/Seconds$/, ' (seconds)')
    .split(/(?=[A-Z])|[._\s]+/)
    .map((word) => spelled[word.toLowerCase()] ?? word.toLowerCase())
    .join(' ')
    .trim();
  return capital(words);
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** One of many: `properties` are each a `property`. */
export function singular(noun: string): string {
  const words = labelOf(noun.replace(/^service(?=[A-Z])/, '')).toLowerCase();
  return words.endsWith('ies') ? `${words.slice(0, -3)}y` : words.replace(/s$/, '');
}

/**
 * What a button that leads to an operation says; beside a list its noun need not be repeated.
 *
 * @param isThere whether it leads to something that is there already
 */
export function buttonOf(operation: Operation, isThere = false): string {
  const { noun, verb } = nameOf(operation);
  if (operation.portal?.label !== undefined) return operation.portal.label;
  if (isNew(verb, isThere)) return `New ${singular(noun)}`;
  return labelOf(verb === 'define' ? 'change' : verb);
}

/** Whether a verb makes something: what is defined once more is changed. */
const isNew = (verb: string, isThere: boolean) => verb === 'create' || (verb === 'define' && !isThere);

/** What the button that sends an operation's form says. */
export function submitOf(operation: Operation): string {
  const { noun, verb } = nameOf(operation);
  if (verb === 'create') return `Create ${singular(noun)}`;
  return verb === 'define' || verb === 'change' ? 'Save' : titleOf(operation);
}

/** The heading of an operation's form. @param isThere whether what it is about is there already */
export function titleOf(operation: Operation, isThere = false): string {
  const { noun, verb } = nameOf(operation);
  const words = buttonOf(operation, isThere);
  if (operation.portal?.label !== undefined || isNew(verb, isThere)) return words;
  // "Change client", but "Sign out everywhere".
  return /[A-Z]/.test(verb) ? words : `${words} ${singular(noun)}`;
}

/** What a page says after an operation, such as "Client created." */
export function doneText(operation: Operation): string {
  const { noun, verb } = nameOf(operation);
  const done = participles[verb];
  const text = done === undefined ? `${buttonOf(operation)}: done.` : `${singular(noun)} ${done}.`;
  return operation.portal?.done ?? capital(text);
}

const participles: Readonly<Record<string, string>> = {
  change: 'changed',
  create: 'created',
  define: 'saved',
  delete: 'deleted',
  disable: 'disabled',
  enable: 'enabled',
  markPaid: 'marked as paid',
  retire: 'retired',
  revoke: 'revoked',
  rotate: 'rotated',
  unlock: 'unlocked',
};
