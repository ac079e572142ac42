// The help texts: of the whole command, of a noun, and of each command and operation.
import { settings } from '../config.ts';
import type { Operation } from '../operations/admin/operation.ts';
import { ofOperations } from './arguments.ts';
import type { Command } from './command.ts';
import { type Field, fieldsOf, fieldsOfOptions } from './fields.ts';
import { columns, fold } from './terminal.ts';
import { nounsOf, operandShape, operationsOf, wordsOf } from './words.ts';

/** The longest list of values that stands beside its option: a longer one stands in the text. */
const longestShape = 34;

const codes = [
  ['0', 'done'],
  ['1', 'refused, or failed'],
  ['2', 'not understood: nothing was done'],
  ['3', 'apply: there is a difference, and nothing was done, since --yes was not given'],
  ['141', 'what reads the output stopped before all of it was written'],
] as const;

/** `memberdoor help`. @param width of the terminal; null folds nothing */
export function generalHelp(
  commands: readonly Command[],
  operations: readonly Operation[],
  width: number | null,
): string {
  const nouns = nounsOf(operations).map((noun) => {
    const verbs = operationsOf(operations, noun).map((operation) => wordsOf(operation)[1]);
    return [noun, verbs.join(', ')] as const;
  });
  const variables = Object.entries(settings).map(([name, text]) => [`MEMBERDOOR_${name}`, text] as const);
  const explained = [
    ['<command> --help', 'says what it takes; so do -h, and help before it. None of them does anything'],
    ['<noun> help', 'says what each of these does'],
    ['<noun> <verb> --help', 'says which options it takes'],
    ['--version', 'says which version this is'],
  ] as const;
  return [
    `${fold("memberdoor: the members' door of a subscription platform", width, '')}\n`,
    columns(called([...commands.map(rowOf), ['help', 'this text']]), '  ', width),
    `${fold('What there is to operate, through the running service or while it is stopped:', width, '')}\n`,
    columns(called(nouns), '  ', width),
    columns(called(explained), '  ', width),
    'Exit codes:\n',
    columns(codes, '  ', width),
    `${fold('Settings come from the environment, each also from a file named by the variable with _FILE behind it:', width, '')}\n`,
    columns(variables, '  ', width),
  ].join('\n');
}

/** `memberdoor <command> --help` */
export function commandHelp(command: Command, width: number | null): string {
  const [usage, summary] = rowOf(command);
  const rows = rowsOf(fieldsOfOptions(command.options));
  const head = `${fold(`memberdoor ${usage}: ${summary}`, width, '  ')}\n`;
  return rows.length === 0 ? head : `${head}\n${columns(rows, '  ', width)}`;
}

/** `memberdoor config`, where a word begins several commands. */
export function commandsHelp(commands: readonly Command[], width: number | null): string {
  return columns(called(commands.map(rowOf)), '  ', width);
}

/** What is explained, as it is called. */
const called = (rows: readonly (readonly [string, string])[]) =>
  rows.map(([words, text]) => [`memberdoor ${words}`, text] as const);

const rowOf = ({ name, operands, summary }: Command) =>
  [[name, ...operands.map(operandShape)].join(' '), summary] as const;

/** `memberdoor <noun> help` */
export function nounHelp(operations: readonly Operation[], noun: string, width: number | null): string {
  const rows = operationsOf(operations, noun).map(
    (operation) => [`${noun} ${wordsOf(operation)[1]}`, operation.summary] as const,
  );
  const more = fold('  Put --help behind one to see its options.', width, '  ');
  return `${columns(called(rows), '  ', width)}\n${more}\n`;
}

/** `memberdoor <noun> <verb> --help` */
export function operationHelp(operation: Operation, width: number | null): string {
  const rows = rowsOf([...fieldsOf(operation.input), ...ofOperations]);
  const head = fold(`memberdoor ${wordsOf(operation).join(' ')}: ${operation.summary}`, width, '  ');
  return `${head}\n\n${columns(rows, '  ', width)}`;
}

const rowsOf = (fields: readonly Field[]) => fields.map((field) => [optionOf(field), textOf(field)] as const);

function optionOf({ option, kind, shape, isSwitch }: Field): string {
  if (kind === 'flag') return isSwitch ? `--${option}` : `--[no-]${option}`;
  return `--${option} ${isLong(shape) ? 'VALUE' : shape}`;
}

const isLong = (shape: string) => shape.length > longestShape;

/** What a field is, and how it is written where that cannot be guessed. */
function textOf({ name, option, kind, nullable, required, description, shape }: Field): string {
  const notes = [
    ...(required && name !== 'tenant' ? ['must be given'] : []),
    ...(name === 'tenant' && required ? ['may be left out where there is one tenant'] : []),
    ...(kind === 'secret' ? ['the file holds it; - is the standard input'] : []),
    ...(kind === 'list' ? [`may be repeated; --no-${option} for none`] : []),
    ...(nullable && kind !== 'list' && kind !== 'flag' ? [`--no-${option} for none`] : []),
    ...(isLong(shape) ? [`one of ${shape.replaceAll('|', ', ')}`] : []),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}
