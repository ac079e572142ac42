import { setTimeout as wait } from 'node:timers/promises';
import { readinessLife, readinessTime } from '../../../src/core/operators/limits.ts';
import { postgresTimes } from '../../../src/core/operators/store-limits.ts';
import { askForCode } from '../../../test/support/device.ts';
import type { Case, CaseOptions, Outcome } from '../../faults/case.ts';
import { developmentPassword } from '../../faults/clients/client.ts';
import { signsIn } from '../../faults/clients/sign-up.ts';
import { anyUnder, type Served } from '../../faults/site.ts';
import type { Cluster } from '../site/cluster.ts';
import { prepareQuestions, type Questions } from '../site/outage.ts';
import { playRounds } from '../site/rounds.ts';
import { guessedAt } from '../site/tenants.ts';
import { openWitness } from '../site/witness.ts';

/** How long the network between one process and the database is lost (ms), and how often it is asked meanwhile. */
const lostTime = 30_000;
const asks = 2;
/** One round is as long as so many of a race. */
const roundsEach = 100;
/** How long a process may take to say that it is not ready, and to be ready again (ms). */
const patience = { lost: readinessLife + readinessTime + 1_000, back: 15_000 } as const;
/** A request waits for a connection and for an answer: those that read alone first for their turn. */
const slowest = 2 * (postgresTimes.connection + postgresTimes.answer) + 1_000;
/** Others wait for a row of the lost process until the server ends its transaction; and the machine is busy. */
const othersWait = postgresTimes.idleInTransaction + 2_000;
/** An account has five wrong passwords in turn before it waits (security, Defaults; F1). */
const guesses = { lost: 1, elsewhere: 3 } as const;
const wrongPassword = 'this is not the password';

/** Guesses at an account while the network is lost, and afterwards: no guess may count twice. */
function guessAt(email: string) {
  const guess = (at: Served) => signsIn(at, email, wrongPassword).catch(() => {});
  return {
    lost: async (at: Served) => {
      for (let count = 0; count < guesses.lost; count += 1) await guess(at);
    },
    isCountedTwice: async (at: Served) => {
      for (let count = 0; count < guesses.elsewhere; count += 1) await guess(at);
      return !(await signsIn(at, email, developmentPassword));
    },
  };
}

/** Has a process open connections, which are there when nothing comes back on them. */
const openConnections = ({ service, host }: Served) =>
  Promise.all(Array.from({ length: 15 }, () => askForCode(service, host, { clientId: 'tv' })));

async function runPartition(cluster: Cluster, { rounds }: CaseOptions): Promise<Outcome> {
  const { processes, front } = cluster;
  // While the database is away 503 is right, and afterwards it is not.
  let isAway = false;
  const count = Math.ceil(rounds / roundsEach);
  const notes: string[] = [];
  return playRounds(
    cluster,
    { name: 'partition', count, waitsForMails: false, mayRefuse: () => isAway },
    async ({ number, door, found, stop }) => {
      const index = anyUnder(processes.length);
      const lost = processes[index];
      if (lost === undefined) throw new Error('there is no process');
      const guessing = guessAt(guessedAt.at(-1 - (number % 10)) as string);
      const questions: Questions[] = [];
      for (let count = 0; count < asks; count += 1) questions.push(await prepareQuestions(door, found));
      const witness = await openWitness(cluster.door, found);
      await wait(anyUnder(1_000));
      isAway = true;
      const site = cluster.at(index);
      await openConnections(site);
      lost.gate.hold();
      const back = wait(lostTime);
      const atOnce = questions.map((one) => one.ask(site, slowest));
      const unready = await lost.whenReady(false, patience.lost);
      found.unless(unready !== null, 'a process that lost its database says that it is ready');
      front.leaveOut(index);
      witness.begin();
      let longest = Math.max(...(await Promise.all(atOnce)));
      for (const one of questions) longest = Math.max(longest, await one.ask(site, slowest));
      await guessing.lost(site);
      await back;
      const seen = await witness.stop();
      found.unless(seen.longest <= othersWait, `another process answered after ${seen.longest} ms`);
      lost.gate.open();
      const ready = await lost.whenReady(true, patience.back);
      found.unless(ready !== null, 'a process does not come back when the network does');
      front.takeIn(index);
      stop();
      notes.push(
        `not ready after ${unready} ms, 503 within ${longest} ms, ready again after ${ready} ms, ${seen.served} refreshes elsewhere within ${seen.longest} ms`,
      );
      return async () => {
        isAway = false;
        for (const one of questions) await one.askAgain(door);
        found.unless(!(await guessing.isCountedTwice(door)), 'a guess was counted twice');
        return door;
      };
    },
    (found, figures) => {
      const longest = Math.round(figures.within(1));
      found.unless(longest <= slowest, `a client waited ${longest} ms for an answer`);
      return [`${longest} ms at most`, ...notes].join('; ');
    },
  );
}

export const partition = (cluster: Cluster): Case => ({
  id: 'partition',
  title: 'one process loses the database without a word: it says 503 in time, and the others go on',
  needs: [],
  run: (options) => runPartition(cluster, options),
});
