// An OIDC client as it is registered.
import type { ForeignAlgorithm } from './oidc/client/foreign-key.ts';
import type { AccessTokenAlgorithm, SigningAlgorithm } from './tenant.ts';

/** Whether a client may use an extension of the protocol, or must. */
export type ExtensionUse = 'off' | 'allowed' | 'required';

/** A live secret of a client. */
export interface ClientSecret {
  /** SHA-256 of it. */
  readonly hash: string;
  /** ms since the epoch */
  readonly createdAt: number;
}

/**
 * Who says what is known of a client: an operator, the client itself by dynamic registration (RFC 7591), or a document
 * at the address that is its client_id (draft-ietf-oauth-client-id-metadata-document). Only the first is verified.
 */
export type ClientOrigin = 'operator' | 'registered' | 'document';

/** An OIDC client as registered (contract, "OIDC client (configuration record)"). */
export interface Client {
  readonly tenantId: string;
  readonly clientId: string;
  readonly origin: ClientOrigin;
  /** Shown to members: on the sign-in page, on the approve page, in lists. Of an unverified client it is the host behind it. */
  readonly name: string;
  /** What an unverified client calls itself, which nothing proves; null where it says nothing, and of others. */
  readonly claimedName: string | null;
  /** A picture in a `data:` URI, shown beside the name. */
  readonly logo: string | null;
  readonly type: 'public' | 'confidential';
  /** The secrets that are live, oldest first; a public client has none. */
  readonly secrets: readonly ClientSecret[];
  /** How it proves who it is: by a secret, or by assertions that it signs (Core §9; interop 53). A public client does not. */
  readonly authenticationMethod: 'client_secret' | 'private_key_jwt';
  /** Its public keys, as the JSON of a JWKS; null where it has none, or publishes them itself. */
  readonly jwks: string | null;
  /** Where it publishes them; null where it does not. */
  readonly jwksUri: string | null;
  /** What its own signatures may be made by, such as those of its assertions. */
  readonly signingAlgorithms: readonly ForeignAlgorithm[];
  readonly redirectUris: readonly string[];
  /** Where logout goes; the first is the default (decision 36). */
  readonly postLogoutRedirectUris: readonly string[];
  /** Where it is told that a member signed out (Back-Channel Logout §2.2); null where it is not. */
  readonly backchannelLogoutUri: string | null;
  /** Origins whose scripts may read the token endpoint, UserInfo and the member API (security, CORS). */
  readonly webOrigins: readonly string[];
  /** "Disable signup": only existing accounts can sign in (contract 6). */
  readonly signupDisabled: boolean;
  readonly deviceFlow: boolean;
  /** A third party's client asks the member's consent (decision 14). */
  readonly thirdParty: boolean;
  /** Identifiers of the tenant's APIs that it may ask access tokens for (RFC 8707; interop 54). */
  readonly apis: readonly string[];
  /** Whether it gets access tokens in its own name (RFC 6749 §4.4; interop 60); only a confidential one can. */
  readonly clientCredentials: boolean;
  /** What it may ask for then: scopes of its APIs. */
  readonly serviceScopes: readonly string[];
  /** RS256 where an API of its own reads nothing else; the audience may ask for it too (decision 42). */
  readonly accessTokenAlgorithm: AccessTokenAlgorithm;
  /** Of PS256 and EdDSA a tenant has a key where a client asks for it (interop 57). */
  readonly idTokenAlgorithm: SigningAlgorithm;
  /** Whether the id_token repeats the claims of profile, email, phone and address (decision 26). */
  readonly claimsInIdToken: boolean;
  /** Whether it may ask for single claims and for an `acr` (Core §5.5; interop 55 and 67). */
  readonly claimsParameter: boolean;
  readonly accessTokenSeconds: number;
  /** ms without use after which the refresh token ends (decision 25). */
  readonly refreshTokenIdle: number;
  /** ms after which the sign-in ends however often it was used (decision 25). */
  readonly refreshTokenAbsolute: number;
  /** From when on it answers as if it were not there (ms); null while it is. */
  readonly disabledAt: number | null;
  /** ms in which a superseded refresh token gets the same answer again; 0 is never (decision 24). */
  readonly replayWindow: number;
  /** What it is held to as a whole: `fapi2` is the FAPI 2.0 Security Profile (interop 58). */
  readonly profile: 'none' | 'fapi2';
  /** Whether it may, or must, push its authorization requests (RFC 9126). */
  readonly pushedRequests: ExtensionUse;
  /** Whether it may, or must, sign its authorization requests (RFC 9101). */
  readonly requestObjects: ExtensionUse;
  /** Whether it may have the answers to its authorization requests signed (JARM). */
  readonly signedResponses: boolean;
  /** Whether it may ask what a token says, and whether it lives (RFC 7662; interop 52). */
  readonly introspection: boolean;
  /** How many live sign-ins a member has with it; one more ends the oldest. */
  readonly signInsPerMember: number;
  /** Whether its tokens are bound to a key of its own (RFC 9449; interop 49). */
  readonly dpop: ExtensionUse;
  /** Whether its proofs of that key must carry a nonce of ours (RFC 9449 §8; interop 59). */
  readonly dpopNonce: boolean;
}
