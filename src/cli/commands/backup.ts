// The commands `backup` and `restore`: a copy of the database, and what takes its place.
import { resolve } from 'node:path';
import { isoTime } from '../../core/access/iso-time.ts';
import { backUp } from '../../operations/upkeep/backup.ts';
import { checkBackup, type RestoreTarget, restore } from '../../operations/upkeep/restore.ts';
import { developmentMasterKey, openVault } from '../../secrets/vault.ts';
import { systemClock } from '../../system/clock.ts';
import { defineCommand } from '../command.ts';
import { exitCode, type Terminal } from '../terminal.ts';

export const backup = defineCommand({
  name: 'backup',
  summary: 'write a copy of the database, while the service runs or not',
  operands: ['file'],
  run: async ({ file }, { terminal, configuration }) => {
    const { counts } = backUp(configuration().dataFolder, file);
    const held = Object.entries(counts).map(([table, count]) => `${table} ${count}`);
    terminal.out(`${resolve(file)} is written, read back and sound: ${held.join(', ')}.\n`);
    terminal.out('It is worth nothing without the master key, which is not in it.\n');
    return exitCode.done;
  },
});

export const restoreBackup = defineCommand({
  name: 'restore',
  summary: 'put a backup in its place, and end everything that was issued before',
  operands: ['file'],
  options: {
    check: { text: 'only says whether the file can be restored here; a service may run meanwhile' },
    lostMasterKey: { text: 'takes a backup whose master key is lost; new keys must be made then' },
  },
  run: async ({ file, check, lostMasterKey }, { terminal, configuration }) => {
    const { dataFolder, environment, masterKey } = configuration();
    // A key made just now would fit no backup, so none is made here.
    const vault = lostMasterKey ? null : openVault(masterKey ?? developmentMasterKey(dataFolder, false));
    const target = { dataFolder, environment, vault };
    if (check) return tellCheck(target, file, terminal);
    const { ended, kept } = await restore(target, file, systemClock());
    const counts = Object.entries(ended).map(([table, count]) => `${table} ${count}`);
    terminal.out(`The database in ${dataFolder} is now that of ${file}.\n`);
    terminal.out(`Ended: ${counts.join(', ')}. All members sign in again, and tokens are made anew.\n`);
    if (kept !== null) terminal.out(`The one that was there before is kept as ${kept}.\n`);
    if (lostMasterKey) terminal.out('Now make new keys: memberdoor new-keys --lost-master-key\n');
    return exitCode.done;
  },
});

/** What the file holds, and that it is whole. */
function tellCheck(target: RestoreTarget, file: string, terminal: Terminal): number {
  const { counts, newestEventAt, hasChecksum } = checkBackup(target, file);
  const held = Object.entries(counts).map(([table, count]) => `${table} ${count}`);
  const newest = newestEventAt === null ? '' : ` Its newest event is of ${isoTime(newestEventAt)}.`;
  terminal.out(`${file} can be restored: ${held.join(', ')}.${newest}\n`);
  terminal.out(
    hasChecksum
      ? 'Every byte is as it was written.\n'
      : 'It has no checksum: an older version made it, or it is a plain copy. Its pages are sound.\n',
  );
  return exitCode.done;
}
