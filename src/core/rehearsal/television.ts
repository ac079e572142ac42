// A TV that keeps the contract's rules: what it shows, and when it asks again ("Polling rules").
import { pollInterval, slowDownStep } from '../limits.ts';

/** What the TV is told when it asks for a code. Times are ms. */
export interface ShownCode {
  readonly deviceCode: string;
  readonly userCode: string;
  /** What is to be typed, and what stands in the QR code. */
  readonly address: string;
  readonly completeAddress: string;
  readonly expiresAt: number;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** The refresh token before that one. */
  readonly oldRefreshToken: string | null;
  readonly idToken: string | null;
}

export interface Television {
  readonly clientId: string;
  /** It asks for the member's answer; it is signed in; or it has stopped and says why. */
  readonly phase: 'asking' | 'signed-in' | 'stopped';
  readonly code: ShownCode;
  /** Between polls (ms). */
  readonly interval: number;
  readonly nextPollAt: number;
  /** What the last answer was: an error, `tokens`, or `trouble` where it was nothing of the kind. */
  readonly heard: string | null;
  readonly tokens: Tokens | null;
}

/** An answer as a client gets it; its body is null where it is no JSON. */
export interface HeardAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | null;
}

/** The TV with the code that it was given; null where the answer gave none. */
export function turnedOn(clientId: string, { status, body }: HeardAnswer, now: number): Television | null {
  if (status !== 200 || body === null) return null;
  const { device_code: deviceCode, user_code: userCode, verification_uri: address } = body;
  const { verification_uri_complete: completeAddress, expires_in: lifetime, interval } = body;
  const texts = [deviceCode, userCode, address, completeAddress];
  if (!texts.every((text) => typeof text === 'string') || typeof lifetime !== 'number') return null;
  // An answer may name no interval (RFC 8628 §3.2).
  const pause = typeof interval === 'number' ? interval * 1_000 : pollInterval;
  return {
    clientId,
    phase: 'asking',
    code: {
      deviceCode: String(deviceCode),
      userCode: String(userCode),
      address: String(address),
      completeAddress: String(completeAddress),
      expiresAt: now + lifetime * 1_000,
    },
    interval: pause,
    nextPollAt: now + pause,
    heard: null,
    tokens: null,
  };
}

/** What the TV makes of a poll's answer. @param answer null where none came */
export function heardPoll(tv: Television, answer: HeardAnswer | null, now: number): Television {
  const heard = wordOf(answer);
  if (heard === 'tokens' && answer?.body !== null && answer?.body !== undefined) {
    return { ...tv, phase: 'signed-in', heard, tokens: tokensIn(answer.body, null) };
  }
  // Whatever a poll with a used code is told: the TV has its tokens, and finds out when it uses them.
  if (tv.phase !== 'asking') return { ...tv, heard };
  if (heard === 'trouble' && now >= tv.code.expiresAt)
    return { ...tv, phase: 'stopped', heard: 'expired_token' };
  const interval = nextInterval(tv.interval, heard);
  return interval === null
    ? { ...tv, phase: 'stopped', heard }
    : { ...tv, heard, interval, nextPollAt: now + interval };
}

/** The interval after an answer; null where the TV stops. */
function nextInterval(interval: number, heard: string): number | null {
  switch (heard) {
    case 'authorization_pending':
      return interval;
    case 'slow_down':
      return interval + slowDownStep;
    case 'trouble':
      return interval * 2;
    default:
      return null;
  }
}

/** What the TV makes of a refresh's answer: an error means that the sign-in is over, trouble that it tries again later. */
export function heardRefresh(tv: Television, answer: HeardAnswer | null): Television {
  const heard = wordOf(answer);
  if (heard === 'tokens' && answer?.body !== null && answer?.body !== undefined) {
    return { ...tv, heard, tokens: tokensIn(answer.body, tv.tokens) };
  }
  return heard === 'trouble' ? { ...tv, heard } : { ...tv, phase: 'stopped', heard, tokens: null };
}

export function tokensIn(body: NonNullable<HeardAnswer['body']>, before: Tokens | null): Tokens {
  const textOf = (name: string) => (typeof body[name] === 'string' ? body[name] : null);
  return {
    accessToken: textOf('access_token') ?? '',
    refreshToken: textOf('refresh_token') ?? before?.refreshToken ?? null,
    oldRefreshToken: before?.refreshToken ?? null,
    idToken: textOf('id_token') ?? before?.idToken ?? null,
  };
}

/** An answer in a word: what is no JSON, a limit, and trouble of the service pass (contract, "Polling rules"). */
export function wordOf(answer: HeardAnswer | null): string {
  if (answer === null || answer.body === null || answer.status === 429 || answer.status >= 500)
    return 'trouble';
  return answer.status === 200 ? 'tokens' : String(answer.body.error);
}
