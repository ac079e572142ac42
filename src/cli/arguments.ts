// Reads the words behind a noun and a verb: options, fields, and secrets from files.
import { parseArgs } from 'node:util';
import type { Operation } from '../operations/admin/operation.ts';
import { type Command, migrateOption } from './command.ts';
import { type Field, fieldsOf, fieldsOfOptions } from './fields.ts';
import { WrongUsage } from './terminal.ts';
import { guess, operandShape } from './words.ts';

/** What the words behind noun and verb say. */
export interface Arguments {
  /** The input of the operation; numbers are still texts, as in a query. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the answer is to be printed as JSON. */
  readonly json: boolean;
  /** Whether a database of an older version may be brought to this one. */
  readonly migrate: boolean;
}

/** Words of every command, which are answered before options are read. */
const common = ['help', 'version'];

/** Reads a file that holds a secret; `-` is the standard input. */
export type ReadSecret = (path: string) => Promise<string>;

/** The options of every operation, beside its own fields. */
export const ofOperations: readonly Field[] = fieldsOfOptions({
  json: { text: 'prints the answer as JSON' },
  migrate: migrateOption,
});

/**
 * Reads the options of an operation. The tenant may be missing: the caller that knows all tenants fills it in.
 *
 * @throws WrongUsage with every problem at once
 */
export async function readArguments(
  operation: Operation,
  words: readonly string[],
  readSecret: ReadSecret,
): Promise<Arguments> {
  const fields = fieldsOf(operation.input);
  const { input, problems } = await readFields([...fields, ...ofOperations], [], words, readSecret);
  for (const { name, option, required, shape } of fields) {
    if (required && name !== 'tenant' && !Object.hasOwn(input, name)) {
      problems.push(`--${[option, shape].filter(Boolean).join(' ')} is missing.`);
    }
  }
  if (problems.length > 0) throw new WrongUsage(problems);
  const { json, migrate, ...rest } = input;
  return { input: rest, json: json === true, migrate: migrate === true };
}

/**
 * Reads the operands and options of a command that is no operation.
 *
 * @returns its input: every operand, every flag, and of the other options those that are given
 * @throws WrongUsage with every problem at once
 */
export async function inputOf({ name, operands, options }: Command, words: readonly string[]) {
  const fields = fieldsOfOptions(options);
  const { input, problems } = await readFields(fields, operands, words, noSecret);
  for (const operand of operands) {
    if (!Object.hasOwn(input, operand)) problems.push(`${operandShape(operand)} is missing.`);
  }
  if (problems.length > 0) {
    throw new WrongUsage([...problems, `memberdoor ${name} --help says what it takes.`]);
  }
  const flags = fields.filter(({ kind }) => kind === 'flag').map((field) => [field.name, false]);
  return { ...Object.fromEntries(flags), ...input };
}

const noSecret: ReadSecret = () => Promise.reject(new Error('no option of such a command is a secret'));

/** What words say of fields, with everything that is wrong with them. */
async function readFields(
  fields: readonly Field[],
  operands: readonly string[],
  words: readonly string[],
  readSecret: ReadSecret,
) {
  const problems: string[] = [];
  const input: Record<string, unknown> = {};
  for (const given of givenIn(words, fields, operands, problems)) {
    if ('operand' in given) {
      input[given.operand] = given.value;
      continue;
    }
    const { written, option, value } = given;
    const { field, isNot } = meantField(option, fields);
    if (field === null) {
      problems.push(unknownOption(written, option, fields));
    } else if (Object.hasOwn(input, field.name) && (isNot || field.kind !== 'list')) {
      problems.push(`--${option} is given twice.`);
    } else {
      const problem = await takeValue(field, isNot, value, input, readSecret);
      if (problem !== null) problems.push(problem);
    }
  }
  return { input, problems };
}

/** A word that has its place, or an option, as it was written and without its hyphens. */
type Given =
  | { readonly operand: string; readonly value: string }
  | { readonly written: string; readonly option: string; readonly value: string | undefined };

/** The operands and options as they stand, in order. */
function givenIn(
  words: readonly string[],
  fields: readonly Field[],
  operands: readonly string[],
  problems: string[],
): readonly Given[] {
  const options = Object.fromEntries(
    fields.map(({ option, kind }) => [option, { type: kind === 'flag' ? 'boolean' : 'string' } as const]),
  );
  const { tokens } = parseArgs({ args: [...words], options, strict: false, tokens: true });
  const places = operands.values();
  let isValueOfUnknown = false;
  return tokens.flatMap((token, place): readonly Given[] => {
    if (token.kind === 'option') {
      // One hyphen before several letters: what they spell may be a secret too.
      if (tokens[place - 1]?.index === token.index) return [];
      isValueOfUnknown = !Object.hasOwn(options, token.name) && token.value === undefined;
      // Most likely its value was forgotten, and the next option taken for it.
      const isNextOption = token.inlineValue === false && token.value?.startsWith('--') === true;
      if (!isNextOption) return [{ written: token.rawName, option: token.name, value: token.value }];
      problems.push(`--${token.name} needs a value; one that begins with -- is written --${token.name}=--…`);
      return [];
    }
    if (token.kind !== 'positional') return [];
    const wasValueOfUnknown = isValueOfUnknown;
    isValueOfUnknown = false;
    // What follows an option that is not known may be a secret: it is not repeated.
    if (wasValueOfUnknown) return [];
    const operand = places.next().value;
    if (operand !== undefined) return [{ operand, value: token.value }];
    problems.push(`"${token.value}" belongs to no option.`);
    return [];
  });
}

function meantField(option: string, fields: readonly Field[]) {
  const field = fields.find((candidate) => candidate.option === option);
  if (field !== undefined) return { field, isNot: false };
  const negated = option.startsWith('no-') ? option.slice(3) : null;
  const denied = fields.find(
    ({ option: name, kind, isSwitch, nullable }) =>
      name === negated && !isSwitch && (nullable || kind === 'flag' || kind === 'list'),
  );
  return { field: denied ?? null, isNot: true };
}

function unknownOption(written: string, option: string, fields: readonly Field[]): string {
  const secret = fields.find(({ option: name, kind }) => kind === 'secret' && name === `${option}-file`);
  if (secret !== undefined) {
    return `--${option} would stand where others can read it: give it with --${secret.option}.`;
  }
  // A switch is off unless it is given: `--no-…` of one does not mean the switch.
  const meant = fields.filter(({ option: name, isSwitch }) => !isSwitch || option !== `no-${name}`);
  const known = [...meant.map((field) => field.option), ...common];
  return `There is no ${written} here.${guess(option, known, '--')}`;
}

/** Puts a value into the input. @returns what is wrong with it, or null */
async function takeValue(
  { name, option, kind, choices, ofObjects }: Field,
  isNot: boolean,
  value: string | undefined,
  input: Record<string, unknown>,
  readSecret: ReadSecret,
): Promise<string | null> {
  if (isNot || kind === 'flag') {
    // Scripts that hold a truth in a variable write it behind the flag.
    const isTruth = kind === 'flag' && !isNot && (value === 'true' || value === 'false');
    if (value !== undefined && !isTruth) return `--${isNot ? 'no-' : ''}${option} takes no value.`;
    if (kind === 'flag') input[name] = !isNot && value !== 'false';
    else input[name] = kind === 'list' ? [] : null;
    return null;
  }
  if (value === undefined) return `--${option} needs a value.`;
  if (choices?.includes(value) === false) return `--${option} is one of ${choices.join(', ')}.`;
  if (kind === 'secret') {
    input[name] = await readSecret(value);
    return null;
  }
  const read = kind === 'json' || ofObjects ? parse(value) : value;
  if (read === undefined) return `--${option} must be JSON.`;
  const before = input[name];
  input[name] = kind === 'list' ? [...(Array.isArray(before) ? before : []), read] : read;
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
