import { type Case, type CaseOptions, type Outcome, violations } from '../../faults/case.ts';
import { createFigures } from '../../faults/figures.ts';
import { approveAndReject, guessCodes } from '../races/device.ts';
import { inviteTwice, recoverTwice } from '../races/links.ts';
import { guessFromAddress, guessPasswords } from '../races/password.ts';
import { type Race, runRace } from '../races/race.ts';
import { codeTwice, pollTwice, refreshAndRevoke, refreshTwice } from '../races/tokens.ts';
import type { Cluster } from '../site/cluster.ts';
import { examineDatabase } from '../site/integrity.ts';

async function runOne(cluster: Cluster, race: Race, options: CaseOptions): Promise<Outcome> {
  const rounds = Math.ceil(options.rounds / (race.oneIn ?? 1));
  const found = violations();
  const figures = createFigures(found);
  const before = await cluster.retries();
  const sites = cluster.processes.map((_, index) => figures.counting(cluster.at(index)));
  const outcomes = await runRace(cluster, race, rounds, (index) => sites[index] as (typeof sites)[0], found);
  for (const problem of await examineDatabase(cluster.databaseUrl)) found.add(problem);
  const retries = (await cluster.retries()) - before;
  for (const [outcome, count] of outcomes) process.stdout.write(`      ${count} times: ${outcome}\n`);
  return { rounds, violations: found.all, note: `${figures.text()}, ${retries} retries` };
}

export const races = (cluster: Cluster): readonly Case[] =>
  [
    approveAndReject,
    refreshTwice,
    refreshAndRevoke,
    codeTwice,
    pollTwice,
    guessPasswords,
    guessFromAddress,
    guessCodes,
    recoverTwice,
    inviteTwice(cluster),
  ].map((race) => ({
    id: 'races',
    title: race.name,
    needs: [],
    run: (options) => runOne(cluster, race, options),
  }));
