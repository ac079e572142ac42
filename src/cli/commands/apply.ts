// The command `apply`: shows what a tenant file would change, and changes it with --yes.
import type { Problem } from '../../core/problem.ts';
import { serviceTenantFiles } from '../../operations/admin/tenant-file.ts';
import { problemText } from '../../operations/problem-text.ts';
import type { SentFile } from '../../operations/tenant-file/apply.ts';
import { type Change, differs } from '../../operations/tenant-file/difference.ts';
import { fieldText, outcomeOf, summaryOf } from '../../operations/tenant-file/words.ts';
import { type CommandContext, defineCommand, migrate } from '../command.ts';
import type { OperationAnswer } from '../connection.ts';
import { openTenantFile } from '../tenant-file.ts';
import { exitCode, shown, type Terminal, tell, WrongUsage } from '../terminal.ts';

interface ApplyInput {
  /** The path; `-` is the standard input. */
  readonly file: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly prune: boolean;
  readonly force: boolean;
  readonly migrate: boolean;
}

/** `memberdoor apply FILE`: shows what a tenant file would change, and with --yes changes it. */
export const apply = defineCommand<ApplyInput>({
  name: 'apply',
  summary: 'show what a tenant file would change, or change it',
  operands: ['file'],
  options: {
    yes: { text: 'changes it' },
    dryRun: { text: 'shows it alone, which is what happens without --yes' },
    prune: { text: 'ends what is not in the file' },
    force: {
      text: 'even if a device flow is off at the stage tenant, or no administrator of the whole service is left',
    },
    migrate,
  },
  run: runApply,
});

/** @returns the exit code: 3 if there is a difference and nothing was done */
async function runApply(
  { file: path, yes, dryRun, prune, force, migrate: mayMigrate }: ApplyInput,
  { terminal, environment, connect }: CommandContext,
): Promise<number> {
  if (yes && dryRun) throw new WrongUsage(['--yes and --dry-run do not go together.']);
  const read = await openTenantFile(path, environment, terminal);
  if (!read.ok) {
    tell(read.problems, terminal);
    return exitCode.failed;
  }
  const sent: SentFile = { file: read.file, references: read.references, prune, force };
  const connection = await connect(mayMigrate);
  try {
    const compared = await connection.call(serviceTenantFiles.compare, { ...sent });
    if (!('answer' in compared)) return tellRefused(compared, path, terminal);
    const changes = changesOf(compared.answer);
    terminal.out(linesOf(changes));
    if (!differs(changes) || !yes) {
      terminal.out(`${summaryOf(changes, false, 'Nothing was done: --yes does it.')}\n`);
      return differs(changes) ? exitCode.differs : exitCode.done;
    }
    const applied = await connection.call(serviceTenantFiles.apply, { ...sent });
    if (!('answer' in applied)) return tellRefused(applied, path, terminal);
    terminal.out(`${summaryOf(changesOf(applied.answer), true, '')}\n`);
    return exitCode.done;
  } finally {
    await connection.close();
  }
}

const changesOf = (answer: object) => (answer as { readonly changes: readonly Change[] }).changes;

/** A problem that has its place in the file is told with the file. */
function tellRefused(refused: OperationAnswer, path: string, terminal: Terminal): number {
  const problems = refused.ok ? [] : refused.problems;
  tell(
    problems.map((one) => `${placeIn(path, one)}: ${problemText(one)}`),
    terminal,
  );
  return exitCode.failed;
}

const placeIn = (path: string, { position }: Problem) =>
  position === undefined ? 'memberdoor' : `${path}:${position.line}:${position.column}`;

/** The changes in words, by tenant. */
function linesOf(changes: readonly Change[]): string {
  const tenants = [...new Set(changes.map(({ tenant }) => tenant))];
  return tenants
    .flatMap((tenant) => [
      `${shown(tenant)}\n`,
      ...changes.filter((change) => change.tenant === tenant).map(textOf),
    ])
    .join('');
}

const signs = { added: '+', changed: '~', ended: '-', kept: '-' } as const;

function textOf(change: Change): string {
  const outcome = outcomeOf(change, 'with --prune');
  const lines = change.fields.map((field) => `      ${shown(fieldText(field, '->'))}\n`);
  const about = outcome === '' ? '' : `: ${outcome}`;
  return [`  ${signs[change.change]} ${change.noun} ${shown(change.name)}${about}\n`, ...lines].join('');
}
