import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { lease } from '../../../src/core/operators/store-limits.ts';
import { type Case, type Outcome, violations } from '../../faults/case.ts';
import type { Cluster } from '../site/cluster.ts';

/** Counters that are over: more than a process sweeps before it is killed. */
const rows = 10_000;
/** How much sooner than usual a process looks for its chores: every 5 s. */
const sooner = 60;
const minute = 60_000;
/** The other one looks, and sweeps what is left (ms). */
const sweepTime = 45_000;

/** Timers of a minute or more come sooner; a lease and what a request waits for take as long as ever. */
const code = `for (const name of ['setTimeout', 'setInterval']) {
  const own = globalThis[name];
  globalThis[name] = (work, ms, ...more) => own(work, ms >= ${minute} ? ms / ${sooner} : ms, ...more);
}`;
const options = ['--import', `data:text/javascript,${encodeURIComponent(code)}`];

async function runChores({ processes, databaseUrl }: Cluster): Promise<Outcome> {
  const found = violations();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const left = async () =>
    Number((await client.query('select count(*) as left from counters where "endsAt" = 1')).rows[0].left);
  /** Waits until so many are left at most. @returns how many are */
  const waitFor = async (most: number, ms: number) => {
    const until = performance.now() + ms;
    let count = await left();
    for (; count > most && performance.now() < until; count = await left()) await wait(20);
    return count;
  };
  const [killed, other] = processes;
  if (killed === undefined || other === undefined) throw new Error('there are no two processes');
  await Promise.all(processes.map((process) => process.stop()));
  // As if they had been swept long ago.
  await client.query('delete from leases');
  await client.query(
    'insert into counters (key, count, "endsAt") select md5(i::text), 1, 1 from generate_series(1, $1) i',
    [rows],
  );
  await killed.start({ options });
  const swept = rows - (await waitFor(rows - 1_000, sweepTime));
  await killed.kill();
  found.unless(swept > 0 && swept < rows, `a process had swept ${swept} of ${rows} rows when it was killed`);
  const begun = performance.now();
  await other.start({ options });
  const untaken = await waitFor(0, lease.time + sweepTime);
  found.unless(untaken === 0, `${untaken} rows were not swept by another process`);
  const took = Math.round((performance.now() - begun) / 1_000);
  await other.stop();
  await client.query('delete from counters where "endsAt" = 1');
  await client.end();
  return { rounds: 1, violations: found.all, note: `${rows - swept} rows swept by another after ${took} s` };
}

export const choreTaken = (cluster: Cluster): Case => ({
  id: 'kill',
  title: 'kill -9 of a process in the middle of a chore: another does the rest',
  needs: [],
  run: () => runChores(cluster),
});
