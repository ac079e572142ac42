// What a client says of itself in a JWT that it signed (RFC 7523 §3).
import type { Client } from '../../client.ts';
import { assertionLife } from '../limits.ts';

/** The settings that decide whose signature is right. */
export type AssertionKeys = Pick<Client, 'authenticationMethod' | 'jwks' | 'jwksUri' | 'signingAlgorithms'>;

/** What was found of an assertion, before the transaction that it is used in. */
export type JudgedAssertion =
  | {
      readonly ok: true;
      /** The settings that it was verified by. */
      readonly keys: AssertionKeys;
      readonly jti: string;
      /** ms */
      readonly expiresAt: number;
    }
  /** `reason` says why, in words for the audit, without anything of it. */
  | { readonly ok: false; readonly reason: string };

/** What an assertion is held to: the client that may have signed it, and the names of its audience. */
export interface AssertionContext {
  readonly clientId: string;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** When a backup was restored (ms): the service has forgotten which assertions were used until then. */
  readonly tokensFrom: number;
  readonly now: number;
}

/**
 * Judges the claims of an assertion whose signature is right (RFC 7523 §3; Core §9; interop 53). Its audience is one
 * text, the issuer or the token endpoint: one that is good for several services could be taken to another by the first.
 *
 * @returns its id and its end, or why it is refused
 */
export function judgeAssertion(
  claims: Readonly<Record<string, unknown>>,
  { clientId, issuer, tokenEndpoint, tokensFrom, now }: AssertionContext,
): { readonly jti: string; readonly expiresAt: number } | string {
  const { iss, sub, aud, jti } = claims;
  if (iss !== clientId || sub !== clientId) return 'its iss or its sub is not the client_id';
  if (aud !== issuer && aud !== tokenEndpoint) return 'its aud is not the issuer, nor the token endpoint';
  if (typeof jti !== 'string' || jti === '') return 'it has no jti';
  const [expiresAt, issuedAt, notBefore] = [claims.exp, claims.iat, claims.nbf].map(msOf);
  if (expiresAt === undefined) return 'it has no exp';
  if (Number.isNaN(expiresAt + (issuedAt ?? 0) + (notBefore ?? 0))) return 'one of its times is no number';
  if (now >= expiresAt) return 'it has expired';
  const latest = now + assertionLife.ahead;
  if (expiresAt > latest + assertionLife.most) return 'it expires in more than 5 minutes';
  if ((issuedAt ?? now) > latest || (notBefore ?? now) > latest) return 'it is of a time that lies ahead';
  if (isForgotten(expiresAt, issuedAt, tokensFrom))
    return 'it may have been used before a backup was restored';
  // Its end may lie between two milliseconds; what is kept is whole, and no earlier.
  return { jti, expiresAt: Math.ceil(expiresAt) };
}

/** Whether an assertion may be one that was used before a backup was restored: only one that is made anew is not. */
function isForgotten(expiresAt: number, issuedAt: number | undefined, tokensFrom: number): boolean {
  const { most, ahead } = assertionLife;
  return expiresAt <= tokensFrom + most + ahead && (issuedAt ?? 0) < tokensFrom + ahead;
}

/** A time in ms, undefined where there is none, NaN where it is something else. */
function msOf(seconds: unknown): number | undefined {
  if (seconds === undefined) return undefined;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1_000 : Number.NaN;
}

/** Whether a client's settings are those that an assertion was verified by. */
export function hasKeysOf(client: AssertionKeys, judged: AssertionKeys): boolean {
  return (
    client.authenticationMethod === judged.authenticationMethod &&
    client.jwks === judged.jwks &&
    client.jwksUri === judged.jwksUri &&
    client.signingAlgorithms.join() === judged.signingAlgorithms.join()
  );
}
