import { countingWindow } from '../../core/limits.ts';
import type { Actor } from '../../core/operators/permission.ts';
import type { Operation } from '../../operations/admin/operation.ts';
import type { Deps } from '../deps.ts';

/**
 * Counts a call of an operation that costs much: for the token or the administrator who calls, all such
 * operations together. The operator of the machine has other ways to slow it down.
 *
 * @returns null if it may go on, else the seconds after which it may again
 */
export function countCostly(
  { callsPerMinute }: Pick<Operation, 'callsPerMinute'>,
  actor: Actor,
  { rateLimiter }: Pick<Deps, 'rateLimiter'>,
): number | null {
  if (actor.kind === 'operator') return null;
  const caller = actor.kind === 'token' ? actor.tokenId : actor.memberId;
  return rateLimiter.shared.take(`admin costly ${caller}`, callsPerMinute ?? null, countingWindow.minute);
}
