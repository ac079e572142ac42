import { countingWindow } from '../../core/limits.ts';
import { deniedCallsPerMinute } from '../../core/operators/limits.ts';
import type { Actor } from '../../core/operators/permission.ts';
import type { Counted } from '../../storage/memory/rate-limit.ts';
import type { Deps } from '../deps.ts';

type Limiter = Pick<Deps, 'rateLimiter'>;

const deniedKey = (actor: Actor) => `admin denied ${callerOf(actor)}`;

/** Whom denied calls are counted for: the token, the administrator, or the machine itself. */
export function countedCaller(actor: Actor): Counted {
  return { key: deniedKey(actor), memberId: actor.kind === 'admin' ? actor.memberId : null };
}

function callerOf(actor: Actor): string {
  if (actor.kind === 'operator') return actor.kind;
  return actor.kind === 'token' ? actor.tokenId : actor.memberId;
}

/**
 * Whether somebody was denied too much to go on: each denial leaves a line in the audit, so that nobody fills
 * the disk with them, through whichever face.
 *
 * @returns null if they may call, else the seconds after which they may again
 */
export function lookDenied(actor: Actor, { rateLimiter }: Limiter): number | null {
  return rateLimiter.shared.look(deniedKey(actor), deniedCallsPerMinute, countingWindow.minute);
}

/** Counts a call that was denied. */
export function countDenied(actor: Actor, { rateLimiter }: Limiter): void {
  rateLimiter.shared.take(deniedKey(actor), deniedCallsPerMinute, countingWindow.minute);
}
