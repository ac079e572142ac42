import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { apps, refreshAs } from '../../../../test/support/tokens.ts';
import type { Tokens } from '../../../../test/support/visitor.ts';
import { type Case, type Outcome, violations } from '../../case.ts';
import { newFamily, next } from '../../clients/client.ts';
import { examineFile } from '../../integrity.ts';
import { errorLines } from '../../outage.ts';
import { begin, newSite, type RunningSite, removeSite, run, type Site } from '../../site.ts';

/** ms until the service has noticed (security, F11); an answer of `/readyz` stands for a second. */
const noticeTime = 1_000;
const readyTime = noticeTime + 1_000;
const slack = 3;
const writers = 4;

interface Mishap {
  /** Does it. `older` is a copy of the database of before. */
  readonly happen: (path: string, older: string) => void;
  /** What a start says afterwards; null if it serves what was confirmed. */
  readonly refused: RegExp | null;
}

const otherDatabase = (path: string) => {
  const other = new SQLite(`${path}.other`);
  other.exec('create table notes (text)');
  other.close();
  renameSync(`${path}.other`, path);
};

/** What happens to the file of a running service, by name. */
const mishaps: Readonly<Record<string, Mishap>> = {
  removed: { happen: (path) => rmSync(path), refused: /There is no database at/ },
  'replaced by an older copy': {
    happen: (path, older) => renameSync(older, path),
    refused: /is not of the database/,
  },
  'overwritten by an older copy': {
    happen: (path, older) => copyFileSync(older, path),
    refused: /is not of the database/,
  },
  'replaced by another database': { happen: otherDatabase, refused: /is not of the database/ },
  'truncated to nothing': { happen: (path) => truncateSync(path, 0), refused: /is an empty file/ },
  'truncated to half': {
    happen: (path) => truncateSync(path, statSync(path).size / 2),
    refused: /damaged|cannot be opened/,
  },
  'without its log': { happen: (path) => rmSync(`${path}-wal`), refused: null },
};

const digestOf = (path: string) =>
  existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'nothing';

/** Refreshes in a loop until told to stop. @returns the last confirmed token of each, and when one was asked for */
function write(site: RunningSite, tokens: readonly string[]) {
  let isOver = false;
  let happenedAt = Number.POSITIVE_INFINITY;
  const late: number[] = [];
  let refusedAt = Number.POSITIVE_INFINITY;
  const done = tokens.map(async (first) => {
    let token = first;
    while (!isOver) {
      const sentAt = performance.now();
      const answer = await refreshAs(site.service, site.host, apps.spa, token);
      if (answer.status === 200) {
        token = String(answer.json<Tokens & Record<string, unknown>>().refresh_token);
        if (sentAt > happenedAt) late.push(sentAt - happenedAt);
      } else {
        refusedAt = Math.min(refusedAt, performance.now());
        await wait(20);
      }
    }
    return token;
  });
  return {
    happened: () => {
      happenedAt = performance.now();
    },
    late,
    refusedAfter: () => refusedAt - happenedAt,
    stop: () => {
      isOver = true;
      return Promise.all(done);
    },
  };
}

async function unready({ http, host }: RunningSite): Promise<number> {
  const begun = performance.now();
  while ((await http(host, '/readyz')).status !== 503) {
    if (performance.now() - begun > readyTime * slack) return Number.POSITIVE_INFINITY;
    await wait(50);
  }
  return performance.now() - begun;
}

/** A service with members signed in, and a copy of its database as it was before. */
async function prepare(): Promise<{ running: RunningSite; older: string; tokens: string[] }> {
  const site = await newSite();
  const first = await run(site);
  const tokens: string[] = [];
  for (let count = 0; count < writers; count += 1) tokens.push(await newFamily(first));
  await first.stop();
  const older = join(site.folder, 'older.db');
  copyFileSync(join(site.folder, 'memberdoor.db'), older);
  // What the copy lacks is partly in the file, and partly in its log.
  const second = await run(site);
  for (const [index, token] of tokens.entries()) tokens[index] = String(await next(second, token));
  await second.stop();
  const running = await run(site);
  for (const [index, token] of tokens.entries()) tokens[index] = String(await next(running, token));
  return { running, older, tokens };
}

async function suffer({ happen, refused }: Mishap, isKilled: boolean): Promise<readonly string[]> {
  const found = violations();
  const { running, older, tokens } = await prepare();
  const path = join(running.folder, 'memberdoor.db');
  const writing = write(running, tokens);
  await wait(300);
  happen(path, older);
  writing.happened();
  const left = digestOf(path);
  const unreadyAfter = await unready(running);
  found.unless(unreadyAfter <= readyTime * slack, `it is ready after ${Math.round(unreadyAfter)} ms`);
  await wait(300);
  await writing.stop();
  const refusedAfter = writing.refusedAfter();
  found.unless(
    refusedAfter <= noticeTime * slack,
    `a write was refused after ${Math.round(refusedAfter)} ms`,
  );
  found.unless(writing.late.length === 0, `${writing.late.length} writes were confirmed afterwards`);
  const told = errorLines(running).filter((line) => line.includes('Nothing is written any more'));
  found.unless(told.length === 1 && told[0]?.includes(path) === true, `the log says: ${told.join(' | ')}`);
  if (isKilled) await running.kill();
  else await running.stop();
  found.unless(digestOf(path) === left, 'the file was written into');
  for (const problem of await startAgain(running, refused)) found.add(problem);
  found.unless(refused === null || digestOf(path) === left, 'the next start wrote into the file');
  removeSite(running);
  return found.all;
}

async function startAgain(site: Site, refused: RegExp | null): Promise<readonly string[]> {
  const started = begin(site);
  const end = await Promise.race([started.ready.catch(() => started.exited), started.exited]);
  const isRunning = typeof end === 'string';
  await started.kill();
  const said = started.errorLines().join(' | ');
  if (refused === null) return isRunning ? [] : [`it does not start again: ${said}`];
  if (isRunning) return ['it started on that file'];
  return refused.test(said) && started.errorLines().length === 1 ? [] : [`the next start says: ${said}`];
}

/** The folder gets another name: the database and its log stay together, and all that was confirmed is there. */
async function renamed(): Promise<readonly string[]> {
  const found = violations();
  const { running, tokens } = await prepare();
  const writing = write(running, tokens);
  await wait(300);
  const elsewhere = `${running.folder}-elsewhere`;
  renameSync(running.folder, elsewhere);
  writing.happened();
  found.unless((await unready(running)) <= readyTime * slack, 'it is ready in a folder that is not there');
  const confirmed = await writing.stop();
  found.unless(writing.late.length === 0, `${writing.late.length} writes were confirmed afterwards`);
  await running.stop();
  renameSync(elsewhere, running.folder);
  const again = await run(running);
  for (const token of confirmed) {
    found.unless((await next(again, token)) !== null, 'a confirmed token was lost');
  }
  await again.stop();
  for (const problem of examineFile(running.folder)) found.add(problem);
  removeSite(running);
  return found.all;
}

async function runAnotherFile(): Promise<Outcome> {
  const found = violations();
  let rounds = 1;
  for (const [name, mishap] of Object.entries(mishaps)) {
    for (const isKilled of [false, true]) {
      rounds += 1;
      const how = `${name}, then ${isKilled ? 'killed' : 'stopped'}`;
      for (const problem of await suffer(mishap, isKilled)) found.add(`${how}: ${problem}`);
    }
  }
  for (const problem of await renamed()) found.add(`folder renamed: ${problem}`);
  return { rounds, violations: found.all, note: '' };
}

export const anotherFile: Case = {
  id: 'F11',
  title: 'the database removed, replaced, overwritten, truncated, moved while it runs: nothing is confirmed',
  needs: [],
  run: runAnotherFile,
};
