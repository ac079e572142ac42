import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweepInterval } from '../../src/core/operators/limits.ts';
import { faketimeLibrary } from './tools.ts';

/** The wall clock of a service that runs under libfaketime. */
export interface FakeClock {
  /** What the service is started with. */
  readonly settings: Readonly<Record<string, string>>;
  /** Sets it: `+1h`, `-1d`, or a time at which it goes on, as in `@2038-01-19 03:14:00`. */
  set(text: string): void;
  remove(): void;
}

export function fakeClock(): FakeClock {
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-clock-'));
  const file = join(folder, 'clock');
  const set = (text: string) => writeFileSync(file, `${text}\n`);
  set('+0');
  return {
    settings: {
      LD_PRELOAD: String(faketimeLibrary),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // Timers go by a clock that is never set.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      TZ: 'UTC',
    },
    set,
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Options of Node's for a service whose wall clock is ahead of that of others by so many ms, from its start on. */
export function clockAhead(ms: number): readonly string[] {
  const code = `const now=Date.now;Date.now=()=>now()+${ms}`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

/** Options of Node's own for a service that does its chores every two seconds instead of every hour. */
export function hastyChores(): readonly string[] {
  const code = `
    const real = globalThis.setInterval;
    const hasty = (work, ms, ...rest) => real(work, ms === ${sweepInterval.indexed} ? 2000 : ms, ...rest);
    globalThis.setInterval = Object.defineProperties(hasty, Object.getOwnPropertyDescriptors(real));`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}
