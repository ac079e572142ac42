// Several processes on one database: npm run test:cluster. Three processes behind a proxy, PostgreSQL behind another, and
// what may go wrong between them. It takes half an hour (`--rounds 20` for fewer rounds, `--only races` for some cases).
import { readWords, runCases } from '../faults/suite.ts';
import { choreTaken } from './cases/chores.ts';
import { clock } from './cases/clock.ts';
import { databaseKilled } from './cases/database.ts';
import { kills } from './cases/kill.ts';
import { ledgerUnderLoad } from './cases/ledger.ts';
import { partition } from './cases/partition.ts';
import { races } from './cases/races.ts';
import { rollingUpgrade } from './cases/upgrade.ts';
import { startCluster } from './site/cluster.ts';

const ids = ['ledger', 'races', 'kill', 'database', 'partition', 'clock', 'upgrade'] as const;
const { rounds, isChosen } = readWords('test:cluster', ids, 200);
process.stdout.write('starting PostgreSQL and three processes ...\n');
const cluster = await startCluster({ racerCount: rounds + 10 });
const cases = [
  ledgerUnderLoad(cluster),
  ...races(cluster),
  ...kills(cluster),
  choreTaken(cluster),
  databaseKilled(cluster),
  partition(cluster),
  clock(cluster),
  rollingUpgrade,
];
const isPassed = await runCases(
  cases.filter(({ id }) => isChosen(id)),
  rounds,
  cluster.mend,
);
await cluster.close();
process.exit(isPassed ? 0 : 1);
