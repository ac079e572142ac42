/** The numbers of clients that no operator registered (decision 50). Times are ms unless the name says otherwise. */
import { day, minute } from '../limits.ts';

/** A sign-in of an unverified client lasts no longer, and one that is not used for so long is forgotten (decision 50). */
export const unverifiedClientLife = 30 * day;

/** Unverified clients of a tenant that no member has used: one more takes the place of the oldest. */
export const unusedClients = 1_000;

/** That oldest one gives its place up after this long: a member may be about to use a younger one. */
export const unusedClientGrace = day / 24;

/** A client_id that is an address: what fits into an address of ours when it is percent-encoded. */
export const clientAddressLength = 255;

/** An initial access token registers at most so many clients, and works for a day unless it says otherwise. */
export const registrationToken = { mostUses: 10_000, life: day } as const;

/** Redirect URIs of a client that registers itself, or of a document. */
export const registeredRedirectUris = 20;

/** What a registration may bring: 64 KiB, for keys and the metadata of others (RFC 7591 §3.1). */
export const registrationBytes = 64 * 1_024;

/** A client that no member has used for so long is forgotten (interop 63). */
export const unusedClientMemory = 30 * day;

/** A document is kept as long as its headers say, within these bounds (interop 62). */
export const documentLife = { least: 5 * minute, longest: day } as const;

/** A document may have so many characters; few are needed. */
export const documentLength = 64 * 1_024;

/** An address that had no document for us is not asked again so soon; so many are remembered. */
export const failedDocument = { pause: minute, most: 10_000 } as const;

/**
 * Documents that are asked for in a minute: for one address of a sender, of one host, and of one tenant. A sender must not
 * make us flood another host, nor use up what others need.
 */
export const documentsPerMinute = { address: 20, host: 10, tenant: 120 } as const;
