import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { openService } from '../../operations/open-service.ts';
import { reencrypt } from '../../operations/upkeep/reencrypt.ts';
import { openVault, parseMasterKey } from '../../secrets/vault.ts';
import { StartupError } from '../../startup-error.ts';
import { WrongUsage } from '../terminal.ts';

/**
 * `memberdoor reencrypt FILE`: everything that is encrypted gets the master key of that file. The key of now
 * comes from the settings, as at a start. Refused while a service runs.
 *
 * @returns the exit code
 * @throws StartupError, WrongUsage
 */
export async function runReencrypt(words: readonly string[], config: Config): Promise<number> {
  const [file, ...rest] = words;
  if (file === undefined || rest.length > 0) {
    throw new WrongUsage(['memberdoor reencrypt FILE names a file with the new master key.']);
  }
  if (config.masterKey === null) {
    throw new StartupError('The development key is a file of the data folder, and stays as it is.');
  }
  const newVault = openVault(readKey(file));
  const { store, vault } = await openService(config, false);
  try {
    const changed = await reencrypt(store, vault, newVault);
    process.stdout.write(`Encrypted anew: ${changed}. Start the service with the new master key.\n`);
  } finally {
    await store.close();
  }
  return 0;
}

function readKey(file: string): Buffer {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new StartupError(`The file ${file} cannot be read.`);
  }
  const key = parseMasterKey(text);
  if (key === null) throw new StartupError(`The file ${file} does not hold 32 bytes in base64.`);
  return key;
}
