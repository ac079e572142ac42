/**
 * `npm run bench`: the service beside oidc-provider, both with the same durability, on this machine and in
 * this run. What is to be reached stands in `rows.ts`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../test/support/service.ts';
import { type Line, lineOf, medianCalibration } from './figures.ts';
import { openMachine } from './machine/machine.ts';
import { type Placement, placement } from './machine/process.ts';
import { buildSlowDisk } from './machine/slow-disk.ts';
import { type Bench, measureRow, peerSide, serviceSide } from './measure.ts';
import { type Options, paceOf, readOptions } from './options.ts';
import { measurePasskeyCost } from './passkey-cost.ts';
import { measurePasswordLoad } from './password-load.ts';
import { type BenchDatabase, startBenchDatabase } from './postgres/database.ts';
import { postgresTasks } from './postgres/tasks.ts';
import { type Row, rows, slowDiskTarget, storedTarget } from './rows.ts';
import { makeServiceFolder } from './service/folder.ts';
import { machineLine, tableOf } from './table.ts';
import type { Task } from './task.ts';
import { measureWebhookCost } from './webhook-cost.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);

function tasksOf(options: Options, database: BenchDatabase | null): readonly Task[] {
  const tasks = database === null ? tasksOfFolders(options) : postgresTasks(database, rows);
  const { only } = options;
  return only === null ? tasks : tasks.filter(({ name }) => name.startsWith(only));
}

function tasksOfFolders(options: Options): readonly Task[] {
  const [first, ...others] = rows.map((row) => rowTask(row, options));
  const [refresh, discovery] = [rowOf('refresh'), rowOf('discovery')];
  return [
    ...(first === undefined ? [] : [first]),
    ...others,
    ...(options.slowDisk === null ? [] : [slowDiskTask(refresh, options.slowDisk)]),
    ...(options.rows === null ? [] : [storedTask(refresh, options.rows)]),
    { name: 'sign-in with a passkey', measure: measurePasskeyCost },
    { name: 'refresh beside events', measure: (bench: Bench) => measureWebhookCost(bench, refresh) },
    { name: 'discovery under passwords', measure: (bench: Bench) => measurePasswordLoad(bench, discovery) },
  ];
}

function rowOf(operation: Row['operation']): Row {
  const row = rows.find((candidate) => candidate.operation === operation);
  if (row === undefined) throw new Error(`there is no row for ${operation}`);
  return row;
}

function rowTask(row: Row, { twoCores }: Options): Task {
  const target = (twoCores ? row.targetOnTwoCores : undefined) ?? row.target;
  const againstLimit = row === rowOf('refresh') && !twoCores;
  return {
    name: row.name,
    measure: async (bench) => {
      const measured = await measureRow(bench, row.operation, serviceSide(row), peerSide(row));
      return lineOf(row, measured, { target, againstPeer: true, againstLimit });
    },
  };
}

function slowDiskTask(row: Row, microseconds: number): Task {
  const name = `refresh where an fsync takes ${microseconds} µs longer`;
  return {
    name,
    measure: async (bench) => {
      const sharedObject = buildSlowDisk(bench.folder);
      if (sharedObject === null) throw new Error('skipped, since nothing here builds C (cc)');
      const slow = { ...bench, slowDisk: { sharedObject, microseconds } };
      const measured = await measureRow(slow, 'slow-disk', serviceSide(row), peerSide(row));
      const target = microseconds === slowDiskTarget.microseconds ? slowDiskTarget.ratio : null;
      return lineOf(row, measured, { target, againstPeer: false, againstLimit: false }, name);
    },
  };
}

function storedTask(row: Row, stored: number): Task {
  const name = `refresh with ${stored} tokens stored (other: with ${storedTarget.base})`;
  return {
    name,
    measure: async (bench) => {
      const sides = [serviceSide(row, stored), serviceSide(row, storedTarget.base)] as const;
      const measured = await measureRow(bench, 'stored', ...sides);
      const duties = { target: storedTarget.ratio, againstPeer: false, againstLimit: false };
      return lineOf(row, measured, duties, name);
    },
  };
}

async function main(words: readonly string[]): Promise<void> {
  const options = readOptions(words);
  const cores = await placement(options.twoCores);
  const database = options.postgres ? await startBenchDatabase(cores.generator) : null;
  try {
    await measureAll(options, tasksOf(options, database), cores);
  } finally {
    await database?.stop();
  }
}

async function measureAll(options: Options, tasks: readonly Task[], cores: Placement): Promise<void> {
  if (tasks.length === 0) throw new Error(`no row begins with ${options.only}`);
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-bench-'));
  const machine = await openMachine(folder, cores);
  const lines: Line[] = [];
  const skipped: string[] = [];
  try {
    const pace = paceOf(options);
    say(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}; servers on ${coresText(cores.servers)}, \
generator on ${coresText(cores.generator)}; ${pace.connections} connections, ${pace.rounds} rounds of ${pace.round} ms in ${pace.parts} parts, in turns; \
the other side is oidc-provider unless a row says another; \
${options.postgres ? `PostgreSQL on ${coresText(cores.generator)}, fsync and synchronous_commit on` : 'WAL, synchronous=FULL on both'}`);
    mkdirSync(join(folder, 'base'));
    const base = await makeServiceFolder(join(folder, 'base', 'data'), await freePort());
    const bench: Bench = { folder, base, machine, placement: cores, pace, slowDisk: null };
    for (const { name, measure } of tasks) {
      try {
        const line = await measure(bench);
        lines.push(line);
        say(`${name}: ${line.ratio?.median.toFixed(1) ?? '–'}×, ${line.verdict}`);
      } catch (error) {
        skipped.push(`${name}: ${error instanceof Error ? error.message : error}`);
        say(skipped.at(-1) ?? '');
      }
    }
  } finally {
    machine.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const calibration = medianCalibration(lines.map((line) => line.calibration));
  say(`\n${tableOf(lines)}\n\n${machineLine(calibration)}.`);
  for (const reason of skipped) say(reason);
  if (options.json !== null)
    writeFileSync(options.json, `${JSON.stringify({ options, calibration, lines, skipped }, null, 2)}\n`);
  // Who runs it in a script asks for this: whether everything was measured.
  if (skipped.length > 0 || lines.some(({ ours, other }) => ours === null || other === null))
    process.exitCode = 1;
}

const coresText = (cores: string | null) =>
  cores === null ? 'any core (nothing here pins processes)' : `core ${cores}`;

await main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
