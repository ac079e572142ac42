import type { AuthorizationCode } from '../authorization-code.ts';
import type { Client } from '../client.ts';
import type { DeviceCode } from '../device-code.ts';
import { type Member, maySignIn } from '../members/member.ts';
import { verifierMatches } from '../oidc/pkce.ts';
import { livesUntil, type SignIn } from '../sign-in.ts';

/**
 * Why a grant was refused, in words for whoever operates the service. The client itself is told less
 * (RFC 6749 §5.2): what it sent may have been stolen.
 */

/** Why a code was not exchanged; `stored` as it was before. */
export function whyNotExchanged(
  stored: AuthorizationCode | null,
  sent: {
    readonly client: Client;
    readonly member: Member | null;
    readonly codeVerifier: string | undefined;
    readonly redirectUri: string | undefined;
    readonly now: number;
  },
): string {
  const { client, member, codeVerifier, redirectUri, now } = sent;
  if (stored === null) return 'the code is unknown';
  if (stored.clientId !== client.clientId) return 'the code was issued to another client';
  if (stored.state === 'used') return 'the code was exchanged before';
  if (stored.state === 'burned') return 'the code had ended before';
  if (stored.state === 'expired' || now >= stored.expiresAt) return 'the code is too old';
  if (redirectUri !== undefined && redirectUri !== stored.redirectUri) return 'the redirect_uri differs';
  if (codeVerifier === undefined) return 'the code_verifier is missing';
  if (!verifierMatches(codeVerifier, stored.codeChallenge)) return 'the code_verifier is wrong';
  return maySignIn(member, now) ? 'the code cannot be used' : 'the member may no longer sign in';
}

/** Why a genuine refresh token gave nothing; `signIn` as it was before, null if the token names none. */
export function whyNotRefreshed(
  signIn: SignIn | null,
  client: Client,
  member: Member | null,
  now: number,
): string {
  if (signIn === null) return 'the sign-in of the refresh token is unknown';
  if (signIn.clientId !== client.clientId) return 'the refresh token was issued to another client';
  if (signIn.endReason !== null) return `the sign-in had ended: ${signIn.endReason}`;
  if (now >= livesUntil(signIn, client)) return 'the sign-in is too old, and has ended';
  return maySignIn(member, now) ? 'the scope asked for is wider' : 'the member may no longer sign in';
}

/** How old a refresh token is that came back: what tells a thief from a client that lost an answer. */
export function ageOfReused(generation: number, signIn: SignIn, now: number): string {
  const behind = signIn.generation - generation;
  const seconds = Math.max(0, Math.round((now - signIn.rotatedAt) / 1_000));
  // Of older ones nobody knows more than that the last rotation came after theirs.
  const since = behind === 1 ? `superseded ${seconds} s ago` : `superseded more than ${seconds} s ago`;
  return `a refresh token ${behind} ${behind === 1 ? 'generation' : 'generations'} old, ${since}`;
}

/** Why a poll gave nothing for good; `code` as it was before. */
export function whyNotPolled(code: DeviceCode | null, client: Client, now: number): string {
  if (code === null) return 'the device code is unknown';
  if (code.clientId !== client.clientId) return 'the device code was issued to another client';
  switch (code.state) {
    case 'used':
      return 'the device code was used before';
    case 'withdrawn':
      return 'the device code was withdrawn';
    case 'denied':
      return 'the member rejected the sign-in';
    case 'expired':
    case 'pending':
    case 'approved':
      return now >= code.expiresAt ? 'the code is too old' : 'the device flow is not enabled for this client';
    default:
      throw new Error(`unknown state ${JSON.stringify(code.state satisfies never)}`);
  }
}
