// Remembers in memory when each device code was polled last.
import type { DeviceCode } from '../../core/grants/device-code.ts';
import { deviceCodeLifetime, pacedCodes } from '../../core/limits.ts';
import { findDeviceCode } from '../grants/device-code.ts';
import { ifRunAgain } from '../operators/audited.ts';
import type { Tx } from '../store.ts';
import { createAgedMap } from './aged-map.ts';

/** A code that is polled. */
export interface Polled {
  /** null where it is unknown. */
  readonly code: DeviceCode | null;
  /**
   * When it was polled before, as far as is remembered: ms, or null. It is asked in the breath in which the poll is judged and
   * recorded, since others may be looked up beside it.
   */
  lastPolledAt(): number | null;
}

/** Remembers when each device code was polled last: in memory, or where several processes are polled in turn. */
export interface PollPace {
  /** The device code of a tenant by its SHA-256. */
  find(tx: Tx, tenantId: string, hash: string): Promise<Polled>;
  /** A code was polled. @param now ms */
  record(tx: Tx, id: string, now: number): void;
  /** Lets other processes know at once of the polls so far; by itself it does soon. */
  write(): Promise<void>;
}

/**
 * A commit for every poll of every TV would be the dearest thing the service does, and all that a restart forgets is
 * that one poll was early. The longer interval of a slow_down is on the disk.
 */
export function createPollPace(): PollPace {
  const times = createPollTimes();
  return {
    async find(tx, tenantId, hash) {
      const code = await findDeviceCode(tx, tenantId, hash);
      return { code, lastPolledAt: () => code && times.lastPolledAt(code.id) };
    },
    record: (tx, id, now) => recordIn(tx, times, id, now),
    write: async () => {},
  };
}

export type PollTimes = ReturnType<typeof createPollTimes>;

/**
 * When codes were polled last. One that was not polled for as long as a code lives is forgotten.
 *
 * @param most how many codes are remembered; beyond, the one not polled for longest is forgotten
 */
export function createPollTimes(most = pacedCodes) {
  const times = createAgedMap<number>(most);
  return {
    /** ms, or null if this code was not polled since the start. */
    lastPolledAt: (id: string) => times.get(id) ?? null,
    /** @param now ms; null as if it had never been polled */
    record(id: string, now: number | null) {
      if (now === null) return times.delete(id);
      times.set(id, now);
      const oldest = times.oldest();
      if (oldest !== undefined && now - oldest[1] > deviceCodeLifetime) times.delete(oldest[0]);
    },
  };
}

/** Records at once, so that of two polls in the same breath one is early. */
export function recordIn(tx: Tx, times: PollTimes, id: string, now: number): void {
  const before = times.lastPolledAt(id);
  times.record(id, now);
  ifRunAgain(tx, () => times.record(id, before));
}
