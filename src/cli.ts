// The `memberdoor` command: what it does to the process, and what it may use.
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { CommandContext } from './cli/command.ts';
import { serviceCommands } from './cli/commands/service.ts';
import { ownFolder } from './cli/own-folder.ts';
import { runWords, type Table } from './cli/run.ts';
import { askerOf, exitCode, type Terminal, tellProblems, WrongUsage } from './cli/terminal.ts';
import { type Config, readConfig, readDataFolder, type ServiceConfig } from './config.ts';
import type { StartOptions } from './operations/service/start.ts';
import { asStartupError } from './system/files.ts';
import { StartupError } from './system/startup-error.ts';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));

/** Whether this process is the service: its output is its log, and its end says how it stopped. */
let isService = false;

const asker = askerOf(process.stdin, (question) => process.stderr.write(question));

/** How the output went: what reads it may go away, or its disk be full. */
let outputCode: number = exitCode.done;

const terminal: Terminal = {
  out: (line) => {
    process.stdout.write(line);
    return outputCode === exitCode.done;
  },
  err: (line) => process.stderr.write(line),
  outWidth: widthOf(process.stdout),
  errWidth: widthOf(process.stderr),
  readInput: () => text(process.stdin),
  ask: asker.ask,
};

const context: CommandContext = {
  terminal,
  environment: process.env,
  folder: process.cwd(),
  configuration,
  connect: async (mayMigrate) => {
    const { connect, systemUser } = await import('./cli/connection.ts');
    const own = ownFolder(process.cwd(), process.env, process.getuid?.());
    const folder = own ?? readDataFolder(process.env, projectFolder);
    const settings = () => configuration(own === null ? {} : { MEMBERDOOR_DATA: own });
    return connect(folder, settings, mayMigrate, systemUser(process.env));
  },
  serve,
};

/** Some terminals do not know how wide they are. */
function widthOf({ isTTY, columns }: NodeJS.WriteStream): number | null {
  return isTTY && columns > 0 ? columns : null;
}

/** The `memberdoor` command. @returns nothing; it ends the process where it failed */
export async function run(words: readonly string[]): Promise<void> {
  // The data folder may be there already, open to others; what is written into it never is.
  process.umask(0o077);
  outliveOutput();
  try {
    process.exitCode = await runWords(await tableFor(words), words, context);
  } catch (error) {
    if (error instanceof StartupError) fail([error.message]);
    if (error instanceof WrongUsage) fail(error.problems, exitCode.misused);
    // A full disk, say, or a file of another user.
    const told = asStartupError(error);
    if (told !== null) fail([told.message]);
    throw error;
  } finally {
    asker.close();
  }
}

/** The commands that run the service are found without the table of operations, which takes as long to load as all the rest of a start. */
async function tableFor(words: readonly string[]): Promise<Table> {
  if (serviceCommands.some(({ name }) => name === words[0])) {
    return { commands: serviceCommands, operations: [] };
  }
  const [{ commands }, { operations }] = await Promise.all([
    import('./cli/commands/index.ts'),
    import('./operations/admin/index.ts'),
  ]);
  return { commands, operations };
}

/**
 * What reads the output may go away (`… | head -1`), or its disk be full. What the command was asked to do is done
 * all the same, so that nothing is left half done; its exit code then says that not all of the output was taken.
 */
function outliveOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (outputCode !== exitCode.done) return;
    outputCode = error.code === 'EPIPE' ? exitCode.unread : exitCode.failed;
    if (outputCode === exitCode.failed)
      tellProblems([`The output cannot be written: ${error.message}.`], terminal);
  });
  // There is nothing left to say it on.
  process.stderr.on('error', () => {});
  process.on('exit', (ended) => {
    if (ended === exitCode.done && !isService) process.exitCode = outputCode;
  });
}

async function serve(config: ServiceConfig, options?: StartOptions): Promise<void> {
  isService = true;
  // The other commands need no server, which takes as long to load as all the rest of them.
  const { start } = await import('./main.ts');
  const starting = start(config, options);
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    starting
      .then((service) => service.stop())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  // Before another program can read that it is ready, and stop it.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  // A program that started it with a channel to it has ended, or let go of it.
  process.on('disconnect', stop);
  await starting;
}

function configuration(own: Readonly<Record<string, string>> = {}): Config {
  const result = readConfig({ ...process.env, ...own }, projectFolder);
  if (!result.ok) fail(result.problems);
  return result.config;
}

function fail(problems: readonly string[], code: number = exitCode.failed): never {
  tellProblems(problems, terminal);
  process.exit(code);
}
