// How the fields of an operation's input are written on the command line.

import type { ObjectSchema } from '../operations/admin/operation.ts';
import { describedWith, type Schema, typesOf } from '../operations/json-schema.ts';
import { kebab } from './words.ts';

/** An option of a command that is no operation. */
export interface CommandOption {
  /** How its value is called in the help text: a word in capitals, or all the values there are; none for a flag. */
  readonly value?: string | readonly string[];
  /** What it means, for the help text. */
  readonly text: string;
}

/** How a field of an input is written on the command line. */
export interface Field {
  readonly name: string;
  /** The word behind the two hyphens; of a secret it names a file. */
  readonly option: string;
  /**
   * `flag`: --x and --no-x. `text`: one value. `list`: repeated. `json`: an object in JSON. `secret`: never
   * on the command line, where others can read it, but in a file.
   */
  readonly kind: 'flag' | 'text' | 'list' | 'json' | 'secret';
  /** Whether the items of a list are objects in JSON. */
  readonly ofObjects: boolean;
  /** Whether a flag has no --no-x: it is off unless it is given. */
  readonly isSwitch: boolean;
  /** Whether --no-x makes it null. */
  readonly nullable: boolean;
  readonly required: boolean;
  readonly description: string;
  /** What the value looks like, for the help text. */
  readonly shape: string;
  /** The only values there are, where the command itself looks at that. */
  readonly choices?: readonly string[];
}

/** The fields of an input, those that must be given first. */
export function fieldsOf({ properties, required = [] }: ObjectSchema): readonly Field[] {
  const fields = Object.entries(properties).map(([name, schema]) =>
    fieldOf(name, schema, required.includes(name)),
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const types = typesOf(schema);
  const kind = kindOf(schema);
  return {
    name,
    option: kind === 'secret' ? `${kebab(name)}-file` : kebab(name),
    kind,
    ofObjects: kind === 'list' && kindOf(schema.items ?? {}) === 'json',
    isSwitch: false,
    nullable: types.includes('null'),
    required,
    description: describedWith(schema, `--no-${kebab(name)}`),
    shape: shapeOf(kind, schema),
  };
}

function kindOf(schema: Schema): Field['kind'] {
  if (schema.secret === true) return 'secret';
  const [type] = typesOf(schema).filter((candidate) => candidate !== 'null');
  if (type === 'boolean') return 'flag';
  if (type === 'array') return 'list';
  return type === 'string' || type === 'integer' || type === 'number' || schema.enum !== undefined
    ? 'text'
    : 'json';
}

function shapeOf(kind: Field['kind'], schema: Schema): string {
  if (kind === 'secret') return 'FILE';
  if (kind === 'json') return 'JSON';
  if (kind === 'flag') return '';
  if (kind === 'list') return shapeOf(kindOf(schema.items ?? {}), schema.items ?? {});
  if (schema.enum !== undefined)
    return schema.enum.filter((value) => value !== null && value !== '').join('|');
  return typesOf(schema).includes('string') ? 'TEXT' : 'NUMBER';
}

/** The options of a command that is no operation. */
export function fieldsOfOptions(options: Readonly<Record<string, CommandOption>>): readonly Field[] {
  return Object.entries(options).map(([name, { value, text }]) => ({
    name,
    option: kebab(name),
    kind: value === undefined ? 'flag' : 'text',
    ofObjects: false,
    isSwitch: value === undefined,
    nullable: false,
    required: false,
    description: text,
    shape: [value ?? []].flat().join('|'),
    ...(Array.isArray(value) ? { choices: value } : {}),
  }));
}
