// The clock of a development start, which can be moved: everything in the process reads it.
import { clockAhead } from '../../../core/rehearsal/limits.ts';
import type { Clock } from '../../../system/clock.ts';
import { DeedRefused } from '../deeds.ts';

/** How a clock is moved: back to the real time, on by ms, on to a time, and whether it stands from then on. */
export interface ClockMove {
  readonly reset?: boolean;
  readonly advance?: number;
  readonly to?: number;
  readonly freeze?: boolean;
}

export type RoomClock = ReturnType<typeof createRoomClock>;

/**
 * A clock that goes as another one does until it is moved. It never goes back but to that one's time.
 *
 * @param real the time that it is
 * @param isAlone whether the service has none but development tenants: otherwise it is the real time, whatever was asked
 */
export function createRoomClock(real: Clock, isAlone: () => boolean) {
  let ahead = 0;
  let frozenAt: number | null = null;
  const isMoved = () => ahead !== 0 || frozenAt !== null;
  const now: Clock = () => (isMoved() && isAlone() ? (frozenAt ?? real() + ahead) : real());
  return {
    now,
    /** What it says, whether it stands, and by how much it is ahead of the real time (ms). */
    told: () => {
      const time = now();
      return { now: time, frozen: frozenAt !== null && isAlone(), ahead: isMoved() ? time - real() : 0 };
    },
    /**
     * @returns by how much it was moved on (ms)
     * @throws DeedRefused for a time that is over, or too far away: then nothing is moved
     */
    move({ reset = false, advance = 0, to, freeze }: ClockMove): number {
      const time = real();
      const begun = reset ? time : (frozenAt ?? time + ahead);
      const target = to ?? begun + advance;
      if (target < begun + advance) {
        throw new DeedRefused('the clock goes back by reset alone, to the real time');
      }
      if (target - time > clockAhead) throw new DeedRefused('the clock may be 100 years ahead at most');
      const stands = freeze ?? (!reset && frozenAt !== null);
      frozenAt = stands ? target : null;
      ahead = stands ? 0 : target - time;
      return target - begun;
    },
    keep() {
      const kept = { ahead, frozenAt };
      return () => {
        ({ ahead, frozenAt } = kept);
      };
    },
  };
}
