import type { Clock } from '../../src/system/clock.ts';

/** A clock that tests move. Each reading is 1 ms later than the last, so that no two events coincide. */
export interface TestClock {
  readonly now: Clock;
  /** Moves the time on by ms. */
  advance(ms: number): void;
  /** Sets the time; the next reading is exactly this. */
  set(ms: number): void;
}

export function testClock(start = Date.UTC(2026, 0, 15, 12)): TestClock {
  let time = start;
  return {
    now: () => time++,
    advance(ms) {
      time += ms;
    },
    set(ms) {
      time = ms;
    },
  };
}
