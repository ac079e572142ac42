import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runApply } from './cli/commands/apply.ts';
import { runBackup } from './cli/commands/backup.ts';
import { runConfigCheck } from './cli/commands/config-check.ts';
import { runDoctor } from './cli/commands/doctor.ts';
import { runExport } from './cli/commands/export.ts';
import { runHealthcheck } from './cli/commands/healthcheck.ts';
import { operate } from './cli/commands/operate.ts';
import { runReencrypt } from './cli/commands/reencrypt.ts';
import { runRestore } from './cli/commands/restore.ts';
import { connect } from './cli/connection.ts';
import { generalHelp } from './cli/help.ts';
import { exitCode, type Terminal, WrongUsage } from './cli/terminal.ts';
import { type Config, readConfig, readDataFolder } from './config.ts';
import { operations } from './operations/admin/index.ts';
import { openService } from './operations/open-service.ts';
import { StartupError } from './startup-error.ts';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));

const parentCheckInterval = 200;

const terminal: Terminal = {
  out: (line) => process.stdout.write(line),
  err: (line) => process.stderr.write(line),
  readInput: () => text(process.stdin),
};

/** The `memberdoor` command. @returns nothing; it ends the process where it failed */
export async function run(words: readonly string[]): Promise<void> {
  // The data folder may be there already, open to others; what is written into it never is.
  process.umask(0o077);
  try {
    process.exitCode = await runCommand(words);
  } catch (error) {
    if (error instanceof StartupError) fail([error.message]);
    if (error instanceof WrongUsage) fail(error.problems, exitCode.misused);
    throw error;
  }
}

/** @returns the exit code. @throws StartupError, WrongUsage */
async function runCommand(words: readonly string[]): Promise<number> {
  const [command = 'help'] = words;
  switch (command) {
    case 'start':
      await runStart(configuration());
      return exitCode.done;
    case 'init':
      await runInit(configuration());
      return exitCode.done;
    case 'backup':
      return runBackup(words.slice(1), configuration());
    case 'restore':
      return runRestore(words.slice(1), configuration());
    case 'reencrypt':
      return runReencrypt(words.slice(1), configuration());
    case 'doctor':
      return runDoctor(words.slice(1), configuration());
    case 'healthcheck':
      return runHealthcheck(words.slice(1), configuration());
    case 'apply':
      return runApply(words.slice(1), () => connect(dataFolder(), configuration), terminal, process.env);
    case 'export':
      return runExport(words.slice(1), () => connect(dataFolder(), configuration), terminal);
    case 'config':
      return runConfigCheck(words.slice(1), terminal);
    case 'help':
    case '--help':
      terminal.out(generalHelp(operations));
      return exitCode.done;
    default:
      return operate(operations, words, () => connect(dataFolder(), configuration), terminal);
  }
}

async function runStart(config: Config): Promise<void> {
  // The other commands need no server, which takes as long to load as all the rest of them.
  const { start } = await import('./main.ts');
  const starting = start(config);
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
  // Before anyone can read that it is ready, and stop it.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  stopWithNpm(stop);
  await starting;
}

/** Between npm and us stands a shell that dies of a signal without handing it on; its death is ours then. */
function stopWithNpm(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, parentCheckInterval).unref();
}

async function runInit(config: Config): Promise<void> {
  const { store } = await openService(config, true);
  await store.close();
  terminal.out(`The database in ${config.dataFolder} is ready.\n`);
}

function dataFolder(): string {
  return readDataFolder(process.env, projectFolder);
}

function configuration(): Config {
  const result = readConfig(process.env, projectFolder);
  if (!result.ok) fail(result.problems);
  return result.config;
}

function fail(lines: readonly string[], code: number = exitCode.failed): never {
  for (const line of lines) terminal.err(`memberdoor: ${line}\n`);
  process.exit(code);
}
