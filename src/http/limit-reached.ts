// The limits that a request may meet, and how it is refused.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Refusal, refusal } from '../core/decision.ts';
import { countedKeys, retryAfterSeconds } from '../core/limits.ts';
import { createAgedMap } from '../storage/memory/aged-map.ts';
import type { Counted } from '../storage/memory/rate-limit.ts';
import type { Clock } from '../system/clock.ts';
import { addressKey } from './address.ts';

/** Every limit beyond which a request is answered by 429, with what it counts in words for an operator. */
const words = {
  admin_calls: 'calls of the admin API with one token, or by one client',
  admin_tokens: 'wrong tokens of the admin API',
  checkouts: 'checkouts',
  client_authentications: 'failed client authentications',
  consent_answers: 'answers to consents',
  costly_calls: 'tenant files of one token of the admin API',
  detail_changes: 'changes of one member’s own details',
  denied_calls: 'denied calls of one token of the admin API, or of one administrator',
  device_requests: 'device authorizations',
  device_requests_of_client: 'device authorizations of one client',
  email_codes: 'requests for a code by mail',
  grants: 'failed grants of one client',
  mail_links: 'wrong links of mails',
  mails: 'mails to one email address',
  pending_device_codes: 'pending device codes',
  pushed_requests: 'pushed requests',
  pushed_requests_of_client: 'pushed requests of one client',
  recoveries: 'requests for a new password',
  seat_invitations: 'invitations to seats of one holder, or to one address',
  set_up_links: 'wrong set-up links',
  sign_ins: 'failed sign-ins',
  sign_ups: 'sign-ups',
  registrations: 'registrations of clients',
  tenant_user_codes: 'wrong user codes of one tenant, so that entries are slowed',
  unverified_clients: 'requests of one unverified client',
  user_codes: 'wrong user codes',
} as const;

export type LimitName = keyof typeof words;

/** A member whom a limit counts, however many addresses the requests come from. */
export const countedMember = (memberId: string): Counted => ({ key: memberId, memberId });

/** A limit that a request met. */
interface ReachedLimit extends Counted {
  readonly name: LimitName;
  /** When it lets them again: ms from now. */
  readonly wait: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The limit that refused this request, until its answer leaves. */
    reachedLimit: ReachedLimit | undefined;
  }
}

/** Remembers that a request is refused by a limit; the answer has Retry-After. @param whom whom the limit counts */
export function noteLimit(
  reply: FastifyReply,
  name: LimitName,
  whom: Counted | string = addressKey(reply.request.address),
): void {
  const seconds = Number(reply.getHeader('retry-after') ?? retryAfterSeconds);
  const counted = typeof whom === 'string' ? { key: whom, memberId: null } : whom;
  reply.request.reachedLimit = { name, ...counted, wait: seconds * 1_000 };
}

/** Refuses a request of a protocol endpoint from within its transaction. @param wait seconds until it may come again */
export function refusedByLimit(
  request: FastifyRequest,
  name: LimitName,
  wait: number,
  key = addressKey(request.address),
): Refusal {
  request.reachedLimit = { name, key, memberId: null, wait: wait * 1_000 };
  return tooMany;
}

/** The answer of a limiter (decision 16). */
export const tooMany = refusal('temporarily_unavailable', 'too many requests, try again later');

export const limitWords = (name: LimitName): string => `too many ${words[name]}`;

const surfaces = [
  ['/api/oidc/', 'protocol'],
  ['/api/v1/admin/', 'admin_api'],
  ['/api/v1/', 'member_api'],
  ['/admin/', 'portal'],
  ['/setup/', 'set_up'],
] as const;

/** Where a limit was met: a word for the metrics, by the route's own pattern. */
export function surfaceOf({ routeOptions: { url = '' } }: FastifyRequest): string {
  return surfaces.find(([beginning]) => url.startsWith(beginning))?.[1] ?? 'pages';
}

/**
 * Tells whether a refusal is the first of its limit and its caller in its window: a caller who goes on is not written down
 * again before the window is over.
 */
export function createFirstOfWindow(clock: Clock) {
  const windows = createAgedMap<{ readonly begun: number; readonly ends: number }>(countedKeys);
  return (tenantId: string | null, { name, key, wait }: Omit<ReachedLimit, 'memberId'>): boolean => {
    const id = `${tenantId} ${name} ${key}`;
    const now = clock();
    const window = windows.get(id);
    // A clock that is set back does not make it longer.
    if (window !== undefined && now >= window.begun && now < window.ends) return false;
    windows.set(id, { begun: now, ends: now + wait });
    return true;
  };
}
