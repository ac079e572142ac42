import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { restore } from '../../operations/upkeep/restore.ts';
import { developmentMasterKey, openVault } from '../../secrets/vault.ts';
import { StartupError } from '../../startup-error.ts';
import { WrongUsage } from '../terminal.ts';

/** `memberdoor restore FILE`. @returns the exit code. @throws StartupError, WrongUsage */
export async function runRestore(words: readonly string[], config: Config): Promise<number> {
  const [file, ...rest] = words;
  if (file === undefined || rest.length > 0) {
    throw new WrongUsage(['memberdoor restore FILE names the backup to restore.']);
  }
  const { dataFolder, environment } = config;
  const vault = openVault(masterKeyOf(config));
  const { ended, kept } = await restore({ dataFolder, environment, vault }, file, systemClock());
  const counts = Object.entries(ended).map(([table, count]) => `${table} ${count}`);
  process.stdout.write(`The database in ${dataFolder} is now that of ${file}.\n`);
  process.stdout.write(`Ended: ${counts.join(', ')}. Everybody signs in again, and tokens are made anew.\n`);
  if (kept !== null) process.stdout.write(`The one that was there before is kept as ${kept}.\n`);
  return 0;
}

/** A key made just now would fit no backup, so none is made here. */
function masterKeyOf({ masterKey, dataFolder }: Config): Buffer {
  if (masterKey !== null) return masterKey;
  const path = join(dataFolder, 'master.key');
  if (!existsSync(path)) {
    throw new StartupError(`There is no ${path}: copy it from the data folder that the backup is of.`);
  }
  return developmentMasterKey(dataFolder);
}
