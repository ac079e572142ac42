// Lets readers of events wait for the next one, without a transaction.
import { feed as limits } from '../../core/events/limits.ts';
import { lastEventNumber } from '../../storage/events/event.ts';
import type { Store } from '../../storage/store.ts';
import type { Schedule } from '../../system/clock.ts';

/** The readers who wait for events. */
export interface EventWaiting {
  /**
   * Resolves once events of a tenant behind a number are there, or the time is over; at once where too many wait already.
   * It never rejects: a look at the events says what came of it.
   */
  waitFor(tenantId: string, after: number, ms: number): Promise<void>;
  /** Events of these tenants have been numbered, and can be read. */
  numbered(tenantIds: Iterable<string>): void;
  /** No one waits any longer: the service stops. */
  stop(): void;
}

/** Makes it. Those who wait at one process hear of what another numbered a moment later. */
export function createEventWaiting({
  store,
  schedule,
}: {
  readonly store: Store;
  readonly schedule: Schedule;
}): EventWaiting {
  const waiting = new Map<string, Set<() => void>>();
  let inAll = 0;
  let stopped = false;
  let callOff: (() => void) | null = null;

  const isBehind = (tenantId: string, after: number) =>
    store.lookUp(async (tx) => (await lastEventNumber(tx, tenantId)) > after).catch(() => false);

  const letGo = (tenantId: string) => {
    for (const go of waiting.get(tenantId) ?? []) go();
  };

  /** Another process tells this one nothing, so it looks: those who find nothing wait on. */
  const look = () => {
    if (!store.isShared || callOff !== null || inAll === 0) return;
    callOff = schedule(() => {
      callOff = null;
      for (const tenantId of [...waiting.keys()]) letGo(tenantId);
      look();
    }, limits.look);
  };

  /** @returns what ends the wait, and when it has ended */
  const enter = (tenantId: string) => {
    const ended = Promise.withResolvers<void>();
    const all = waiting.get(tenantId) ?? new Set();
    waiting.set(tenantId, all.add(ended.resolve));
    inAll += 1;
    look();
    const leave = () => {
      if (!all.delete(ended.resolve)) return;
      inAll -= 1;
      if (all.size === 0) waiting.delete(tenantId);
    };
    return { ended: ended.promise.finally(leave), end: ended.resolve };
  };

  return {
    async waitFor(tenantId, after, ms) {
      let isOver = false;
      let end = () => {};
      const callOffTime = schedule(() => {
        isOver = true;
        end();
      }, ms);
      while (!isOver && !stopped) {
        if (inAll >= limits.waiting || (waiting.get(tenantId)?.size ?? 0) >= limits.waitingOfTenant) break;
        // It waits before it looks, so that nothing is numbered in between.
        const one = enter(tenantId);
        end = one.end;
        if (await isBehind(tenantId, after)) {
          one.end();
          break;
        }
        await one.ended;
      }
      callOffTime();
    },
    numbered(tenantIds) {
      for (const tenantId of tenantIds) letGo(tenantId);
    },
    stop() {
      stopped = true;
      for (const tenantId of [...waiting.keys()]) letGo(tenantId);
    },
  };
}
