import { setTimeout as wait } from 'node:timers/promises';
import type { Case, CaseOptions, Outcome } from '../../faults/case.ts';
import type { Cluster } from '../site/cluster.ts';
import { playRounds } from '../site/rounds.ts';

/** How long the clients work before what they were told is held against the service (ms). */
const roundTime = 2_000;
/** One round of work is as long as so many of a race. */
const roundsEach = 10;

async function runLedger(cluster: Cluster, { rounds }: CaseOptions): Promise<Outcome> {
  const before = await cluster.retries();
  const count = Math.max(2, Math.ceil(rounds / roundsEach));
  return playRounds(
    cluster,
    { name: 'ledger', count },
    async ({ door, stop }) => {
      await wait(roundTime);
      stop();
      return async () => door;
    },
    async () => `${(await cluster.retries()) - before} retries`,
  );
}

export const ledgerUnderLoad = (cluster: Cluster): Case => ({
  id: 'ledger',
  title: 'clients work on all processes: what was acknowledged is so, for each of them',
  needs: [],
  run: (options) => runLedger(cluster, options),
});
