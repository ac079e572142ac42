// What a grant issues: the claims of access tokens and id_tokens.
import type { Client } from '../client.ts';
import type { Decision } from '../decision.ts';
import { halfHash } from '../hash.ts';
import { idTokenSeconds } from '../limits.ts';
import type { Member } from '../members/member.ts';
import type { Api } from '../oidc/api.ts';
import { memberClaims, namedClaims } from '../oidc/claims.ts';
import { needsEs256 } from '../oidc/client/profile.ts';
import { grantedClaims, type KeptClaims, keptAuthentication } from '../oidc/request/claims-parameter.ts';
import { type Resources, scopeAt, type Target } from '../oidc/request/resource.ts';
import { type Scope, scopeIncludes } from '../oidc/scope.ts';
import type { AccessTokenAlgorithm } from '../tenant.ts';
import type { Holder } from './reuse.ts';
import { beginSignIn, isOffline, keyOfRefreshTokens, type SignInWrite } from './sign-in.ts';

/** What a genuine refresh token says: which sign-in it belongs to, and which generation it is. */
export interface RefreshToken {
  readonly signInId: string;
  readonly generation: number;
}

/** What a grant decided to issue; the tokens are signed after the commit. Times are ms. */
export interface TokenGrant {
  readonly kind: 'tokens';
  readonly client: Client;
  readonly member: Member;
  /** Everything that was granted. The access token has the part that is of its API (`scopeAt`). */
  readonly scope: Scope;
  /** The API that the access token is for; null for the member API (RFC 8707). */
  readonly api: Api | null;
  readonly sessionId: string;
  readonly authenticatedAt: number;
  readonly nonce: string | null;
  /** The claims that were asked for by name; null is none. */
  readonly claims: KeptClaims | null;
  /** null without offline_access (contract, "Token response"). */
  readonly refreshToken: RefreshToken | null;
  /** Thumbprint of the key that the access token is bound to (RFC 9449 §6.1); null for a bearer token. */
  readonly jkt: string | null;
  readonly issuedAt: number;
}

/** The member and the client of a sign-in that begins, and its id. */
export interface Beginning {
  readonly client: Client;
  /** The member as stored now; null is one who may not sign in any more. */
  readonly member: Member | null;
  /** Thumbprint of the key that the request proved to hold; null where it proved none. */
  readonly jkt: string | null;
  /** A fresh UUID for the sign-in that may begin. */
  readonly signInId: string;
  readonly now: number;
  /** What the request says of its audience; left out where neither it nor the grant names one. */
  readonly target?: Target;
  /** Where the tokens are given to; left out where no one will ask. */
  readonly holder?: Holder | undefined;
}

/** The first tokens of a sign-in, the same in both flows (contract 7), and its row. */
export function beginWithTokens(
  {
    scope,
    resources,
    api,
    sessionId,
    authenticatedAt,
    nonce,
    claims,
  }: Pick<TokenGrant, 'scope' | 'api' | 'sessionId' | 'authenticatedAt' | 'nonce' | 'claims'> & {
    readonly resources: Resources;
  },
  { client, member, jkt, signInId, now, holder }: Beginning,
): Decision<TokenGrant, SignInWrite> {
  if (member === null) throw new Error('a member who is gone may not sign in');
  const { tenantId, clientId } = client;
  const facts = {
    id: signInId,
    tenantId,
    clientId,
    memberId: member.id,
    sessionId,
    scope,
    resources,
    authenticatedAt,
    claims,
    dpopJkt: keyOfRefreshTokens(client, jkt),
    holder,
  };
  const signIn = beginSignIn(facts, now);
  const refreshToken = isOffline(signIn) ? { signInId, generation: signIn.generation } : null;
  const about = { client, member, scope, api, sessionId, authenticatedAt, nonce, claims, refreshToken, jkt };
  return {
    answer: { kind: 'tokens', ...about, issuedAt: now },
    writes: [{ write: 'insertSignIn', signIn }],
  };
}

/** What signs an access token: ES256 unless its client or its audience asks for RS256 (decision 42; RFC 9068 §2.1). */
export function accessTokenAlgorithm(client: Client, ofAudience: AccessTokenAlgorithm): AccessTokenAlgorithm {
  if (needsEs256(client)) return 'ES256';
  return client.accessTokenAlgorithm === 'RS256' ? 'RS256' : ofAudience;
}

const seconds = (ms: number) => Math.floor(ms / 1_000);

/**
 * The claims of an access token (RFC 9068 §2.2, RFC 9449 §6.1; decision 26). Times in whole seconds.
 *
 * @param audience that of the member API
 * @param tokensFrom tokens that say they are older are refused since a backup was restored, ms. A clock that was
 *   set back since is before it: what is issued now says that moment, and still lasts as long by the clock (Z18)
 */
export function accessTokenClaims(
  grant: TokenGrant,
  issuer: string,
  audience: string,
  tokenId: string,
  tokensFrom: number,
) {
  const issuedAt = seconds(grant.issuedAt);
  return {
    iss: issuer,
    sub: grant.member.id,
    aud: grant.api?.identifier ?? audience,
    client_id: grant.client.clientId,
    scope: scopeAt(grant.scope, grant.api),
    // The browser session: asked at the member API where offline_access is missing (decision 27).
    sid: grant.sessionId,
    jti: tokenId,
    iat: Math.max(issuedAt, Math.ceil(tokensFrom / 1_000)),
    exp: issuedAt + grant.client.accessTokenSeconds,
    auth_time: seconds(grant.authenticatedAt),
    ...(grant.jkt === null ? {} : { cnf: { jkt: grant.jkt } }),
    ...askedOfUserInfo(grant),
  };
}

/** Says in the access token what UserInfo answers beyond the scope, so that it need not look for the sign-in. */
function askedOfUserInfo({ claims, client, scope }: TokenGrant): { readonly claims?: readonly string[] } {
  if (claims === null) return {};
  const { userinfo } = grantedClaims(claims, client, scope);
  return userinfo.length === 0 ? {} : { claims: userinfo };
}

/**
 * What an id_token says because it was asked to by name: claims of the member, and how they signed in (interop 55 and
 * 67; decision 47).
 */
function askedOfIdToken({ claims, client, scope, member }: TokenGrant): Record<string, unknown> {
  if (claims === null) return {};
  const { idToken } = grantedClaims(claims, client, scope);
  const { acr, amr } = keptAuthentication(claims);
  return {
    ...namedClaims(member, idToken),
    ...(idToken.includes('acr') ? { acr } : {}),
    ...(idToken.includes('amr') ? { amr } : {}),
  };
}

/**
 * The claims of an id_token (Core §2), or null where the scope has no openid (a refresh that narrowed it
 * away). The member's claims are repeated only where the client's option says so (decision 26).
 *
 * @param accessToken the access token beside it, which it vouches for by at_hash (Core §3.1.3.6)
 */
export function idTokenClaims(
  grant: TokenGrant,
  issuer: string,
  accessToken: string,
): Record<string, unknown> | null {
  if (!scopeIncludes(grant.scope, 'openid')) return null;
  const issuedAt = seconds(grant.issuedAt);
  return {
    ...(grant.client.claimsInIdToken ? memberClaims(grant.member, grant.scope) : {}),
    ...askedOfIdToken(grant),
    iss: issuer,
    sub: grant.member.id,
    aud: grant.client.clientId,
    iat: issuedAt,
    exp: issuedAt + idTokenSeconds,
    auth_time: seconds(grant.authenticatedAt),
    sid: grant.sessionId,
    at_hash: halfHash(accessToken, grant.client.idTokenAlgorithm),
    ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
  };
}
