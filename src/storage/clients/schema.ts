// The rows of clients, and of what belongs to them.
import type { Generated } from 'kysely';
import type { Client } from '../../core/client.ts';
import type { Api } from '../../core/oidc/api.ts';
import type { LogoutNotice } from '../../core/oidc/logout-notice.ts';
import type { Stored } from '../stored.ts';

export type ApiRow = Stored<Api, 'scopes', 'unverifiedClients'>;

export type StoredClient = Stored<
  Client,
  | 'secrets'
  | 'signingAlgorithms'
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'webOrigins'
  | 'apis'
  | 'serviceScopes',
  | 'signupDisabled'
  | 'deviceFlow'
  | 'thirdParty'
  | 'claimsInIdToken'
  | 'claimsParameter'
  | 'signedResponses'
  | 'introspection'
  | 'dpopNonce'
  | 'clientCredentials'
>;

export interface ClientRow extends StoredClient {
  createdAt: number;
  /** When an unverified client last got an authorization code (ms); null where it never did, and of others. */
  lastUsedAt: number | null;
  /** SHA-256 of the token with which a client changes its own registration (RFC 7592). */
  registrationTokenHash: string | null;
  /** Until when the document of a client need not be read again (ms). */
  freshUntil: number | null;
}

/** A host or a client_id that may not come back as an unverified client. */
export interface ClientBanRow {
  tenantId: string;
  banned: string;
  bannedAt: number;
}

/** An initial access token (RFC 7591 §3). */
export interface RegistrationTokenRow {
  id: string;
  tenantId: string;
  name: string;
  secretHash: string;
  /** How many registrations it allows yet. */
  usesLeft: number;
  createdAt: number;
  expiresAt: number;
}

export interface LogoutNoticeRow extends Omit<LogoutNotice, 'id'> {
  id: Generated<number>;
  state: 'waiting' | 'delivered' | 'given_up';
  nextAttemptAt: number;
  /** The status of the last answer, or why there was none. */
  lastResult: string | null;
  doneAt: number | null;
}
