// The command `move`: the service of a data folder goes into PostgreSQL, or back.
import { resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { readDatabaseUrl } from '../../core/operators/database-url.ts';
import { movedRowsTold } from '../../core/operators/store-limits.ts';
import { type Copied, type MoveOptions, moveToFolder, moveToPostgres } from '../../operations/upkeep/move.ts';
import { systemClock } from '../../system/clock.ts';
import { defineCommand, migrateOption } from '../command.ts';
import { listCounts } from '../print.ts';
import { exitCode, type Terminal, WrongUsage } from '../terminal.ts';

/** Stands for the address in the settings, which keep its password from others. */
const ofSettings = 'postgres';

export const move = defineCommand({
  name: 'move',
  summary: 'copy a stopped service into an empty PostgreSQL database, or back; no member is signed out',
  options: {
    to: {
      value: 'TARGET',
      text: 'postgres, for the database of MEMBERDOOR_DATABASE_URL; its address; or, for the way back from it, a data folder',
    },
    migrate: migrateOption,
  },
  run: async ({ to, migrate }, { terminal, configuration }) => {
    if (to === undefined) throw new WrongUsage(['--to is missing: postgres, an address, or a data folder.']);
    const config = configuration();
    const options = { migrate, tell: tellProgress(terminal) };
    const isAddress = /^postgres(?:ql)?:/.test(to);
    return to === ofSettings || isAddress
      ? intoPostgres(isAddress ? addressIn(to, config) : addressOf(config), config, options, terminal)
      : intoFolder(resolve(to), addressOf(config), options, terminal);
  },
});

async function intoPostgres(
  databaseUrl: string,
  { dataFolder }: Config,
  options: MoveOptions,
  { out }: Terminal,
): Promise<number> {
  const { copied, kept } = await moveToPostgres({ dataFolder, databaseUrl }, options, systemClock());
  out(textOf(copied));
  out('Now start the service with MEMBERDOOR_DATABASE_URL, and with the same master key.\n');
  if (kept !== null) out(`The file of before is kept as ${kept}: delete it when all is well.\n`);
  return exitCode.done;
}

async function intoFolder(
  dataFolder: string,
  databaseUrl: string,
  options: MoveOptions,
  { out }: Terminal,
): Promise<number> {
  const copied = await moveToFolder({ dataFolder, databaseUrl }, options);
  out(textOf(copied));
  out(
    `Now start the service without MEMBERDOOR_DATABASE_URL, on ${dataFolder}, and with the same master key.\n`,
  );
  out('PostgreSQL has the service of before: drop its database when all is well.\n');
  return exitCode.done;
}

/** @throws WrongUsage */
function addressOf({ databaseUrl }: Config): string {
  if (databaseUrl !== null) return databaseUrl;
  throw new WrongUsage(['MEMBERDOOR_DATABASE_URL is missing: the address of the PostgreSQL database.']);
}

/** @throws WrongUsage, without the address */
function addressIn(text: string, { environment }: Config): string {
  const problems: string[] = [];
  const url = readDatabaseUrl(text, environment, '--to', problems);
  if (url === null || problems.length > 0) throw new WrongUsage(problems);
  return url;
}

function tellProgress({ err }: Terminal): MoveOptions['tell'] {
  return (table, rows) => {
    if (rows % movedRowsTold === 0) err(`${table} ${rows} …\n`);
  };
}

function textOf(copied: Copied): string {
  const counts = Object.entries(copied).map(([table, { rows }]) => [table, rows] as const);
  const held = Object.fromEntries(counts.filter(([, rows]) => rows > 0));
  return `The service is copied, and each value is the same on both sides: ${listCounts(held)}.\n`;
}
