import { setTimeout as wait } from 'node:timers/promises';
import { postgresTimes } from '../../../src/core/operators/store-limits.ts';
import type { Case, CaseOptions, Outcome, Violations } from '../../faults/case.ts';
import { anyUnder } from '../../faults/site.ts';
import type { Cluster } from '../site/cluster.ts';
import { prepareQuestions, type Questions } from '../site/outage.ts';
import { playRounds } from '../site/rounds.ts';

/** How long the clients work at most before the database is killed, and how long that is gone (ms). */
const times = { before: 1_000, gone: 3_000 } as const;
/** How long a process may take to say that it is not ready, and to be ready again (ms). */
const patience = { away: 3_000, back: 10_000 } as const;
const roundsEach = 10;

/** Holds every process to what it does without its database. */
async function checkAway(
  cluster: Cluster,
  questions: readonly Questions[],
  found: Violations,
): Promise<number> {
  const times = await Promise.all(
    cluster.processes.map(async (process, index) => {
      const ms = await process.whenReady(false, patience.away);
      found.unless(ms !== null, `process ${index} says that it is ready without its database`);
      return questions[index]?.ask(cluster.at(index), postgresTimes.connection + postgresTimes.answer) ?? 0;
    }),
  );
  return Math.max(...times);
}

async function runDatabase(cluster: Cluster, { rounds }: CaseOptions): Promise<Outcome> {
  const { postgres, processes } = cluster;
  // While the database is away 503 is right, and afterwards it is not.
  let isAway = false;
  let slowest = 0;
  const back: number[] = [];
  const count = Math.max(2, Math.ceil(rounds / roundsEach));
  return playRounds(
    cluster,
    { name: 'database', count, waitsForMails: false, mayRefuse: () => isAway },
    async ({ number, door, found, stop }) => {
      const questions: Questions[] = [];
      for (const _ of processes) questions.push(await prepareQuestions(cluster.door, found));
      await wait(anyUnder(times.before));
      isAway = true;
      await postgres.kill('SIGKILL');
      const gone = wait(times.gone);
      slowest = Math.max(slowest, await checkAway(cluster, questions, found));
      await gone;
      stop();
      return async () => {
        await postgres.start();
        for (const [index, process] of processes.entries()) {
          const ms = await process.whenReady(true, patience.back);
          found.unless(ms !== null, `round ${number}: process ${index} does not come back by itself`);
          back.push(ms ?? patience.back);
        }
        isAway = false;
        for (const one of questions) await one.askAgain(door);
        return door;
      };
    },
    () => `503 within ${slowest} ms, ready again after ${Math.max(...back)} ms at most`,
  );
}

export const databaseKilled = (cluster: Cluster): Case => ({
  id: 'database',
  title: 'kill -9 of PostgreSQL under load: 503 while it is gone, then all goes on',
  needs: [],
  run: (options) => runDatabase(cluster, options),
});
