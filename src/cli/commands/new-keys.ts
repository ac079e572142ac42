// The command `new-keys`: saves the members of a service whose master key is lost.
import { systemClock } from '../../clock.ts';
import { isoTime } from '../../core/access/iso-time.ts';
import { type Lost, listLost, makeNewKeys } from '../../operations/upkeep/new-keys.ts';
import { prepareUpgrade } from '../../operations/upkeep/upgrade.ts';
import { findMasterKey, makeMasterKey, openVault } from '../../secrets/vault.ts';
import { openStore } from '../../storage/store.ts';
import { defineCommand, migrate } from '../command.ts';
import { exitCode, type Terminal, tellProblems, WrongUsage } from '../terminal.ts';

/** `memberdoor new-keys --lost-master-key`: saves the members of a service whose master key is lost. */
export const newKeys = defineCommand<{ readonly lostMasterKey: boolean; readonly migrate: boolean }>({
  name: 'new-keys',
  summary: 'make all keys anew where the master key is lost for good, and keep the members; it asks twice',
  operands: [],
  options: { lostMasterKey: { text: 'says that it is; in production the settings hold a new one' }, migrate },
  run: async ({ lostMasterKey, migrate: mayMigrate }, { terminal, configuration }) => {
    if (!lostMasterKey) {
      throw new WrongUsage([
        'new-keys is for a master key that is lost, and needs --lost-master-key. "memberdoor keys rotate" makes new signing keys, "memberdoor reencrypt FILE" changes the master key.',
      ]);
    }
    const { dataFolder, masterKey, environment } = configuration();
    prepareUpgrade(dataFolder, mayMigrate);
    const store = await openStore(dataFolder, false);
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
