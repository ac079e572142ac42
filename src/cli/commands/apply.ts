import { parseArgs } from 'node:util';
import { serviceTenantFiles } from '../../operations/admin/tenant-file.ts';
import type { SentFile } from '../../operations/tenant-file/apply.ts';
import { type Change, differs } from '../../operations/tenant-file/difference.ts';
import type { Connection, OperationAnswer } from '../connection.ts';
import { type Environment, openTenantFile, tellProblems } from '../tenant-file.ts';
import { exitCode, shown, type Terminal, WrongUsage } from '../terminal.ts';

/** How the command ends that showed a difference and did nothing. */
const differsCode = 3;

/**
 * `memberdoor apply FILE`: shows what a tenant file would change, and with --yes changes it.
 *
 * @param connect is called when the file is sound
 * @returns the exit code: 3 if there is a difference and nothing was done
 * @throws WrongUsage, StartupError
 */
export async function runApply(
  words: readonly string[],
  connect: () => Promise<Connection>,
  terminal: Terminal,
  environment: Environment,
): Promise<number> {
  const { path, prune, force, yes } = optionsOf(words);
  const read = await openTenantFile(path, environment, terminal);
  if (!read.ok) {
    tellProblems(read.problems, terminal);
    return exitCode.failed;
  }
  const sent: SentFile = { file: read.file, references: read.references, prune, force };
  const connection = await connect();
  try {
    const compared = await connection.call(serviceTenantFiles.compare, { ...sent });
    if (!compared.ok) return tellRefused(compared, path, terminal);
    const changes = changesOf(compared.answer);
    terminal.out(linesOf(changes));
    if (!differs(changes)) {
      terminal.out('Nothing to do.\n');
      return exitCode.done;
    }
    if (!yes) {
      terminal.out(`${countsOf(changes)}. Nothing was done: --yes does it.\n`);
      return differsCode;
    }
    const applied = await connection.call(serviceTenantFiles.apply, { ...sent });
    if (!applied.ok) return tellRefused(applied, path, terminal);
    terminal.out(`Done: ${countsOf(changesOf(applied.answer))}.\n`);
    return exitCode.done;
  } finally {
    await connection.close();
  }
}

/** @throws WrongUsage */
function optionsOf(words: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const options = { 'dry-run': flag, yes: flag, prune: flag, force: flag };
  const usage = 'memberdoor apply FILE takes --dry-run or --yes, --prune and --force.';
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    const [path, ...rest] = positionals;
    const { yes, prune, force } = values;
    if (path !== undefined && rest.length === 0 && !(yes && values['dry-run']))
      return { path, yes, prune, force };
  } catch {
    // It says which option it does not know, and not which there are.
  }
  throw new WrongUsage([usage]);
}

const changesOf = (answer: object) => (answer as { readonly changes: readonly Change[] }).changes;

/** A problem that has its place in the file is told with the file. */
function tellRefused(refused: OperationAnswer, path: string, terminal: Terminal): number {
  const problems = refused.ok ? [] : refused.problems;
  tellProblems(
    problems.map((problem) => (/^\d+:\d+: /.test(problem) ? `${path}:${problem}` : `memberdoor: ${problem}`)),
    terminal,
  );
  return exitCode.failed;
}

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

function textOf({ noun, name, change, fields, note }: Change): string {
  const about = {
    added: '',
    changed: '',
    ended: `: ${note}`,
    kept: `: only in the database, and stays${note === '' ? '' : ` (${note} with --prune)`}`,
  };
  const lines = fields.map(
    ({ field, from, to }) => `      ${field}: ${shown(`${from ?? 'unset'} -> ${to}`)}\n`,
  );
  return [`  ${signs[change]} ${noun} ${shown(name)}${about[change]}\n`, ...lines].join('');
}

function countsOf(changes: readonly Change[]): string {
  const count = (kind: Change['change']) => changes.filter(({ change }) => change === kind).length;
  return `${count('added')} added, ${count('changed')} changed, ${count('ended')} ended`;
}
