// A tenant: one issuer on one domain.
import { type Invoicing, invoicingDefaults } from './access/invoicing.ts';
import { trustedBrowserDays } from './members/limits.ts';
import { isHostName } from './oidc/client/redirect-uri.ts';
import type { TenantLimits } from './tenant-limits.ts';

/** What access tokens are signed with (decision 42). Every tenant has a key of each. */
export type AccessTokenAlgorithm = 'ES256' | 'RS256';

/**
 * The algorithms we sign with (RFC 7518 §3.1, RFC 8037 §3.1): id_tokens with each of them, as a client asks (decision
 * 26, interop 57). EdDSA is Ed25519. A key is of one algorithm: that of PS256 is another RSA key than that of RS256.
 */
export type SigningAlgorithm = AccessTokenAlgorithm | 'PS256' | 'EdDSA';

/** How round fields, buttons and cards are. */
export const cornerNames = ['sharp', 'soft', 'round'] as const;
export type Corners = (typeof cornerNames)[number];

/** What pages are written in: fonts that are there already, since none is loaded (pages 2). */
export const fontNames = ['system', 'humanist', 'rounded', 'serif'] as const;
export type Font = (typeof fontNames)[number];

/** Whether members sign in with a code by mail: not at all, beside the password, or instead of it. */
export const emailCodeNames = ['off', 'beside', 'instead'] as const;
export type EmailCodes = (typeof emailCodeNames)[number];

/** Whether members are asked for a second factor: never, those who have turned it on, or all. */
export const secondFactorPolicies = ['off', 'optional', 'required'] as const;
export type SecondFactorPolicy = (typeof secondFactorPolicies)[number];

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
  /** What a browser shows on the tab, likewise; null is the logo, or the letter of the name. */
  readonly favicon: string | null;
  /** What stands beside the way in on a wide screen: a sentence, and a picture behind it. */
  readonly coverText: string | null;
  readonly coverPicture: string | null;
  readonly corners: Corners;
  readonly font: Font;
  /** Where members get help: an email address, or the address of a page. */
  readonly supportAddress: string | null;
  /** Pages of the tenant that ours link to (pages 23). */
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  /** Development tenants show more on error pages and are never part of a production start. */
  readonly development: boolean;
  readonly limits: TenantLimits;
  /** The languages of its pages and mails, as tags; empty is all of ours. */
  readonly languages: readonly string[];
  /** New passwords have at least so many code points (security, Defaults). */
  readonly passwordLength: number;
  /** Whether members may have passkeys and sign in with them (decision 46). */
  readonly passkeys: 'off' | 'on';
  /** Whether members may sign in with a code by mail, and whether there is a password beside it (decision 46). */
  readonly emailCodes: EmailCodes;
  /** The old system that is asked for members who sign in here for the first time; null where none is (decision 55). */
  readonly oldSystemUrl: string | null;
  /** Whether members are asked for a second factor, and administrators; and for how long a browser that is trusted is not (days). */
  readonly secondFactor: SecondFactorPolicy;
  readonly adminSecondFactor: Exclude<SecondFactorPolicy, 'off'>;
  readonly trustedBrowserDays: number;
  /** Whether a member proves once more who she is before she approves a TV. */
  readonly deviceFactor: 'off' | 'fresh';
  /** Whether discovery lists the revocation address without the device flow too (decision 44). */
  readonly revocationListed: boolean;
  /** The tenant on which things are tried first; null where there is none. */
  readonly stageTenantId: string | null;
  /** From when on it answers as if it were not there (ms); null while it is. */
  readonly disabledAt: number | null;
  /** Where a checkout may lead back to, such as `https://www.example.com` (decision 40). */
  readonly returnOrigins: readonly string[];
  /** How its invoices are paid. */
  readonly invoicing: Invoicing;
  /** Whether clients may register themselves (RFC 7591; decision 50): never, with an initial access token, or at will. */
  readonly clientRegistration: 'off' | 'token' | 'open';
  /** Whether the address of a document may be a client_id (decision 50): never, on listed hosts, or on any. */
  readonly clientMetadataDocuments: 'off' | 'listed' | 'any';
  /** Those hosts, lower case, with a port that is not the scheme's own. */
  readonly clientMetadataHosts: readonly string[];
  /** Whether unverified clients may have offline_access (decision 50). */
  readonly unverifiedOfflineAccess: boolean;
}

/** What a tenant has before it sets anything for its pages. */
export const tenantDefaults = {
  languages: [],
  passwordLength: 12,
  passkeys: 'on',
  emailCodes: 'off',
  oldSystemUrl: null,
  secondFactor: 'optional',
  adminSecondFactor: 'required',
  trustedBrowserDays: trustedBrowserDays.default,
  deviceFactor: 'off',
  revocationListed: false,
  stageTenantId: null,
  disabledAt: null,
  invoicing: invoicingDefaults,
  clientRegistration: 'off',
  clientMetadataDocuments: 'off',
  clientMetadataHosts: [],
  unverifiedOfflineAccess: false,
} as const;

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the public address of a tenant: `https` and a host, without a path (decision 4). `http` is for
 * loopback alone. The slash and the dot behind the host that people write are left out: `example.com.` is the same
 * host (RFC 1034 §3.1), and would be a second tenant on it (F19).
 *
 * @returns the issuer and the Host that requests for it carry, or null
 */
export function readIssuer(text: string): Pick<Tenant, 'issuer' | 'host'> | null {
  if (!URL.canParse(text.trim())) return null;
  const url = new URL(text.trim());
  url.hostname = url.hostname.replace(/(?<!\.)\.$/, '');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback.test(url.hostname))) return null;
  if (!isHostName(url.hostname)) return null;
  // An origin alone: whatever else there is would stand behind it.
  return url.href === `${url.origin}/` ? { issuer: url.origin, host: url.host } : null;
}
