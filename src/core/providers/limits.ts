/** The numbers of other providers' accounts: each once, as in `core/limits.ts`. Times are ms. */
import { hour, minute } from '../limits.ts';

/** What a tenant may have, and what is read of it: all of a tenant's providers are remembered, and stand on its pages. */
export const providerLimits = {
  ofTenant: 50,
  issuer: 250,
  clientId: 250,
  /** An RSA key in PEM is the longest. */
  secret: 4_096,
  scope: 50,
  scopes: 20,
  last: 999,
} as const;

/** How long a member may be away at a provider, and how long an account that was proven there waits for ours. */
export const awayLifetime = 10 * minute;
export const pendingAccountLifetime = 10 * minute;

/** `sub` has at most 255 characters (Core §2). */
export const subjectLength = 255;

/** Accounts of others that one member may have: more than there are providers that a member uses. */
export const accountsOfMember = 20;

/**
 * What a provider says of itself is read anew after this time; `most` are remembered, of answers of so many characters.
 */
export const providerDocuments = { life: hour, most: 200, length: 64 * 1_024 } as const;

/** An id_token has just been made when it comes: clocks may differ by as much. */
export const idTokenAge = 10 * minute;

/** A client secret that is signed anew for each call, as Apple takes it (Apple: at most six months). */
export const signedSecretSeconds = 300;

/** Tokens of a provider that are kept, together: longer ones are not. */
export const keptTokensLength = 32 * 1_024;
