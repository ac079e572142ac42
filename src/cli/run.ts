// Finds out which command some words mean, and runs it. Help and version never do anything else.
import { readFile } from 'node:fs/promises';
import type { Path, Problem } from '../core/problem.ts';
import type { Operation } from '../operations/admin/operation.ts';
import { problemText } from '../operations/problem-text.ts';
import { reasonOf } from '../system/files.ts';
import { version } from '../system/version.ts';
import { inputOf, readArguments } from './arguments.ts';
import { type Command, type CommandContext, withConnection } from './command.ts';
import type { Connection } from './connection.ts';
import { commandHelp, commandsHelp, generalHelp, nounHelp, operationHelp } from './help.ts';
import { printAnswer, printFile } from './print.ts';
import { exitCode, type Terminal, WrongUsage } from './terminal.ts';
import { findOperation, guess, kebab, nounsOf, withoutValue } from './words.ts';

/** Everything that words can mean. */
export interface Table {
  readonly commands: readonly Command[];
  readonly operations: readonly Operation[];
}

/**
 * Runs the command that some words mean.
 *
 * @returns the exit code
 * @throws WrongUsage, before anything was done; StartupError
 */
export async function runWords(
  table: Table,
  words: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { out, outWidth } = context.terminal;
  const topic = helpTopic(table, words);
  if (topic !== null) {
    out(helpText(table, topic, outWidth));
    return exitCode.done;
  }
  if (beforeEnd(words).includes('--version')) {
    out(`memberdoor ${version()}\n`);
    return exitCode.done;
  }
  const command = findCommand(table.commands, words);
  if (command !== null) return command.run(await inputOf(command, wordsBehind(command, words)), context);
  checkNoun(table, words);
  return operate(table.operations, words, context);
}

/** What is behind `--` is no option, whatever it looks like. */
function beforeEnd(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--');
  return end === -1 ? words : words.slice(0, end);
}

/** The words that help is asked for; an empty list asks for all of it, null for none. */
function helpTopic({ commands, operations }: Table, words: readonly string[]): readonly string[] | null {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  if (first === 'help') return rest.filter((word) => !word.startsWith('-'));
  const named = words.findIndex((word) => word.startsWith('-'));
  const leading = named === -1 ? words : words.slice(0, named);
  if (beforeEnd(words).some((word) => word === '--help' || word === '-h')) return leading;
  // A noun alone, or with `help`, explains itself; a command does so only where it is asked.
  const command = findCommand(commands, words);
  const behind = command === null ? rest : wordsBehind(command, words);
  const isNounAlone = behind.length === 0 && nounsOf(operations).includes(first);
  return isNounAlone || (behind[0] === 'help' && behind.length === 1) ? leading : null;
}

/** @throws WrongUsage if there is no such thing to explain */
function helpText(table: Table, topic: readonly string[], width: number | null): string {
  const { commands, operations } = table;
  const [noun = '', verb = 'help'] = topic;
  if (noun === '' || noun === 'help') return generalHelp(commands, operations, width);
  const command = findCommand(commands, topic);
  if (command !== null) return commandHelp(command, width);
  const begun = commands.filter(({ name }) => name.startsWith(`${noun} `));
  if (begun.length > 0) return commandsHelp(begun, width);
  checkNoun(table, topic);
  if (verb === 'help') return nounHelp(operations, noun, width);
  return operationHelp(findOperation(operations, noun, verb), width);
}

/** The command that the first words name; null if that is none. */
function findCommand(commands: readonly Command[], words: readonly string[]): Command | null {
  const isMeant = ({ name }: Command) => name.split(' ').every((word, place) => words[place] === word);
  return commands.find(isMeant) ?? null;
}

const wordsBehind = ({ name }: Command, words: readonly string[]) => words.slice(name.split(' ').length);

/** @throws WrongUsage */
function checkNoun({ commands, operations }: Table, [noun = '', verb = '']: readonly string[]): void {
  const nouns = nounsOf(operations);
  if (nouns.includes(noun)) return;
  const begun = commands.filter(({ name }) => name.startsWith(`${noun} `)).map(({ name }) => name);
  const isBegun = begun.length > 0;
  const written = withoutValue(isBegun ? `${noun} ${verb}`.trimEnd() : noun);
  const known = isBegun ? begun : [...commands.map(({ name }) => name), 'help', ...nouns];
  throw new WrongUsage([
    `There is no command "${written}".${guess(written, known)}`,
    'memberdoor help lists them.',
  ]);
}

/** `memberdoor <noun> <verb> …`: one operation of the table. @returns the exit code */
async function operate(
  operations: readonly Operation[],
  [noun = '', verb = '', ...words]: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const operation = findOperation(operations, noun, verb);
  const read = await readArguments(operation, words, (path) => readSecret(path, terminal));
  const call = async (connection: Connection) => {
    const input = await withTenant(operation, read.input, connection);
    const result = await connection.call(operation, input);
    if ('parts' in result) await printFile(result.parts, read.json, terminal);
    else printAnswer(result.answer, read.json, terminal);
    return exitCode.done;
  };
  const textOf = (found: Problem) => `memberdoor: ${problemText(found, optionName)}`;
  return withConnection(context, read.migrate, call, textOf);
}

/** One line end belongs to the file, not to the secret. */
async function readSecret(path: string, terminal: Terminal): Promise<string> {
  try {
    const text = path === '-' ? await terminal.readInput() : await readFile(path, 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    throw new WrongUsage([`The file ${path} cannot be read: ${reasonOf(error)}.`]);
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

/** The name of a field on the command line; names within its value are as in JSON. */
const optionName = ([field, ...parts]: Path) =>
  field === undefined ? 'the input' : [`--${kebab(String(field))}`, ...parts].join('.');
