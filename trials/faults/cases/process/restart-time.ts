import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { workedMilliseconds } from '../../../../test/support/process/started.ts';
import { type Case, type Outcome, violations } from '../../case.ts';
import { newFamily, next } from '../../clients/client.ts';
import { examineFile } from '../../integrity.ts';
import { newSite, removeSite, run, type Site } from '../../site.ts';

const gigabyte = 1_024 ** 3;
const logBytes = 64 * 1_024 ** 2;
/** ms from the start to the ready line (security, Z21); where others keep the machine busy, of its own work. */
const readyTime = 5_000;

/** Rows as a busy service has them most: events of the audit. */
const fill = (rows: number) => `
  with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
  insert into auditEvents (at, event, result, tenantId, actorKind, actorId, clientId, target, address, reason)
    select 1767225600000 + i, 'token_refreshed', 'done', (select id from tenants limit 1), 'client',
      'spa', 'spa', lower(hex(randomblob(16))), '198.51.100.' || (i % 250), hex(randomblob(90)) from n`;

/** Writes into the log of a closed database and dies without a checkpoint, as a killed service does. */
const program = `
  import SQLite from 'better-sqlite3';
  import { statSync } from 'node:fs';
  const file = new SQLite(process.argv[1]);
  file.pragma('wal_autocheckpoint = 0');
  while ((statSync(process.argv[1] + '-wal', { throwIfNoEntry: false })?.size ?? 0) < ${logBytes}) {
    file.exec(process.argv[2]);
  }
  process.kill(process.pid, 'SIGKILL');
`;

async function runRestart(): Promise<Outcome> {
  const found = violations();
  const site = await newSite();
  let running = await run(site);
  const token = await newFamily(running);
  await running.stop();

  const path = join(site.folder, 'memberdoor.db');
  const file = new SQLite(path);
  file.pragma('synchronous = off');
  while (statSync(path).size < gigabyte) {
    file.exec(fill(100_000));
    file.pragma('wal_checkpoint(truncate)');
  }
  file.close();
  spawnSync(process.execPath, ['--input-type=module', '--eval', program, path, fill(20_000)], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
  const log = statSync(`${path}-wal`).size;
  found.unless(log >= logBytes, `the log has ${log} bytes only`);

  const isBusy = (loadavg()[0] ?? 0) > availableParallelism();
  const warm = await timedStart(site);
  running = warm.running;
  const { ms, worked } = warm;
  found.unless((isBusy ? worked : ms) <= readyTime, `it was ready after ${ms} ms, ${worked} ms of work`);
  const first = await next(running, token);
  found.unless(first !== null, 'the first request was answered wrongly');
  await running.kill();
  forget(path);
  const cold = await timedStart(site);
  running = cold.running;
  for (const problem of examineFile(site.folder)) found.add(problem);
  found.unless(first === null || (await next(running, first)) !== null, 'the first answer was lost');
  await running.stop();
  const size = Math.round(statSync(path).size / 1_000_000);
  removeSite(site);
  const note = `${size} MB and a log of ${Math.round(log / 1_000_000)} MB: ready after ${ms} ms, ${worked} ms of work; from the disk alone ${cold.ms} ms, ${cold.worked} ms of work${isBusy ? '; the machine was busy, so the work counts' : ''}`;
  return { rounds: 1, violations: found.all, note };
}

/** Starts a site's service. @returns it, with how long it took and how long it worked until it was ready: ms */
async function timedStart(site: Site) {
  const begun = performance.now();
  const running = await run(site);
  const ms = Math.round(performance.now() - begun);
  return { running, ms, worked: workedMilliseconds(running.started.pid) };
}

/** Lets the system forget what it has of a file in memory, as a power cut does (GNU dd; others keep it). */
function forget(path: string): void {
  spawnSync('sync', [path]);
  spawnSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0']);
}

export const restartTime: Case = {
  id: 'Z21',
  title: 'kill -9 with 1 GB and a log of 64 MB: ready within 5 s, the first answer is right',
  needs: [],
  run: runRestart,
};
