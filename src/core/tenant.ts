// A tenant: one issuer on one domain.
import type { TenantLimits } from './limits.ts';

/** The algorithms we sign with: each for access tokens and id_tokens, as a client asks (decisions 26 and 42). */
export type SigningAlgorithm = 'ES256' | 'RS256';

/** A tenant: one issuer on one domain (contract 1). */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  /** The issuer: scheme and authority, no trailing slash (decision 4). */
  readonly issuer: string;
  /** What the Host header must say, lower case, with a port that is not the scheme's own (decision 1). */
  readonly host: string;
  /** The colour of buttons and links, `#rrggbb`; what pages make of it is in `branding.ts`. */
  readonly brandColor: string;
  /** A picture in a `data:` URI, shown beside the name. */
  readonly logo: string | null;
  /** Development tenants show more on error pages and are never part of a production start. */
  readonly development: boolean;
  readonly limits: TenantLimits;
  /** The languages of its pages and mails, as tags; empty is all of ours. */
  readonly languages: readonly string[];
  /** New passwords have at least so many code points (security, Defaults). */
  readonly passwordLength: number;
  /** Whether discovery lists the revocation address without the device flow too (decision 44). */
  readonly revocationListed: boolean;
  /** The tenant on which things are tried first; null where there is none. */
  readonly stageTenantId: string | null;
  /** From when on it answers as if it were not there (ms); null while it is. */
  readonly disabledAt: number | null;
  /** Where a checkout may lead back to, such as `https://www.example.com` (decision 40). */
  readonly returnOrigins: readonly string[];
}
