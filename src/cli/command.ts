// What a command that is no operation takes, and what it may use.
import type { Config, ServiceConfig } from '../config.ts';
import type { Problem } from '../core/problem.ts';
import { problemText } from '../operations/problem-text.ts';
import { OperationRefused } from '../operations/refusal.ts';
import type { StartOptions } from '../operations/service/start.ts';
import type { Connection } from './connection.ts';
import type { CommandOption } from './fields.ts';
import { exitCode, type Terminal, tell } from './terminal.ts';

/** Of every command that may open the data folder itself. */
export const migrateOption = {
  text: 'brings the database of a stopped older version to this one; it is copied first',
} as const satisfies CommandOption;

/** What a command may use. Nothing is read or opened before it asks. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly environment: NodeJS.ProcessEnv;
  /** The folder that the command is run in. */
  readonly folder: string;
  /** The settings. They end the process where they are wrong. @param own what the command sets itself */
  configuration(own?: Readonly<Record<string, string>>): Config;
  /** A way to the operations. @param mayMigrate see `migrateOption`. @throws StartupError */
  connect(mayMigrate: boolean): Promise<Connection>;
  /** Runs the service; resolves once it answers. @throws StartupError */
  serve(config: ServiceConfig, options?: StartOptions): Promise<void>;
}

/** A command that is no operation: one row of the list in `commands/index.ts`. */
export interface Command {
  /** The word that calls it, or the two. */
  readonly name: string;
  /** One line, for the help text. */
  readonly summary: string;
  /** Fields of the input that are given by their place: all of them must be there. */
  readonly operands: readonly string[];
  /** The other fields; a flag that is not given is false, another option undefined. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** @returns the exit code. @throws WrongUsage, StartupError */
  readonly run: (input: unknown, context: CommandContext) => Promise<number>;
}

/** What `inputOf` makes of the operands and options of a command. */
type CommandInput<Operand extends string, Options extends Command['options']> = {
  readonly [Name in Operand]: string;
} & {
  readonly [Name in keyof Options]: 'value' extends keyof Options[Name] ? string | undefined : boolean;
};

/** Defines a command; it is called with what `inputOf` made of its own operands and options. */
export function defineCommand<
  const Operand extends string = never,
  const Options extends Command['options'] = Readonly<Record<never, CommandOption>>,
>({
  operands = [],
  options = {} as Options,
  run,
  ...rest
}: Pick<Command, 'name' | 'summary'> & {
  readonly operands?: readonly Operand[];
  readonly options?: Options;
  readonly run: (input: CommandInput<Operand, Options>, context: CommandContext) => Promise<number>;
}): Command {
  return { ...rest, operands, options, run: (input, context) => run(input as never, context) };
}

/**
 * Uses a way to the operations, and closes it.
 *
 * @param textOf words a problem of an operation that was refused, on the error output
 * @returns the exit code
 */
export async function withConnection(
  { terminal, connect }: CommandContext,
  mayMigrate: boolean,
  use: (connection: Connection) => Promise<number>,
  textOf: (found: Problem) => string = (found) => `memberdoor: ${problemText(found)}`,
): Promise<number> {
  const connection = await connect(mayMigrate);
  try {
    return await use(connection);
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    tell(error.problems.map(textOf), terminal);
    return exitCode.failed;
  } finally {
    await connection.close();
  }
}
