// The commands `reencrypt` and `new-keys`: for another master key, and for one that is lost.
import { readFileSync } from 'node:fs';
import { isoTime } from '../../core/access/iso-time.ts';
import { type Lost, listLost, makeNewKeys, reencryptFolder } from '../../operations/service/master-key.ts';
import { openDatabase } from '../../operations/service/service.ts';
import { findMasterKey, makeMasterKey, openVault, parseMasterKey } from '../../secrets/vault.ts';
import { systemClock } from '../../system/clock.ts';
import { reasonOf } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import { defineCommand, migrateOption } from '../command.ts';
import { exitCode, type Terminal, tellProblems, WrongUsage } from '../terminal.ts';

/**
 * `memberdoor reencrypt FILE`: everything that is encrypted gets the master key of that file. The key of now
 * comes from the settings, as at a start. Refused while a service runs.
 */
export const reencryptAll = defineCommand({
  name: 'reencrypt',
  summary: 'encrypt everything anew under the master key of that file, while the service is stopped',
  operands: ['file'],
  options: { migrate: migrateOption },
  run: async ({ file, migrate }, { terminal, configuration }) => {
    const config = configuration();
    if (config.masterKey === null) {
      throw new StartupError('The development key is a file of the data folder, and stays as it is.');
    }
    const newVault = openVault(readKey(file));
    const changed = await reencryptFolder(config, newVault, migrate);
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

/** Saves the members of a service whose master key is lost. */
export const newKeys = defineCommand({
  name: 'new-keys',
  summary: 'make all keys anew where the master key is lost for good, and keep the members; it asks twice',
  options: {
    lostMasterKey: { text: 'says that it is; in production the settings hold a new one' },
    migrate: migrateOption,
  },
  run: async ({ lostMasterKey, migrate }, { terminal, configuration }) => {
    if (!lostMasterKey) {
      throw new WrongUsage([
        'new-keys is for a master key that is lost, and needs --lost-master-key. "memberdoor keys rotate" makes new signing keys, "memberdoor reencrypt FILE" changes the master key.',
      ]);
    }
    const config = configuration();
    const { dataFolder, masterKey, environment } = config;
    const { store } = await openDatabase(config, { initialise: false, migrate, alone: true });
    try {
      // In development the key is a file of the folder: of what is left of it, or made when all is agreed to.
      const found = masterKey ?? findMasterKey(dataFolder);
      const vault = found === null ? null : openVault(found);
      const lost = await store.transaction((tx) => listLost(tx, { environment }, vault));
      if (!(await isAgreed(lost, terminal))) {
        tellProblems(['Nothing was done.'], terminal);
        return exitCode.failed;
      }
      const newVault = vault ?? openVault(makeMasterKey(dataFolder));
      const ended = await makeNewKeys(store, { environment }, newVault, systemClock());
      terminal.out(
        `New keys are made. Ended: sessions ${ended.sessions}, sign-ins ${ended.signIns}. Mails given up: ${ended.mails}.\n`,
      );
      terminal.out('Keep the new master key where neither this machine nor the backups are lost with it.\n');
      return exitCode.done;
    } finally {
      await store.close();
    }
  },
});

/** Says what will be lost for good, and asks twice before it goes on. */
async function isAgreed({ hosts, members, mails }: Lost, terminal: Terminal): Promise<boolean> {
  const gone = mails.map(({ host, name, createdAt }) => `  ${host}: ${name}, of ${isoTime(createdAt)}\n`);
  terminal.err(`Without its master key the service cannot read the keys of ${hosts.join(', ') || 'this service'}.
What stays: ${members} members with their passwords, subscriptions and consents, clients with their secrets, tokens
of the admin API, the audit.
What is made anew: every signing key, and the keys of refresh tokens and forms.
What ends: every session, sign-in, code and link; all members sign in again.
What is dropped, since it cannot be read: the old keys, and ${mails.length} mails that wait${mails.length === 0 ? '' : ':'}
${gone.join('')}If the old master key may still be found, stop here: with it nothing is lost.
`);
  if ((await terminal.ask('Is it lost for good? Type yes: ')) !== 'yes') return false;
  return (await terminal.ask('To make the new keys type new keys: ')) === 'new keys';
}
