// What became of a subscription, as the end of the key of its sentence: what an operator did to it, and what is written when
// it moves.
import type { AuditEventName, FieldChange } from '../../../../core/operators/audit-event.ts';
import { moveOfReason } from '../../../../core/operators/subscription-move.ts';

/** An event, as far as it says what became of a subscription. */
interface Moved {
  readonly event: AuditEventName;
  readonly operation: string | null;
  readonly reason: string | null;
  readonly changes: readonly FieldChange[];
}

/** What became of a subscription; null where the event is of another thing, or says only that something did. */
export function subscriptionDeed(event: Moved): string | null {
  if (event.event === 'subscription_changed') return deedOf(moveOfReason(event.reason ?? ''));
  return event.operation === 'subscriptions.change' ? deedOf(movedIn(event.changes)) : null;
}

/** The state that it had, null where it begins, and the one that it has. */
interface Move {
  readonly from: string | null;
  readonly to: string;
}

function deedOf(move: Move | null): string | null {
  if (move === null) return null;
  const { from, to } = move;
  if (from === null) return 'begin';
  if (from === to) return 'renew';
  if (to !== 'active') return ends.has(to) ? to : null;
  return from === 'cancelled' ? 'resume' : 'activate';
}

const ends: ReadonlySet<string> = new Set(['cancelled', 'ended', 'expired']);

/** From the changes that an operator made: one that leaves the state as it is gives it another end. */
function movedIn(changes: Moved['changes']): Move | null {
  const moved = changes.find(({ field }) => field === 'state');
  if (moved === undefined) {
    return changes.some(({ field }) => field === 'expiresAt') ? { from: 'active', to: 'active' } : null;
  }
  const plain = (value: string | null) => (value ?? '').replaceAll('"', '');
  return { from: plain(moved.from), to: plain(moved.to) };
}
