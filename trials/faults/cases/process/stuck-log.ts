import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { type HttpClient, httpClient } from '../../../../test/support/http.ts';
import { residentMegabytes, workedMilliseconds } from '../../../../test/support/process/started.ts';
import { freePort } from '../../../../test/support/service.ts';
import { type Case, type CaseOptions, type Outcome, type Violations, violations } from '../../case.ts';
import { deviceClient } from '../../clients/device.ts';
import { poller } from '../../clients/poller.ts';
import { refresher } from '../../clients/refresher.ts';
import { createFigures } from '../../figures.ts';
import { examineFile } from '../../integrity.ts';
import { openLedger } from '../../ledger.ts';
import { closedPipe, fullDevice, type Log, logFile, logOnSmallDisk, unreadPipe } from '../../log.ts';
import { playRound } from '../../round.ts';
import { newSite, type RunningSite, removeSite, run } from '../../site.ts';
import { missing } from '../../tools.ts';

/** So many requests come before what is measured. */
const warmUp = 1_500;
/** How long each log is written to under load, and how much longer until lines are lost that cannot be written: ms. */
const time = 8_000;
const patience = 60_000;
/** How long it may take until what is written again is there: ms. */
const comingTime = 15_000;
/**
 * ms of the answers, or so many times as with a log that is written; so many times the work of each; ms until it ends;
 * MB more. On a machine with other work the p99 says nothing.
 */
const most = { p99: 50, slack: 3, work: 2, exit: 10_000, memory: 40 } as const;
const roundsEach = 60;
/** Requests after a log is in trouble again. */
const burst = 200;
/** A page whose request is a line of the log. */
const page = '/account';
/** Lines of a start that are no events of the audit: where it listens. */
const linesOfStart = 2;

const isRoot = missing('root') === null;
const fullDisk = isRoot ? 'a full disk' : '/dev/full, as only root mounts a small disk';
/** Whatever a log may be in. */
const troubles: Readonly<Record<string, () => Log>> = {
  [fullDisk]: isRoot ? logOnSmallDisk : fullDevice,
  'a pipe behind which head -3 ended': closedPipe,
  'a pipe that is not read': unreadPipe,
};

const newClients = () => [
  ...['refresher 1', 'refresher 2', 'refresher 3', 'refresher 4'].map((name) => refresher(name)),
  deviceClient('device'),
  ...['poller 1', 'poller 2', 'poller 3', 'poller 4'].map(poller),
];

/** The lines of a log that are no text for people, each read. */
function linesOf(text: string, found = violations()): readonly { readonly lost?: number }[] {
  // The last one may not be whole yet.
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    if (!line.startsWith('{') && !line.includes('"level":')) return [];
    try {
      return [JSON.parse(line)];
    } catch {
      found.add(`a line of the log is not whole: ${line.slice(0, 100)}`);
      return [];
    }
  });
}

const toldIn = (lines: readonly { readonly lost?: number }[]) =>
  lines.reduce((sum, { lost = 0 }) => sum + lost, 0);

/** A service that is watched while its log is in some state. */
async function watch(log: Log, found: Violations) {
  const site = await newSite();
  const metricsPort = await freePort();
  const settings = { MEMBERDOOR_LOG_LEVEL: 'info', MEMBERDOOR_METRICS_PORT: String(metricsPort) };
  const running = await run(site, { log: log.path, settings });
  const figures = createFigures(found);
  const metrics = httpClient(metricsPort);
  return {
    running,
    figures,
    site: figures.counting(answered(running, found)),
    lost: async () => {
      const { text } = await metrics('127.0.0.1', '/metrics');
      return Number(/^memberdoor_log_lines_lost (\d+)$/m.exec(text)?.[1]);
    },
    stop: async () => {
      const begun = performance.now();
      metrics.close();
      const code = await running.stop();
      const ms = Math.round(performance.now() - begun);
      found.unless(code === 0 && ms <= most.exit, `SIGTERM: it ended with ${code} after ${ms} ms`);
      return ms;
    },
  };
}

type Watched = Awaited<ReturnType<typeof watch>>;

/** The same service; a connection that ends without an answer is a violation. */
function answered(site: RunningSite, found: Violations): RunningSite {
  const http: HttpClient = Object.assign(
    (...sent: Parameters<HttpClient>) =>
      site.http(...sent).catch((error: unknown) => {
        found.add(`${sent[1].replace(/\?.*/, '')} was not answered: ${error}`);
        throw error;
      }),
    { close: () => site.http.close() },
  );
  return { ...site, http };
}

/** Asks whether it is ready, and looks at its memory, for a while. @returns its memory at the most, in MB */
async function attend({ running, lost }: Watched, isInTrouble: boolean, found: Violations): Promise<number> {
  const begun = performance.now();
  const goesOn = async () => {
    const passed = performance.now() - begun;
    return passed < time || (isInTrouble && passed < time + patience && (await lost()) === 0);
  };
  let highest = 0;
  while (await goesOn()) {
    const { status } = await running.http(running.host, '/readyz');
    found.unless(status === 200, `/readyz is answered by ${status}`);
    highest = Math.max(highest, residentMegabytes(running.started.pid));
    await wait(100);
  }
  return highest;
}

/** Looks every now and then whether something is so. @returns whether it came to be */
async function comes(isSo: () => boolean): Promise<boolean> {
  const until = performance.now() + comingTime;
  while (!isSo() && performance.now() < until) await wait(200);
  return isSo();
}

/** A log that can be written again goes on, and says how many lines were lost. */
async function checkMended(log: Log, { site, lost }: Watched, found: Violations): Promise<void> {
  const all = await lost();
  log.mend?.();
  const isTold = await comes(() => toldIn(linesOf(log.text())) >= all);
  found.unless(isTold, `of ${all} lost lines ${toldIn(linesOf(log.text()))} are told`);
  const before = linesOf(log.text()).length;
  await site.http(site.host, page);
  found.unless(await comes(() => linesOf(log.text()).length > before), 'the log does not go on');
}

/** Each request and each event of the audit is a line, or is counted as lost. */
async function checkCount(log: Log, { running, figures }: Watched, found: Violations): Promise<void> {
  const file = new SQLite(join(running.folder, 'memberdoor.db'), { readonly: true });
  const events = Number(file.prepare('select count(*) from auditEvents').pluck().get());
  file.close();
  const logged = figures.answers + events + linesOfStart;
  const count = () => {
    const lines = linesOf(log.text());
    return { told: toldIn(lines), written: lines.filter(({ lost }) => lost === undefined).length };
  };
  const isWhole = await comes(() => count().told + count().written === logged);
  const { told, written } = count();
  found.unless(isWhole, `${logged} lines were logged, ${written} are there and ${told} are told as lost`);
  linesOf(log.text(), found);
}

/** What a service did with its log in some state. */
interface Load {
  readonly requests: number;
  /** ms; how long it worked for each is the same on a machine with other work. */
  readonly p50: number;
  readonly p99: number;
  readonly worked: number;
  /** MB */
  readonly memory: number;
  readonly lost: number;
  /** ms */
  readonly exit: number;
}

async function bear(log: Log, isInTrouble: boolean, found: Violations): Promise<Load> {
  const watched = await watch(log, found);
  const { running, site, figures } = watched;
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-ledgers-'));
  const clients = newClients();
  const ledgers = clients.map(({ name }) => openLedger(join(folder, name)));
  let load: Load | undefined;
  let again: RunningSite | undefined;
  const problems = await playRound(site, { clients, ledgers }, async (stop) => {
    while (figures.answers < warmUp) await wait(20);
    if (isInTrouble) log.spoil();
    const [before, begun] = [figures.answers, workedMilliseconds(running.started.pid)];
    const memory = await attend(watched, isInTrouble, found);
    const requests = figures.answers - before;
    const worked = (workedMilliseconds(running.started.pid) - begun) / requests;
    const [p50, p99, lost] = [
      figures.within(0.5, before),
      figures.within(0.99, before),
      await watched.lost(),
    ];
    found.unless(isInTrouble === lost > 0, `${lost} lines were lost`);
    if (log.mend !== null) await checkMended(log, watched, found);
    stop();
    return async () => {
      if (!isInTrouble || log.mend !== null) await checkCount(log, watched, found);
      // It ends while it is in trouble, too.
      if (isInTrouble) log.spoil();
      await Promise.all(Array.from({ length: burst }, () => site.http(site.host, page)));
      const exit = await watched.stop();
      load = { requests, p50, p99, worked, memory, lost, exit };
      for (const problem of examineFile(running.folder)) found.add(problem);
      again = await run(running);
      return again;
    };
  });
  for (const problem of problems) found.add(problem);
  for (const ledger of ledgers) ledger.close();
  rmSync(folder, { recursive: true });
  await again?.kill();
  removeSite(running);
  if (load === undefined) throw new Error('a round has no end');
  return load;
}

/** Holds a log in trouble to costing others nothing, beside the same load with one that is written. */
function compare(load: Load, usual: Load, found: Violations): void {
  const isBusy = (loadavg()[0] ?? 0) > availableParallelism();
  found.unless(
    isBusy || load.p99 <= Math.max(most.p99, most.slack * usual.p99),
    `p99 is ${Math.round(load.p99)} ms, and ${Math.round(usual.p99)} with a log that is written`,
  );
  found.unless(
    load.worked <= most.work * usual.worked,
    `a request is ${load.worked.toFixed(2)} ms of work, and ${usual.worked.toFixed(2)} with a log that is written`,
  );
  found.unless(
    load.memory - usual.memory <= most.memory,
    `it takes ${load.memory} MB, and ${usual.memory} with a log that is written`,
  );
}

function textOf(name: string, { requests, p50, p99, worked, memory, lost, exit }: Load): string {
  const times = `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, ${worked.toFixed(2)} ms of work each`;
  return `${name}: ${requests} requests, ${times}, ${memory} MB, ${lost} lines lost, ended within ${exit} ms`;
}

async function runStuckLog({ rounds }: CaseOptions): Promise<Outcome> {
  const found = violations();
  const notes: string[] = [];
  const each = Math.max(1, Math.ceil(rounds / roundsEach));
  for (let round = 1; round <= each; round += 1) {
    const held = async (name: string, log: Log, usualLoad: Load | null) => {
      const its = violations();
      const load = await bear(log, usualLoad !== null, its).finally(log.remove);
      if (usualLoad !== null) compare(load, usualLoad, its);
      for (const problem of its.all) found.add(`round ${round}, ${name}: ${problem}`);
      notes.push(textOf(name, load));
      return load;
    };
    const usual = await held('a file', logFile(), null);
    for (const [name, make] of Object.entries(troubles)) await held(name, make(), usual);
  }
  return { rounds: each, violations: found.all, note: notes.join('; ') };
}

export const stuckLog: Case = {
  id: 'F15',
  title:
    'the log on a full disk, in a closed pipe, in one that is not read: all is answered, what is lost is told',
  needs: [],
  run: runStuckLog,
};
