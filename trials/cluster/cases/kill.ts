import { setTimeout as wait } from 'node:timers/promises';
import { mailLook } from '../../../src/core/members/limits.ts';
import { lease } from '../../../src/core/operators/store-limits.ts';
import { type Case, type CaseOptions, type Outcome, violations } from '../../faults/case.ts';
import { expectStatus } from '../../faults/clients/client.ts';
import { anyUnder, type Served } from '../../faults/site.ts';
import type { Cluster } from '../site/cluster.ts';
import { playRounds } from '../site/rounds.ts';
import { openWitness } from '../site/witness.ts';

/** How long a process works before it is killed at most, and how long it is gone (ms). */
const times = { before: 1_000, gone: 3_000 } as const;
/** One round of kills is as long as so many of a race. */
const roundsEach = 10;

async function runKills(cluster: Cluster, { rounds }: CaseOptions): Promise<Outcome> {
  const count = Math.max(2, Math.ceil(rounds / roundsEach));
  let served = 0;
  let longest = 0;
  return playRounds(
    cluster,
    { name: 'kill', count, waitsForMails: false },
    async ({ number, door, found, stop }) => {
      const killed = cluster.processes[anyUnder(cluster.processes.length)];
      if (killed === undefined) throw new Error('there is no process');
      const witness = await openWitness(door, found);
      await wait(anyUnder(times.before));
      await killed.kill();
      witness.begin();
      await wait(times.gone);
      const seen = await witness.stop();
      found.unless(seen.served > 0, `round ${number}: no client was served while a process was gone`);
      [served, longest] = [served + seen.served, Math.max(longest, seen.longest)];
      stop();
      return async () => {
        await killed.start();
        return door;
      };
    },
    () => `${served} refreshes beside it, ${longest} ms at most`,
  );
}

/** Mails that one process has taken when it is killed. */
const mailCount = 6;

async function invite({ http, host }: Served, adminToken: string, email: string): Promise<void> {
  const made = await http(host, `/api/v1/admin/tenants/${host}/members`, {
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ fullName: 'Nova Lund', email }),
  });
  expectStatus(made, 200, 'an invitation');
}

async function runMails(cluster: Cluster): Promise<Outcome> {
  const { processes, mails, adminToken } = cluster;
  const found = violations();
  const [killed, ...others] = processes;
  if (killed === undefined) throw new Error('there is no process');
  const emails = Array.from(
    { length: mailCount + 1 },
    (_, index) => `mail-${index}-${Date.now()}@example.com`,
  );
  const [first = '', ...rest] = emails;
  await Promise.all(others.map((process) => process.stop()));
  // While the first one is on its way, the others come into the queue: it takes them all at once.
  const isFirstHeld = mails.holdAfter(0);
  await invite(cluster.at(0), adminToken, first);
  await isFirstHeld;
  for (const email of rest) await invite(cluster.at(0), adminToken, email);
  await mails.holdAfter(1);
  await killed.kill();
  mails.letGo();
  await Promise.all(others.map((process) => process.start()));
  const begun = performance.now();
  const most = lease.time + 2 * mailLook;
  const missing = () => emails.filter((email) => mails.count(email) === 0);
  while (missing().length > 0 && performance.now() - begun < most) await wait(100);
  const took = Math.round((performance.now() - begun) / 1_000);
  found.unless(
    missing().length === 0,
    `${missing().length} of ${emails.length} mails did not leave in ${most} ms`,
  );
  // The one that was on its way may come twice, a lease later.
  await wait(2 * mailLook);
  const counts = emails.map((email) => mails.count(email));
  const more = counts.reduce((sum, count) => sum + count, 0) - emails.length;
  found.unless(more <= 1, `mails left more than once: ${counts.join(', ')}`);
  await killed.start();
  return {
    rounds: 1,
    violations: found.all,
    note: `${emails.length} mails after ${took} s, ${more} of them twice`,
  };
}

export const kills = (cluster: Cluster): readonly Case[] => [
  {
    id: 'kill',
    title: 'kill -9 of one process under load: nothing is lost, and the others go on',
    needs: [],
    run: (options) => runKills(cluster, options),
  },
  {
    id: 'kill',
    title: 'kill -9 of a process that has mails in hand: another sends them',
    needs: [],
    run: () => runMails(cluster),
  },
];
