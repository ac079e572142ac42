// Counts, for all processes of a database, how often something happened in a window of time.
import { sha256 } from '../../core/hash.ts';
import { countedKeys, fullKnownFor } from '../../core/limits.ts';
import { clockTolerance } from '../../core/operators/limits.ts';
import type { Clock } from '../../system/clock.ts';
import { createAgedMap } from '../memory/aged-map.ts';
import type { Counters, RateLimiter, Tally } from '../memory/rate-limit.ts';
import { prepared, query } from '../prepared.ts';
import type { CounterRow } from '../schema.ts';
import type { Tx } from '../store.ts';

/**
 * A limiter whose counts are in the database. Each is exact however many processes count at once: one statement adds
 * one where there is room. It is committed by itself, so that no other count waits until a transaction ends.
 *
 * @param autocommit see `Store`
 */
export function createSharedRateLimiter(autocommit: Tx, clock: Clock): RateLimiter {
  const counters = createSharedCounters(autocommit, clock);
  // No key pushes out another.
  return { ...counters, shared: counters, members: counters };
}

/** A counter that was full a moment ago. */
interface Full {
  readonly limit: number;
  readonly endsAt: number;
  readonly seenAt: number;
}

function createSharedCounters(autocommit: Tx, clock: Clock): Counters {
  /** A sender that goes on beyond a limit costs the database one statement a second (decision 51). */
  const full = createAgedMap<Full>(countedKeys);
  const idOf = (key: string, window: number) => sha256(`${window} ${key}`);
  const waitUntil = (endsAt: number, window: number, now: number) =>
    Math.ceil(Math.min(endsAt - now, window) / 1_000);

  const knownWait = (id: string, limit: number, window: number, now: number): number | null => {
    const known = full.get(id);
    if (known === undefined) return null;
    const isNews = now >= known.seenAt && now - known.seenAt < fullKnownFor && now < known.endsAt;
    if (isNews && limit <= known.limit) return waitUntil(known.endsAt, window, now);
    full.delete(id);
    return null;
  };
  /** @returns null if there is room for one more */
  const ask = async (id: string, limit: number, window: number, now: number): Promise<number | null> => {
    const counter = await counterOf.first(autocommit, { key: id });
    if (counter === null || isOver(counter, window, now) || counter.count < limit) return null;
    full.set(id, { limit, endsAt: counter.endsAt, seenAt: now });
    return waitUntil(counter.endsAt, window, now);
  };
  const tally = async (key: string, limit: number, window: number): Promise<Tally> => {
    const refused = (wait: number): Tally => ({ wait, left: 0, resets: wait });
    const now = clock();
    const id = idOf(key, window);
    const known = knownWait(id, limit, window, now);
    if (known !== null) return refused(known);
    const endsAt = now + window;
    const one = { key: id, endsAt, now, latest: endsAt + clockTolerance, limit };
    const counted = limit > 0 ? await addition.first(autocommit, one) : null;
    if (counted !== null) {
      const resets = Math.max(1, waitUntil(counted.endsAt, window, now));
      return { wait: null, left: Math.max(0, limit - counted.count), resets };
    }
    // Where it was over a moment later, or never began, it is refused all the same.
    return refused((await ask(id, limit, window, now)) ?? waitUntil(endsAt, window, now));
  };
  return {
    async look(key, limit, window) {
      if (limit === null) return null;
      const now = clock();
      const id = idOf(key, window);
      return knownWait(id, limit, window, now) ?? (await ask(id, limit, window, now));
    },
    async take(key, limit, window) {
      return limit === null ? null : (await tally(key, limit, window)).wait;
    },
    tally,
    async giveBack(key, window) {
      const now = clock();
      const id = idOf(key, window);
      full.delete(id);
      await subtraction.run(autocommit, { key: id, now });
    },
  };
}

/** A window lasts no longer than it should, even if a clock is set back; the clocks of processes differ a little. */
const isOver = ({ endsAt }: Pick<CounterRow, 'endsAt'>, window: number, now: number) =>
  endsAt <= now || endsAt > now + window + clockTolerance;

const counterOf = prepared(({ key }: Pick<CounterRow, 'key'>) =>
  query.selectFrom('counters').select(['count', 'endsAt']).where('key', '=', key),
);

interface Addition extends Pick<CounterRow, 'key' | 'endsAt'> {
  readonly now: number;
  /** Whatever ends later was counted by a clock that was set back since. */
  readonly latest: number;
  readonly limit: number;
}

/** Adds one where the window is over or there is room; then alone it answers with a row. */
const addition = prepared(({ key, endsAt, now, latest, limit }: Addition) =>
  query
    .insertInto('counters')
    .values({ key, count: 1, endsAt })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet(({ case: choose, eb, ref }) => {
          const isPast = eb.or([eb('counters.endsAt', '<=', now), eb('counters.endsAt', '>', latest)]);
          return {
            count: choose()
              .when(isPast)
              .then(1)
              .else(eb('counters.count', '+', 1))
              .end(),
            endsAt: choose().when(isPast).then(ref('excluded.endsAt')).else(ref('counters.endsAt')).end(),
          };
        })
        .where((eb) =>
          eb.or([
            eb('counters.endsAt', '<=', now),
            eb('counters.endsAt', '>', latest),
            eb('counters.count', '<', limit),
          ]),
        ),
    )
    .returning(['count', 'endsAt']),
);

const subtraction = prepared(({ key, now }: Pick<CounterRow, 'key'> & { readonly now: number }) =>
  query
    .updateTable('counters')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', key)
    .where('count', '>', 0)
    .where('endsAt', '>', now),
);
