import { fileURLToPath } from 'node:url';
import { type Config, readConfig, settings } from './config.ts';
import { openService, start } from './main.ts';
import { StartupError } from './startup-error.ts';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));

const parentCheckInterval = 200;

const help = `memberdoor: the members' door of a subscription platform

  memberdoor start   run the service
  memberdoor init    make the database of a new production service
  memberdoor help    this text

Settings come from the environment, each also from a file named by the variable with _FILE behind it:

${Object.entries(settings)
  .map(([name, text]) => `  MEMBERDOOR_${name.padEnd(16)} ${text}`)
  .join('\n')}
`;

/** The `memberdoor` command. @returns nothing; it ends the process where it failed */
export async function run(words: readonly string[]): Promise<void> {
  const [command = 'help'] = words;
  // The data folder may be there already, open to others; what is written into it never is.
  process.umask(0o077);
  try {
    switch (command) {
      case 'start':
        return await runStart(configuration());
      case 'init':
        return await runInit(configuration());
      case 'help':
      case '--help':
        process.stdout.write(help);
        return;
      default:
        fail([`There is no command "${command}".`, 'memberdoor help lists them.']);
    }
  } catch (error) {
    if (error instanceof StartupError) fail([error.message]);
    throw error;
  }
}

async function runStart(config: Config): Promise<void> {
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
  process.stdout.write(`The database in ${config.dataFolder} is ready.\n`);
}

function configuration(): Config {
  const result = readConfig(process.env, projectFolder);
  if (!result.ok) fail(result.problems);
  return result.config;
}

function fail(lines: readonly string[]): never {
  for (const line of lines) process.stderr.write(`memberdoor: ${line}\n`);
  process.exit(1);
}
