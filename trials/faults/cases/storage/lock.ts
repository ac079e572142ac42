import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { apps, refreshAs } from '../../../../test/support/tokens.ts';
import { type Case, type Outcome, violations } from '../../case.ts';
import { newFamily, next } from '../../clients/client.ts';
import { newSite, type RunningSite, removeSite, run } from '../../site.ts';

/** How long another program holds the file, in ms. */
const lockTime = 5_000;
/** ms (security, Z10); on a machine with other work, at most so many times what it is without the lock. */
const most = { write: 500, discovery: 100 } as const;
const slack = 3;

const quantile = (times: readonly number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * part)] ?? 0;

/** Reads and writes for a while. @returns ms of each, and how the writes were answered */
async function measure({ service, host, http }: RunningSite, ms: number, token: string) {
  const reads: number[] = [];
  const writes: number[] = [];
  const statuses = new Set<number>();
  const until = performance.now() + ms;
  const repeat = async (times: number[], work: () => Promise<void>) => {
    while (performance.now() < until) {
      const begun = performance.now();
      await work();
      times.push(performance.now() - begun);
    }
  };
  let current = token;
  await Promise.all([
    repeat(reads, async () => {
      await http(host, '/.well-known/openid-configuration');
      await wait(2);
    }),
    repeat(writes, async () => {
      const answer = await refreshAs(service, host, apps.spa, current);
      statuses.add(answer.status);
      if (answer.status === 200) current = String(answer.json().refresh_token);
    }),
  ]);
  return { read: quantile(reads, 0.99), write: quantile(writes, 1), statuses: [...statuses], current };
}

async function runLock(): Promise<Outcome> {
  const found = violations();
  const site = await newSite();
  const running = await run(site);
  const usual = await measure(running, 2_000, await newFamily(running));

  const other = new SQLite(join(site.folder, 'memberdoor.db'));
  other.exec('begin immediate');
  const locked = await measure(running, lockTime, usual.current);
  other.exec('rollback');
  other.close();

  const allowed = {
    write: Math.max(most.write, usual.write * slack),
    read: Math.max(most.discovery, usual.read * slack),
  };
  found.unless(locked.statuses.join() === '503', `writes were answered by ${locked.statuses.join()}`);
  found.unless(locked.write <= allowed.write, `a write was answered after ${Math.round(locked.write)} ms`);
  found.unless(locked.read <= allowed.read, `discovery took ${Math.round(locked.read)} ms (p99)`);
  const after = await next(running, locked.current);
  found.unless(after !== null, 'a refresh that was answered by 503 spent its token');
  await running.kill();
  removeSite(site);
  const figures = (name: 'read' | 'write') =>
    `${Math.round(locked[name])} ms (${Math.round(usual[name])} without)`;
  const note = `writes 503 within ${figures('write')}, discovery p99 ${figures('read')}`;
  return { rounds: 1, violations: found.all, note };
}

export const foreignLock: Case = {
  id: 'Z10',
  title: 'another program holds the file: writes 503 within 500 ms, reads go on',
  needs: [],
  run: runLock,
};
