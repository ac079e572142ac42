import type { Clock } from '../../src/system/clock.ts';

/** A clock that tests move. Each reading is 1 ms later than the last, so that no two events coincide. */
export interface TestClock {
  readonly now: Clock;
  /** Moves the time on by ms. */
  advance(ms: number): void;
  /** Moves the time on to the next whole second. */
  beginSecond(): void;
  /** Sets the time; the next reading is exactly this. */
  set(ms: number): void;
  /** Goes on with the machine's own time, which libraries sign by: a service takes no proof that is long ahead of it. */
  follow(): void;
}

export function testClock(start = Date.UTC(2026, 0, 15, 12)): TestClock {
  let time = start;
  let isFollowing = false;
  return {
    now: () => {
      if (isFollowing) time = Math.max(time, Date.now());
      return time++;
    },
    advance(ms) {
      time += ms;
    },
    beginSecond() {
      time = Math.ceil(time / 1_000) * 1_000;
    },
    set(ms) {
      isFollowing = false;
      time = ms;
    },
    follow() {
      isFollowing = true;
    },
  };
}
