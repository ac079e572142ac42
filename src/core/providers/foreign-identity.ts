// Who a member is at another provider, as far as we take its word for it.
import { emailProblem, fullNameProblem } from '../members/details.ts';
import { idTokenAge, subjectLength } from './limits.ts';

/** Claims whose signature, issuer, audience, nonce and times were found right. */
export type ForeignClaims = Readonly<Record<string, unknown>>;

/** An account at a provider. */
export interface ForeignIdentity {
  /** The issuer: a subject means something together with it alone (Core §2). */
  readonly issuer: string;
  readonly subject: string;
  /** null where it has none, or none that a mail server would understand. */
  readonly email: string | null;
  /** Whether the provider says that it looked; whether that counts is the operator's to say. */
  readonly emailVerified: boolean;
  /** For a form to begin with; empty where it has none, or one that we would not take. */
  readonly name: string;
}

/** Why claims are not taken that the library let through; for operators. */
export type ClaimsProblem =
  | 'it names another client (azp)'
  | 'it was made at another time (iat)'
  | 'its subject is empty or too long';

/**
 * What a library does not look at: the `azp` of a single audience (Core §3.1.3.7), how long ago an id_token was made, and
 * how long its subject is.
 */
export function claimsProblem(claims: ForeignClaims, clientId: string, now: number): ClaimsProblem | null {
  const { azp, iat, sub } = claims;
  if (azp !== undefined && azp !== clientId) return 'it names another client (azp)';
  if (typeof iat !== 'number' || Math.abs(now - iat * 1_000) > idTokenAge) {
    return 'it was made at another time (iat)';
  }
  const isSubject = typeof sub === 'string' && sub !== '' && sub.length <= subjectLength;
  return isSubject ? null : 'its subject is empty or too long';
}

/** Flags come as texts too: Apple's as "true", Microsoft's as "1". */
const isTrue = (value: unknown) => value === true || value === 'true' || value === 1 || value === '1';

/**
 * Reads an account from claims.
 *
 * @param name what else says its name: Apple's form does, the first time
 */
export function foreignIdentity(claims: ForeignClaims, name: string | null): ForeignIdentity {
  const { iss, sub, email, email_verified: verified, xms_edov: ownerVerified } = claims;
  const isAddress = typeof email === 'string' && emailProblem(email) === null;
  return {
    issuer: String(iss),
    subject: String(sub),
    email: isAddress ? email.trim() : null,
    // Microsoft says it in a claim of its own, where the operator asked for that.
    emailVerified: isAddress && (isTrue(verified) || (verified === undefined && isTrue(ownerVerified))),
    name: nameFrom([name, claims.name, joined(claims.given_name, claims.family_name)]),
  };
}

const joined = (...parts: readonly unknown[]) =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(' ');

/** The first that a form of ours would take. */
function nameFrom(names: readonly unknown[]): string {
  const found = names.find((name) => typeof name === 'string' && fullNameProblem(name) === null);
  return typeof found === 'string' ? found.trim() : '';
}

/** The name in what Apple's form says of a user the first time: JSON without a signature. */
export function nameOfUser(user: string | undefined): string | null {
  if (user === undefined) return null;
  try {
    const { firstName, lastName } = Object(Object(JSON.parse(user)).name) as Record<string, unknown>;
    return joined(firstName, lastName) || null;
  } catch {
    return null;
  }
}
