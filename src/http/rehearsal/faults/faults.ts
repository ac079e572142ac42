// Keeps the faults that wait for answers of each tenant.
import { type Asked, type Fault, isFor } from '../../../core/rehearsal/fault.ts';
import { faultsKept } from '../../../core/rehearsal/limits.ts';
import { DeedRefused } from '../deeds.ts';

export type Faults = ReturnType<typeof createFaults>;

/** The faults of each tenant, until a reset or the end of the process. */
export function createFaults() {
  let waiting = new Map<string, readonly Fault[]>();
  let last = 0;
  const of = (tenantId: string): readonly Fault[] => waiting.get(tenantId) ?? [];
  return {
    of,
    /** @throws DeedRefused if there are too many */
    add(tenantId: string, given: Omit<Fault, 'id'>): Fault {
      const own = of(tenantId);
      if (own.length >= faultsKept) throw new DeedRefused(`${faultsKept} faults wait already`);
      last += 1;
      const fault = { id: last, ...given };
      waiting.set(tenantId, [...own, fault]);
      return fault;
    },
    /** Whether one of them is for a request, without a look at its member. */
    mayMeet: (tenantId: string, asked: Asked): boolean => of(tenantId).some((fault) => isFor(fault, asked)),
    /** Whether which one it is depends on the member. */
    asksForMember: (tenantId: string, asked: Asked): boolean =>
      of(tenantId).some((fault) => fault.memberId !== null && isFor(fault, asked)),
    /** The first of them that is for a request: it is used up by one, in the same breath. */
    take(tenantId: string, asked: Asked, memberId: string | null): Fault | null {
      const found = of(tenantId).find(
        (fault) => isFor(fault, asked) && (fault.memberId === null || fault.memberId === memberId),
      );
      if (found === undefined) return null;
      const { times } = found;
      const left = of(tenantId).flatMap((fault) => {
        if (fault !== found || times === null) return [fault];
        return times > 1 ? [{ ...fault, times: times - 1 }] : [];
      });
      waiting.set(tenantId, left);
      return found;
    },
    /** @returns whether there was such a fault */
    remove(tenantId: string, id: number): boolean {
      const left = of(tenantId).filter((fault) => fault.id !== id);
      const isThere = left.length < of(tenantId).length;
      waiting.set(tenantId, left);
      return isThere;
    },
    clear(tenantId: string): void {
      waiting.delete(tenantId);
    },
    keep() {
      const kept = new Map(waiting);
      return () => {
        waiting = new Map(kept);
      };
    },
  };
}
