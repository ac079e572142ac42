// Long faults of durability against the real service process: npm run test:faults. It takes a quarter of an hour
// and more (300 rounds; `--rounds 60` for fewer, `--only Z3,Z7` for some), and is no part of `npm test`.
import { parseArgs } from 'node:util';
import type { Case, Outcome } from './case.ts';
import { crowdedMember } from './cases/load/crowded-member.ts';
import { neverRead } from './cases/load/never-read.ts';
import { sameTime } from './cases/load/same-time.ts';
import { clockJumps } from './cases/process/clock-jumps.ts';
import { drain } from './cases/process/drain.ts';
import { ledgerLoop } from './cases/process/ledger-loop.ts';
import { restartTime } from './cases/process/restart-time.ts';
import { rotationUnderKill } from './cases/process/rotation.ts';
import { anotherFile } from './cases/storage/another-file.ts';
import { corruptFile } from './cases/storage/corrupt.ts';
import { diskFull } from './cases/storage/disk-full.ts';
import { failingSync } from './cases/storage/failing-sync.ts';
import { fsyncTrace } from './cases/storage/fsync-trace.ts';
import { foreignLock } from './cases/storage/lock.ts';
import { lockRemoved } from './cases/storage/lock-removed.ts';
import { readOnly } from './cases/storage/read-only.ts';
import { secondProcess } from './cases/storage/second-process.ts';
import { slowFsync } from './cases/storage/slow-fsync.ts';
import { killAll } from './site.ts';
import { missing } from './tools.ts';

const cases: readonly Case[] = [
  ledgerLoop,
  rotationUnderKill,
  fsyncTrace,
  diskFull,
  readOnly,
  foreignLock,
  secondProcess,
  corruptFile,
  failingSync,
  drain,
  clockJumps,
  restartTime,
  neverRead,
  sameTime,
  crowdedMember,
  anotherFile,
  lockRemoved,
  slowFsync,
];

/** How many violations of a case are printed; the table says how many there were. */
const shown = 10;

interface Row {
  readonly fault: Case;
  readonly outcome: Outcome | null;
  /** Why it was skipped. */
  readonly skipped: string;
  readonly seconds: number;
}

async function runCase(fault: Case, rounds: number): Promise<Row> {
  const skipped = fault.needs.flatMap((need) => missing(need) ?? []).join('; ');
  const begun = performance.now();
  if (skipped !== '') return { fault, outcome: null, skipped, seconds: 0 };
  process.stdout.write(`${fault.id}  ${fault.title} ...\n`);
  const outcome = await fault.run({ rounds }).catch((error: unknown) => ({
    rounds: 0,
    violations: [`it ended early: ${error instanceof Error ? error.stack : String(error)}`],
    note: '',
  }));
  await killAll();
  for (const violation of outcome.violations.slice(0, shown)) process.stdout.write(`      ${violation}\n`);
  return { fault, outcome, skipped, seconds: Math.round((performance.now() - begun) / 1_000) };
}

/** The table: one line a case. */
function summary(rows: readonly Row[]): string {
  const lines = rows.map(({ fault, outcome, skipped, seconds }) => [
    fault.id,
    fault.title,
    String(outcome?.rounds ?? '-'),
    String(outcome?.violations.length ?? '-'),
    outcome === null ? '-' : `${seconds} s`,
    outcome === null ? `skipped: ${skipped}` : outcome.note,
  ]);
  const table = [['case', 'what is done', 'rounds', 'violations', 'time', 'notes'], ...lines];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  return table
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const { values } = parseArgs({ options: { rounds: { type: 'string' }, only: { type: 'string' } } });
const rounds = Number(values.rounds ?? 300);
const only = values.only?.split(',') ?? null;
const chosen = cases.filter(({ id }) => only?.includes(id) ?? true);
if (!Number.isInteger(rounds) || rounds < 1 || chosen.length === 0) {
  const ids = [...new Set(cases.map(({ id }) => id))].join(',');
  process.stderr.write(`usage: npm run test:faults -- [--rounds N] [--only ${ids}]\n`);
  process.exit(2);
}
const rows: Row[] = [];
for (const fault of chosen) rows.push(await runCase(fault, rounds));
process.stdout.write(`\n${summary(rows)}\n`);
process.exit(rows.some(({ outcome }) => (outcome?.violations.length ?? 0) > 0) ? 1 : 0);
