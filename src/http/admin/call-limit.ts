// Holds each token of the admin API to so many calls a minute, and tells it with each answer how many are left.
import type { FastifyReply } from 'fastify';
import { countingWindow, second } from '../../core/limits.ts';
import type { Actor } from '../../core/operators/permission.ts';
import { tenantLimits } from '../../core/tenant-limits.ts';
import { sendTooMany } from '../answers.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from './api-token.ts';
import { callerOf, countedCaller } from './call.ts';

/** The policy's name in the headers (draft-ietf-httpapi-ratelimit-headers-10 §3, §4). */
const policy = '"calls"';

/**
 * Counts a call for its token, whatever it asks and whatever will be answered; a client is counted as one, however many
 * access tokens it gets. The operator of the machine is not.
 *
 * @returns whether it is allowed; if not, the answer is sent
 */
export async function countCall(
  reply: FastifyReply,
  { actor }: Pick<Caller, 'actor'>,
  { rateLimiter, tenants }: Pick<Deps, 'rateLimiter' | 'tenants'>,
): Promise<boolean> {
  const limit = limitOf(actor, tenants);
  if (limit === null) return true;
  const { minute } = countingWindow;
  const key = `admin calls ${callerOf(actor)}`;
  const { wait, left, resets } = await rateLimiter.shared.tally(key, limit, minute);
  reply.headers({
    'ratelimit-policy': `${policy};q=${limit};w=${minute / second}`,
    ratelimit: `${policy};r=${left};t=${resets}`,
  });
  if (wait !== null) sendTooMany(reply, wait, 'admin_calls', countedCaller(actor, key));
  return wait === null;
}

/** A token for every tenant is of none that could set a limit for it. */
function limitOf(actor: Actor, tenants: Deps['tenants']): number | null {
  if (actor.kind === 'operator') return null;
  const own = tenants.all().find(({ id }) => id === actor.tenantId);
  return (own?.limits ?? tenantLimits).adminCallsPerTokenAndMinute;
}
