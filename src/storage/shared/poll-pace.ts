// Lets all processes of a database know when each device code was polled last.
import { sql } from 'kysely';
import type { DeviceCode } from '../../core/grants/device-code.ts';
import { pacedCodes } from '../../core/limits.ts';
import { clocksDiffer, pollTimesWritten } from '../../core/operators/limits.ts';
import type { Schedule } from '../../system/clock.ts';
import { createPollTimes, type PollPace, recordIn } from '../memory/poll-pace.ts';
import { afterCommit } from '../operators/audited.ts';
import { prepared, query } from '../prepared.ts';
import type { Tx } from '../store.ts';

/**
 * A pace that holds whichever process is polled. A poll waits for no commit: each process gathers the times of its
 * polls, and writes those of half a second in one statement. What it knows of its own it has in memory; what of the
 * others, it reads with the code.
 *
 * The clock of another process may be ahead, so that its polls seem later than they were: they count as so much
 * earlier as clocks may differ. A device that keeps its interval is never slowed by that.
 *
 * @param autocommit see `Store`
 */
export function createSharedPollPace(autocommit: Tx, schedule: Schedule): PollPace {
  const own = createPollTimes();
  let unwritten = new Map<string, number>();
  let written = Promise.resolve();
  let isPutOff = false;

  const writeAll = async () => {
    // In one order, so that no two processes wait for each other.
    const times = [...unwritten].sort(([one], [other]) => (one < other ? -1 : 1));
    unwritten = new Map();
    for (let from = 0; from < times.length; from += pollTimesWritten.rows) {
      const some = times.slice(from, from + pollTimesWritten.rows);
      await upsert.run(autocommit, { ids: some.map(([id]) => id), times: some.map(([, time]) => time) });
    }
  };
  const write = (): Promise<void> => {
    // Times that cannot be written are lost, as by a restart: a poll may be early then.
    written = written.then(writeAll).catch(() => {});
    return written;
  };
  const writeSoon = (): void => {
    if (isPutOff || unwritten.size === 0) return;
    isPutOff = true;
    const writeNow = async () => {
      await write();
      isPutOff = false;
      writeSoon();
    };
    schedule(() => void writeNow(), pollTimesWritten.interval);
  };

  return {
    async find(tx, tenantId, hash) {
      const found = await polledCode.first(tx, { tenantId, hash });
      if (found === null) return { code: null, lastPolledAt: () => null };
      const { polledAt, ...code } = found;
      const elsewhere = polledAt === null ? null : polledAt - clocksDiffer;
      return { code, lastPolledAt: () => latest(own.lastPolledAt(code.id), elsewhere) };
    },
    record(tx, id, now) {
      recordIn(tx, own, id, now);
      // What runs again must not find its own time among those of the others.
      afterCommit(tx, () => {
        if (unwritten.size < pacedCodes) unwritten.set(id, now);
        writeSoon();
      });
    },
    write,
  };
}

const latest = (one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/** The time by a query of its own for the row: a join reads all times, where the planner knows of few or none yet. */
const polledCode = prepared(
  ({ tenantId, hash }: Pick<DeviceCode, 'tenantId' | 'hash'>) =>
    query
      .selectFrom('deviceCodes')
      .selectAll('deviceCodes')
      .select((eb) =>
        eb
          .selectFrom('pollTimes')
          .select('pollTimes.polledAt')
          .whereRef('pollTimes.deviceCodeId', '=', 'deviceCodes.id')
          .as('polledAt'),
      )
      .where('deviceCodes.hash', '=', hash)
      .where('deviceCodes.tenantId', '=', tenantId),
  { isBatched: true },
);

interface PollTimes {
  readonly ids: readonly string[];
  readonly times: readonly number[];
}

const upsert = prepared(({ ids, times }: PollTimes) =>
  query
    .insertInto('pollTimes')
    .columns(['deviceCodeId', 'polledAt'])
    .expression(sql`select * from unnest(${ids}::text[], ${times}::bigint[])`)
    .onConflict((conflict) =>
      conflict
        .column('deviceCodeId')
        .doUpdateSet(({ ref }) => ({ polledAt: ref('excluded.polledAt') }))
        .whereRef('pollTimes.polledAt', '<', 'excluded.polledAt'),
    ),
);
