// Runs the cases of a trial one after another, and prints a table of what they found.
import { parseArgs } from 'node:util';
import type { Case, Outcome } from './case.ts';
import { missing } from './tools.ts';

/** How many violations of a case are printed; the table says how many there were. */
const shown = 10;

interface Row {
  readonly fault: Case;
  readonly outcome: Outcome | null;
  /** Why it was skipped. */
  readonly skipped: string;
  readonly seconds: number;
}

async function runCase(fault: Case, rounds: number, tidy: () => Promise<void>): Promise<Row> {
  const skipped = fault.needs.flatMap((need) => missing(need) ?? []).join('; ');
  const begun = performance.now();
  if (skipped !== '') return { fault, outcome: null, skipped, seconds: 0 };
  process.stdout.write(`${fault.id}  ${fault.title} ...\n`);
  const outcome = await fault.run({ rounds }).catch((error: unknown) => ({
    rounds: 0,
    violations: [`it ended early: ${error instanceof Error ? error.stack : String(error)}`],
    note: '',
  }));
  await tidy();
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

/**
 * What the words of a trial ask for: `--rounds N --only ID,ID`. `--help` and other words end the process with how it
 * is used.
 */
export function readWords(
  trial: string,
  ids: readonly string[],
  usualRounds: number,
): { readonly rounds: number; isChosen(id: string): boolean } {
  const usage = `usage: npm run ${trial} -- [--rounds N] [--only ${[...new Set(ids)].join(',')}]\n`;
  const words = wordsOf();
  if (words?.help === true) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const rounds = Number(words?.rounds ?? usualRounds);
  const only = words?.only?.split(',') ?? ids;
  if (words === null || !Number.isInteger(rounds) || rounds < 1 || !only.every((id) => ids.includes(id))) {
    process.stderr.write(usage);
    process.exit(2);
  }
  return { rounds, isChosen: (id) => only.includes(id) };
}

/** The words of this process; null if they are none of a trial's. */
function wordsOf() {
  const options = {
    rounds: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch {
    return null;
  }
}

/**
 * Runs cases and prints their table.
 *
 * @param tidy is called after each, whatever came of it
 * @returns whether no promise was broken
 */
export async function runCases(
  cases: readonly Case[],
  rounds: number,
  tidy: () => Promise<void>,
): Promise<boolean> {
  const rows: Row[] = [];
  for (const one of cases) rows.push(await runCase(one, rounds, tidy));
  process.stdout.write(`\n${summary(rows)}\n`);
  return rows.every(({ outcome }) => (outcome?.violations.length ?? 0) === 0);
}
