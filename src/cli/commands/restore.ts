import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { restore } from '../../operations/upkeep/restore.ts';
import { developmentMasterKey, openVault } from '../../secrets/vault.ts';
import { StartupError } from '../../startup-error.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../terminal.ts';

/** `memberdoor restore FILE` */
export const restoreBackup = defineCommand<{ readonly file: string }>({
  name: 'restore',
  summary: 'put a backup in its place, and end everything that was issued before',
  operands: ['file'],
  options: {},
  run: async ({ file }, { terminal, configuration }) => {
    const config = configuration();
    const { dataFolder, environment } = config;
    const vault = openVault(masterKeyOf(config));
    const { ended, kept } = await restore({ dataFolder, environment, vault }, file, systemClock());
    const counts = Object.entries(ended).map(([table, count]) => `${table} ${count}`);
    terminal.out(`The database in ${dataFolder} is now that of ${file}.\n`);
    terminal.out(`Ended: ${counts.join(', ')}. Everybody signs in again, and tokens are made anew.\n`);
    if (kept !== null) terminal.out(`The one that was there before is kept as ${kept}.\n`);
    return exitCode.done;
  },
});

/** A key made just now would fit no backup, so none is made here. */
function masterKeyOf({ masterKey, dataFolder }: Config): Buffer {
  if (masterKey !== null) return masterKey;
  const path = join(dataFolder, 'master.key');
  if (!existsSync(path)) {
    throw new StartupError(`There is no ${path}: copy it from the data folder that the backup is of.`);
  }
  return developmentMasterKey(dataFolder);
}
