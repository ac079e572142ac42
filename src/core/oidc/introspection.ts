// What a token says to those who may ask about it (RFC 7662).
import type { Client } from '../client.ts';
import { readServiceToken } from '../grants/client-credentials.ts';
import { livesUntil, type SignIn } from '../grants/sign-in.ts';
import type { RefreshToken } from '../grants/tokens.ts';

/** Who asks: a client, or a token of the admin API, which may ask about every token of the tenant. */
export type Asker = Client | 'operator';

/** The answer about a token; of one that does not live, or is none of the asker's, it says nothing more (§2.2). */
export type Introspected = { readonly active: false } | LiveToken;

export type LiveToken = { readonly active: true } & Readonly<Record<string, unknown>>;

export const inactive: Introspected = { active: false };

/** What an access token says of itself that is told (RFC 9068 §2.2); its session and its member's name are not. */
const told = ['iss', 'sub', 'aud', 'client_id', 'scope', 'iat', 'exp', 'jti', 'cnf'] as const;

/**
 * Whether a client may know what an access token says: its own, and those of the APIs that it is for. The asker has the
 * token in hand; but a client that was handed another's should not learn its member (interop 52). One that a client has in its
 * own name for our APIs is for none of another client's: what it opens is the admin API.
 *
 * @param ownAudience of the member API
 */
export function mayAskAbout(
  asker: Asker,
  claims: Readonly<Record<string, unknown>>,
  ownAudience: string,
): boolean {
  if (asker === 'operator' || claims.client_id === asker.clientId) return true;
  const audiences = [claims.aud].flat();
  const open = readServiceToken(claims) === null ? [ownAudience] : [];
  return [...open, ...asker.apis].some((audience) => audiences.includes(audience));
}

/** The answer about an access token that lives. */
export function accessTokenAnswer(claims: Readonly<Record<string, unknown>>): LiveToken {
  const said = told.flatMap((name) => (claims[name] === undefined ? [] : [[name, claims[name]] as const]));
  // One that is bound to a key is of no use without it (RFC 9449 §6.2).
  const type = claims.cnf === undefined ? 'Bearer' : 'DPoP';
  return { active: true, token_type: type, ...Object.fromEntries(said) };
}

/**
 * The answer about a refresh token that lives. It is for the token endpoint alone, so the issuer is its audience: an API
 * that takes any token which is active takes this one for none of its own.
 */
export function refreshTokenAnswer(
  signIn: SignIn,
  client: Client,
  issuer: string,
  { generation }: RefreshToken,
): LiveToken {
  const seconds = (ms: number) => Math.floor(ms / 1_000);
  return {
    active: true,
    token_type: 'refresh_token',
    iss: issuer,
    sub: signIn.memberId,
    aud: issuer,
    client_id: signIn.clientId,
    scope: signIn.scope,
    iat: seconds(generation === 1 ? signIn.createdAt : signIn.rotatedAt),
    exp: seconds(livesUntil(signIn, client)),
  };
}
