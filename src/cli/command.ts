// What a command that is no operation takes, and what it may use.
import type { Config } from '../config.ts';
import type { Connection } from './connection.ts';
import type { Field } from './fields.ts';
import type { Environment } from './tenant-file.ts';
import type { Terminal } from './terminal.ts';
import { kebab } from './words.ts';

/** An option of a command. */
export interface CommandOption {
  /** How its value is called in the help text: a word in capitals, or all the values there are; none for a flag. */
  readonly value?: string | readonly string[];
  /** What it means, for the help text. */
  readonly text: string;
}

/** Of every command that may open the data folder itself. */
export const migrate: CommandOption = {
  text: 'brings the database of a stopped older version to this one; it is copied first',
};

/** What a command may use. Nothing is read or opened before it asks. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** The settings. They end the process where they are wrong. */
  configuration(): Config;
  /** A way to the operations. @param mayMigrate see `migrate`. @throws StartupError */
  connect(mayMigrate: boolean): Promise<Connection>;
  /** Runs the service; resolves once it answers. @throws StartupError */
  serve(config: Config): Promise<void>;
}

/** A command that is no operation: one row of the list in `commands/index.ts`. */
export interface Command<Input = unknown> {
  /** The word that calls it, or the two. */
  readonly name: string;
  /** One line, for the help text. */
  readonly summary: string;
  /** Fields of the input that are given by their place: all of them must be there. */
  readonly operands: readonly string[];
  /** The other fields; a flag that is not given is false, another option undefined. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** @returns the exit code. @throws WrongUsage, StartupError */
  readonly run: (input: Input, context: CommandContext) => Promise<number>;
}

/** Each command is called with what `inputOf` made of its own operands and options. */
export function defineCommand<Input>(command: Command<Input>): Command {
  return command as unknown as Command;
}

/** The options of a command as fields. */
export function optionsOf({ options }: Command): readonly Field[] {
  return fieldsOfOptions(options);
}

/** Options as fields, which the options of operations are too. */
export function fieldsOfOptions(options: Command['options']): readonly Field[] {
  return Object.entries(options).map(([name, { value, text }]) => ({
    name,
    option: kebab(name),
    kind: value === undefined ? 'flag' : 'text',
    ofObjects: false,
    isSwitch: value === undefined,
    nullable: false,
    required: false,
    description: text,
    shape: typeof value === 'string' ? value : (value ?? []).join('|'),
    ...(Array.isArray(value) ? { choices: value } : {}),
  }));
}

/** How an operand is written in the help text. */
export function operandShape(operand: string): string {
  return kebab(operand).toUpperCase();
}
