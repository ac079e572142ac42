// What a client is told when members sign out (OpenID Connect Back-Channel Logout 1.0).
import type { SignInEnd } from '../grants/sign-in.ts';
import { sha256 } from '../hash.ts';
import { logoutNotice as limits } from './limits.ts';

/** One message to one client: a session with which it signed a member in is over, or its own sign-in of it. Times are ms. */
export interface LogoutNotice {
  readonly id: number;
  readonly tenantId: string;
  readonly clientId: string;
  readonly memberId: string;
  /** The `sid` of the tokens that the client has. */
  readonly sessionId: string;
  /** How often it was sent in vain. */
  readonly attempts: number;
  /** When what it tells of ended. */
  readonly endedAt: number;
}

/**
 * Ends of a sign-in that its client is told of: what an operator, the member or the reuse of a token or code brought
 * about (interop 66). Not what the client did itself, what came with its age or number, what ends all at once with a
 * restored backup or lost keys, and the end of a client that is there no more.
 */
export const toldEnds: readonly SignInEnd[] = [
  'code_reused',
  'device_code_reused',
  'member_inactive',
  'refresh_token_reused',
  'signed_out',
];

/** The event that makes a JWT a logout token (Back-Channel Logout §2.4). */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * The claims of a logout token (Back-Channel Logout §2.4; interop 46). The times are those of its sending, so that a
 * late one is not too old; the `jti` is the same each time, so that a client can tell what it has had.
 */
export function logoutTokenClaims(notice: LogoutNotice, issuer: string, now: number): object {
  const iat = Math.floor(now / 1_000);
  return {
    iss: issuer,
    sub: notice.memberId,
    aud: notice.clientId,
    iat,
    exp: iat + limits.tokenSeconds,
    jti: sha256(`logout ${notice.tenantId} ${notice.id} ${notice.endedAt}`),
    events: { [logoutEvent]: {} },
    sid: notice.sessionId,
  };
}

/**
 * What came of sending one: it was taken; the client says that it is wrong; it could not be delivered now; nothing
 * was tried, since too many calls were under way.
 */
export type Sending = 'delivered' | 'refused' | 'failed' | 'busy';

/** What an answer means (Back-Channel Logout §2.8): 200, and 204, which some frameworks send. */
export function sendingOf(status: number): Sending {
  if (status === 200 || status === 204) return 'delivered';
  return status === 400 ? 'refused' : 'failed';
}

/** When one is sent again that was not delivered; null gives it up. A client that says it is wrong seldom changes its mind. */
export function resendAt(
  { attempts, endedAt }: LogoutNotice,
  sending: Exclude<Sending, 'delivered'>,
  now: number,
): number | null {
  if (sending === 'busy') return now + limits.busyWait;
  const lastAt = endedAt + limits.giveUpAfter;
  if (now >= lastAt || (sending === 'refused' && attempts + 1 >= limits.refusals)) return null;
  return Math.min(now + Math.min(limits.firstWait * 2 ** attempts, limits.longestWait), lastAt);
}
