// Counts in memory how often something happened in a window of time.
import { countedKeys } from '../../core/limits.ts';
import type { AuditFacts } from '../../core/operators/audit-event.ts';
import type { Clock } from '../../system/clock.ts';
import { doneIn, onceIn } from '../operators/audited.ts';
import type { Awaitable } from '../prepared.ts';
import type { Tx } from '../store.ts';
import { type AgedMap, createAgedMap } from './aged-map.ts';

/** Whom a limit counts. */
export interface Counted {
  /** It is kept in memory alone, or as a hash. */
  readonly key: string;
  /** The member who is kept out, for the audit; null where no account is known. */
  readonly memberId: string | null;
  /** Who asked, where their token says so: the audit of their tenant names them. */
  readonly caller?: Pick<AuditFacts, 'tenantId' | 'actorKind' | 'actorId' | 'clientId'>;
}

/** How it stands with a limit after one more was counted, or refused. */
export interface Tally {
  /** null if it is allowed, else the seconds after which it is again. */
  readonly wait: number | null;
  /** How many more are allowed in the window. */
  readonly left: number;
  /** Seconds until the window is over. */
  readonly resets: number;
}

/** Counts how often something happened in a window of time: in memory, or where several processes count together. */
export interface Counters {
  /** The same answer as `take` without counting: for what counts only when it fails. */
  look(key: string, limit: number | null, window: number): Awaitable<number | null>;
  /**
   * Counts one more for the key.
   *
   * @param limit how many are allowed in the window; null is no limit
   * @param window ms
   * @returns null if it is allowed, else the seconds after which it is again
   */
  take(key: string, limit: number | null, window: number): Awaitable<number | null>;
  /** Counts as `take`, and tells how many are left: for callers who hear that with each answer. */
  tally(key: string, limit: number, window: number): Awaitable<Tally>;
  /** Counts one less: what was counted ahead, and is no failure after all. */
  giveBack(key: string, window: number): Awaitable<void>;
}

export interface RateLimiter extends Counters {
  /**
   * Counts what many senders share, such as a tenant's refusals: apart, so that the keys of a hundred thousand
   * addresses do not push it out. Its keys are of things that operators made.
   */
  readonly shared: Counters;
  /** Counts what a signed-in member does, apart for the same reason. */
  readonly members: Counters;
}

interface Counter {
  count: number;
  readonly endsAt: number;
}

/** Names what a transaction counts. */
const takeOf = (key: string, window: number) => `take ${window} ${key}`;

/** Looks as `look`, within a transaction: work that runs again is not kept out by what it counted itself. */
export function lookIn(
  tx: Tx,
  counters: Pick<Counters, 'look'>,
  key: string,
  limit: number | null,
  window: number,
): Awaitable<number | null> {
  const isCounted = doneIn(tx, takeOf(key, window))?.value === null;
  return isCounted ? null : counters.look(key, limit, window);
}

/**
 * Counts as `take`, within a transaction: work that runs again is counted once.
 *
 * @param turn tells what one piece of work counts several times for a key apart
 */
export function takeIn(
  tx: Tx,
  counters: Pick<Counters, 'take' | 'giveBack'>,
  key: string,
  limit: number | null,
  window: number,
  turn = '',
): Promise<number | null> {
  return onceIn(
    tx,
    `${takeOf(key, window)}${turn}`,
    () => counters.take(key, limit, window),
    (wait) => (wait === null ? counters.giveBack(key, window) : undefined),
  );
}

/** Gives back within a transaction what was counted in it. @param turn as for `takeIn` */
export function giveBackIn(
  tx: Tx,
  counters: Pick<Counters, 'take' | 'giveBack'>,
  key: string,
  window: number,
  turn = '',
): Promise<void> {
  return onceIn(
    tx,
    `give back ${window} ${key}${turn}`,
    () => counters.giveBack(key, window),
    async () => {
      await counters.take(key, Number.MAX_SAFE_INTEGER, window);
    },
  );
}

/** How many counters whose window is over a new one clears away: more than one, so that they grow fewer. */
const clearedAtOnce = 2;

/** @param most how many keys are counted for each length of a window: many addresses must not fill the memory */
export function createRateLimiter(clock: Clock, most = countedKeys): RateLimiter {
  return {
    ...createCounters(clock, most),
    shared: createCounters(clock, most),
    members: createCounters(clock, most),
  };
}

function createCounters(clock: Clock, most: number): Counters {
  /** By the length of their windows: those of one length end in the order in which they began. */
  const windows = new Map<number, AgedMap<Counter>>();
  const countersOf = (window: number) => {
    const known = windows.get(window);
    if (known !== undefined) return known;
    const counters = createAgedMap<Counter>();
    windows.set(window, counters);
    return counters;
  };
  /** Forgets windows that are over, and where there are too many keys, the one that began first. */
  const clear = (counters: AgedMap<Counter>, now: number) => {
    for (let cleared = 0; cleared < clearedAtOnce; cleared += 1) {
      const oldest = counters.oldest();
      if (oldest === undefined || (now < oldest[1].endsAt && counters.size < most)) return;
      counters.delete(oldest[0]);
    }
  };
  const current = (counters: AgedMap<Counter>, key: string, window: number, now: number) => {
    const counter = counters.get(key);
    // A window never lasts longer than it should, even if the clock is set back.
    const isOver = counter === undefined || now >= counter.endsAt || counter.endsAt - now > window;
    return isOver ? null : counter;
  };
  const secondsOf = ({ endsAt }: Counter, now: number) => Math.ceil((endsAt - now) / 1_000);
  const waitOf = (counter: Counter | null, limit: number, now: number) =>
    counter !== null && counter.count >= limit ? secondsOf(counter, now) : null;
  const begun = (key: string, window: number, now: number) => {
    const counters = countersOf(window);
    const known = current(counters, key, window, now);
    if (known !== null) return known;
    counters.delete(key);
    clear(counters, now);
    const counter = { count: 0, endsAt: now + window };
    counters.set(key, counter);
    return counter;
  };
  const add = (counter: Counter, limit: number, now: number) => {
    const wait = waitOf(counter, limit, now);
    if (wait === null) counter.count += 1;
    return wait;
  };
  return {
    look(key, limit, window) {
      if (limit === null) return null;
      const now = clock();
      return waitOf(current(countersOf(window), key, window, now), limit, now);
    },
    take(key, limit, window) {
      if (limit === null) return null;
      const now = clock();
      return add(begun(key, window, now), limit, now);
    },
    tally(key, limit, window) {
      const now = clock();
      const counter = begun(key, window, now);
      const wait = add(counter, limit, now);
      return { wait, left: Math.max(0, limit - counter.count), resets: secondsOf(counter, now) };
    },
    giveBack(key, window) {
      const counter = current(countersOf(window), key, window, clock());
      if (counter !== null && counter.count > 0) counter.count -= 1;
    },
  };
}
