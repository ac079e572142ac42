// The command `dev`: a development service for the project in the current folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceConfig } from '../../config.ts';
import { ownBanner } from '../../operations/development/banner.ts';
import { developmentTenants } from '../../operations/development/clients.ts';
import type { Examples } from '../../operations/development/load.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { beginRsaPairs } from '../../secrets/key-pairs.ts';
import { reasonOf } from '../../system/files.ts';
import { freePort } from '../../system/free-port.ts';
import { StartupError } from '../../system/startup-error.ts';
import { version } from '../../system/version.ts';
import { type CommandContext, defineCommand } from '../command.ts';
import { ownFolderName } from '../own-folder.ts';
import { exitCode, WrongUsage } from '../terminal.ts';

/** The settings that it makes itself: it answers on this machine alone, and has data of its own. */
const made = new Set([
  'ADMIN_EMAIL',
  'ADMIN_PASSWORD',
  'DATA',
  'DATABASE_URL',
  'HOST',
  'ISSUER',
  'MASTER_KEY',
  'TRUSTED_PROXIES',
]);

export const dev = defineCommand({
  name: 'dev',
  summary: 'run a development service for the project in this folder, on this machine alone',
  options: {
    port: { value: 'PORT', text: 'the HTTP port; 3000 by default, and 0 is any that is free' },
    memory: { text: `keeps all data in memory; without it they are in ${ownFolderName}` },
    file: {
      value: 'FILE',
      text: 'has the tenants of this tenant file, and follows it when it changes; - is the standard input',
    },
    examples: {
      value: ['all', 'first', 'none'],
      text: 'which of the example tenants it begins with: all without a file, none beside one',
    },
    json: { text: 'says in one line of JSON that it answers, and where' },
  },
  run: async ({ port, memory, file, examples, json }, context) => {
    const which = (examples ?? (file === undefined ? 'all' : 'none')) as Examples;
    // Each takes a while, and the service is loaded meanwhile; a folder may have its keys.
    if (memory) beginRsaPairs(keysOf(which, file));
    const config = await configOf({ port, memory, json }, context);
    if (config.dataFolder !== null) prepareFolder(config.dataFolder);
    const linesOf = json ? answerOf : which === 'all' ? null : ownBanner;
    await context.serve(config, {
      examples: which,
      logTo: json ? 'errors' : 'output',
      ...(linesOf === null
        ? {}
        : { announce: (tenants) => void context.terminal.out(linesOf(config, tenants)) }),
      ...(file === undefined ? {} : { begin: await following(file, config.port, context) }),
    });
    return exitCode.done;
  },
});

/** How many keys of RSA the tenants need; a file is not read yet. */
const keysOf = (which: Examples, file: string | undefined) =>
  (which === 'all' ? developmentTenants.length : which === 'first' ? 1 : 0) + (file === undefined ? 0 : 1);

/** The code that follows a file is loaded only where there is one: the operations that apply it take long to load. */
async function following(file: string, port: number, context: CommandContext) {
  const { followFile } = await import('../follow-file.ts');
  return followFile(file, port, context);
}

/** @throws WrongUsage */
async function configOf(
  {
    port,
    memory,
    json,
  }: { readonly port: string | undefined; readonly memory: boolean; readonly json: boolean },
  { environment, folder, configuration }: CommandContext,
): Promise<ServiceConfig> {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  const problems = given
    .filter(
      ([name, value]) => made.has(settingOf(name)) || (settingOf(name) === 'ENV' && value !== 'development'),
    )
    .map(
      ([name]) =>
        `${name} does not go with "memberdoor dev", which is a development service of this machine alone.`,
    );
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535)) {
    problems.push('--port must be a whole number from 0 to 65535.');
  }
  if (problems.length > 0) throw new WrongUsage(problems);
  const isSaid = (setting: string) => given.some(([name]) => settingOf(name) === setting);
  const config = configuration({
    MEMBERDOOR_HOST: 'localhost',
    MEMBERDOOR_DATA: join(folder, ownFolderName),
    ...(port === undefined ? {} : { MEMBERDOOR_PORT: Number(port) === 0 ? String(await freePort()) : port }),
    // A program reads the one line; the log is written where it is asked for.
    ...(json && !isSaid('LOG_LEVEL') ? { MEMBERDOOR_LOG_LEVEL: 'silent' } : {}),
  });
  return memory ? { ...config, dataFolder: null } : config;
}

const settingOf = (name: string) => /^MEMBERDOOR_(.*?)(?:_FILE)?$/.exec(name)?.[1] ?? '';

/** Makes the folder, which keeps itself out of the project's repository. @throws StartupError */
function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw new StartupError(`The data folder ${folder} cannot be made: ${reasonOf(error)}.`);
  }
}

/** Which tenant programs take for the first: the one whose address every system finds. */
function placeOf({ issuer }: OpenTenant): number {
  const place = ['localhost', '127.0.0.1'].indexOf(new URL(issuer).hostname);
  return place < 0 ? 2 : place;
}

/** The one line for programs. */
function answerOf({ port, dataFolder }: ServiceConfig, tenants: readonly OpenTenant[]): string {
  const told = tenants
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map(({ name, issuer }) => ({ name, issuer }));
  return `${JSON.stringify({ ready: true, version: version(), port, tenants: told, data: dataFolder })}\n`;
}
