// The command `reencrypt`: encrypts everything under another master key.
import { readFileSync } from 'node:fs';
import { reasonOf } from '../../files.ts';
import { reencryptFolder } from '../../operations/upkeep/reencrypt.ts';
import { openVault, parseMasterKey } from '../../secrets/vault.ts';
import { StartupError } from '../../startup-error.ts';
import { defineCommand, migrate } from '../command.ts';
import { exitCode } from '../terminal.ts';

/**
 * `memberdoor reencrypt FILE`: everything that is encrypted gets the master key of that file. The key of now
 * comes from the settings, as at a start. Refused while a service runs.
 */
export const reencryptAll = defineCommand<{ readonly file: string; readonly migrate: boolean }>({
  name: 'reencrypt',
  summary: 'encrypt everything anew under the master key of that file, while the service is stopped',
  operands: ['file'],
  options: { migrate },
  run: async ({ file, migrate: mayMigrate }, { terminal, configuration }) => {
    const config = configuration();
    if (config.masterKey === null) {
      throw new StartupError('The development key is a file of the data folder, and stays as it is.');
    }
    const newVault = openVault(readKey(file));
    const changed = await reencryptFolder(config, newVault, mayMigrate);
    terminal.out(`Encrypted anew: ${changed}. Start the service with the new master key.\n`);
    return exitCode.done;
  },
});

function readKey(file: string): Buffer {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartupError(`The file ${file} cannot be read: ${reasonOf(error)}.`);
  }
  const key = parseMasterKey(text);
  if (key === null) throw new StartupError(`The file ${file} does not hold 32 bytes in base64.`);
  return key;
}
