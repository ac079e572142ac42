// Runs an operation of the table as a command: `memberdoor <noun> <verb>`.
import { readFile } from 'node:fs/promises';
import type { Path } from '../../core/problem.ts';
import type { Operation } from '../../operations/admin/operation.ts';
import { problemText } from '../../operations/problem-text.ts';
import { readArguments } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import type { Connection } from '../connection.ts';
import { printAnswer, printFile } from '../print.ts';
import { exitCode, type Terminal, tellProblems, WrongUsage } from '../terminal.ts';
import { findOperation, kebab } from '../words.ts';

/**
 * `memberdoor <noun> <verb> …`: one operation of the table.
 *
 * @returns the exit code
 * @throws WrongUsage, StartupError
 */
export async function operate(
  operations: readonly Operation[],
  [noun = '', verb = '', ...words]: readonly string[],
  { terminal, connect }: CommandContext,
): Promise<number> {
  const operation = findOperation(operations, noun, verb);
  const { input, json, migrate } = await readArguments(operation, words, (path) =>
    readSecret(path, terminal),
  );
  const connection = await connect(migrate);
  try {
    const result = await connection.call(operation, await withTenant(operation, input, connection));
    if (result.ok) {
      if ('parts' in result) await printFile(result.parts, json, terminal);
      else printAnswer(result.answer, json, terminal);
      return exitCode.done;
    }
    tellProblems(
      result.problems.map((one) => problemText(one, optionName)),
      terminal,
    );
    return exitCode.failed;
  } finally {
    await connection.close();
  }
}

/** One line end belongs to the file, not to the secret. */
async function readSecret(path: string, terminal: Terminal): Promise<string> {
  try {
    const text = path === '-' ? await terminal.readInput() : await readFile(path, 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch {
    throw new WrongUsage([`The file ${path} cannot be read.`]);
  }
}

/** Fills the tenant in where there is only one. */
async function withTenant(
  { input: { required = [] } }: Operation,
  input: Readonly<Record<string, unknown>>,
  connection: Connection,
): Promise<Readonly<Record<string, unknown>>> {
  if (!required.includes('tenant') || Object.hasOwn(input, 'tenant')) return input;
  const [host, ...others] = await connection.hosts();
  if (host === undefined) throw new WrongUsage(['There is no tenant yet.']);
  if (others.length > 0) {
    throw new WrongUsage([`--tenant is missing: there are ${[host, ...others].join(', ')}.`]);
  }
  return { tenant: host, ...input };
}

/** What a field is called on the command line; what is in it, as in JSON. */
const optionName = ([field, ...parts]: Path) =>
  field === undefined ? 'the input' : [`--${kebab(String(field))}`, ...parts].join('.');
