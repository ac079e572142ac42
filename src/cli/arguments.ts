import { parseArgs } from 'node:util';
import type { Operation } from '../operations/admin/operation.ts';
import { type Field, fieldsOf } from './fields.ts';
import { WrongUsage } from './terminal.ts';
import { guess } from './words.ts';

/** What the words behind noun and verb say. */
export interface Arguments {
  /** The input of the operation; numbers are still texts, as in a query. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the answer is to be printed as JSON. */
  readonly json: boolean;
}

/** Words of every operation. */
const common = ['json', 'help'];

/** Reads a file that holds a secret; `-` is the standard input. */
export type ReadSecret = (path: string) => Promise<string>;

/**
 * Reads the options of an operation. The tenant may be missing: whoever knows all of them fills it in.
 *
 * @throws WrongUsage with every problem at once
 */
export async function readArguments(
  operation: Operation,
  words: readonly string[],
  readSecret: ReadSecret,
): Promise<Arguments> {
  const fields = fieldsOf(operation.input);
  const problems: string[] = [];
  const input: Record<string, unknown> = {};
  let json = false;
  for (const { option, value } of optionsOf(words, fields, problems)) {
    if (option === 'json') {
      json = value !== 'false';
      continue;
    }
    const { field, isNot } = meantField(option, fields);
    if (field === null) {
      problems.push(unknownOption(option, fields));
    } else if (Object.hasOwn(input, field.name) && (isNot || field.kind !== 'list')) {
      problems.push(`--${option} is given twice.`);
    } else {
      const problem = await takeValue(field, isNot, value, input, readSecret);
      if (problem !== null) problems.push(problem);
    }
  }
  for (const { name, option, required, shape } of fields) {
    if (required && name !== 'tenant' && !Object.hasOwn(input, name)) {
      problems.push(`--${[option, shape].filter(Boolean).join(' ')} is missing.`);
    }
  }
  if (problems.length > 0) throw new WrongUsage(problems);
  return { input, json };
}

/** The options as they stand, in order. */
function optionsOf(words: readonly string[], fields: readonly Field[], problems: string[]) {
  const options = Object.fromEntries(
    fields.map(({ option, kind }) => [option, { type: kind === 'flag' ? 'boolean' : 'string' } as const]),
  );
  const { tokens } = parseArgs({ args: [...words], options, strict: false, tokens: true });
  let isValueOfUnknown = false;
  return tokens.flatMap((token) => {
    if (token.kind === 'option') {
      isValueOfUnknown = !Object.hasOwn(options, token.name) && token.value === undefined;
      // Most likely its value was forgotten, and the next option taken for it.
      const isNextOption = token.inlineValue === false && token.value?.startsWith('--') === true;
      if (!isNextOption) return [{ option: token.name, value: token.value }];
      problems.push(`--${token.name} needs a value; one that begins with -- is written --${token.name}=--…`);
      return [];
    }
    // What follows an option that is not known may be a secret: it is not repeated.
    if (token.kind === 'positional' && !isValueOfUnknown)
      problems.push(`"${token.value}" belongs to no option.`);
    isValueOfUnknown = false;
    return [];
  });
}

function meantField(
  option: string,
  fields: readonly Field[],
): { readonly field: Field | null; readonly isNot: boolean } {
  const field = fields.find((candidate) => candidate.option === option);
  if (field !== undefined) return { field, isNot: false };
  const negated = option.startsWith('no-') ? option.slice(3) : null;
  const denied = fields.find(
    ({ option: name, kind, nullable }) =>
      name === negated && (nullable || kind === 'flag' || kind === 'list'),
  );
  return { field: denied ?? null, isNot: true };
}

function unknownOption(option: string, fields: readonly Field[]): string {
  const secret = fields.find(({ option: name, kind }) => kind === 'secret' && name === `${option}-file`);
  if (secret !== undefined) {
    return `--${option} would stand where others can read it: give it with --${secret.option}.`;
  }
  const known = [...fields.map((field) => field.option), ...common];
  return `There is no --${option} here.${guess(option, known, '--')}`;
}

/** Puts a value into the input. @returns what is wrong with it, or null */
async function takeValue(
  { name, option, kind, ofObjects }: Field,
  isNot: boolean,
  value: string | undefined,
  input: Record<string, unknown>,
  readSecret: ReadSecret,
): Promise<string | null> {
  if (isNot || kind === 'flag') {
    if (value !== undefined) return `--${isNot ? 'no-' : ''}${option} takes no value.`;
    if (kind === 'flag') input[name] = !isNot;
    else input[name] = kind === 'list' ? [] : null;
    return null;
  }
  if (value === undefined) return `--${option} needs a value.`;
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
