import { setTimeout as wait } from 'node:timers/promises';
import { type Case, type CaseOptions, type Outcome, violations } from '../../faults/case.ts';
import { createFigures } from '../../faults/figures.ts';
import { playRound } from '../../faults/round.ts';
import type { Cluster } from '../site/cluster.ts';
import { examineDatabase } from '../site/integrity.ts';
import { openPlayers } from '../site/players.ts';

/** How long the clients work before what they were told is held against the service (ms). */
const roundTime = 2_000;
/** One round of work is as long as so many of a race. */
const roundsEach = 10;

async function runLedger(cluster: Cluster, { rounds }: CaseOptions): Promise<Outcome> {
  const found = violations();
  const figures = createFigures(found);
  const door = figures.counting(cluster.door);
  const players = openPlayers(cluster.folder, 'ledger');
  const before = await cluster.retries();
  const each = Math.max(2, Math.ceil(rounds / roundsEach));
  for (let round = 1; round <= each; round += 1) {
    const problems = await playRound(door, players, async (stop) => {
      await wait(roundTime);
      stop();
      return async () => door;
    });
    for (const problem of problems) found.add(`round ${round}: ${problem}`);
  }
  for (const problem of await examineDatabase(cluster.databaseUrl)) found.add(problem);
  const acks = players.close();
  const retries = (await cluster.retries()) - before;
  return {
    rounds: each,
    violations: found.all,
    note: `${acks} acknowledged changes, ${figures.text()}, ${retries} retries`,
  };
}

export const ledgerUnderLoad = (cluster: Cluster): Case => ({
  id: 'ledger',
  title: 'clients work on all processes: what was acknowledged is so, for each of them',
  needs: [],
  run: (options) => runLedger(cluster, options),
});
