// The commands `backup` and `restore`: a copy of the database, and what takes its place.
import { resolve } from 'node:path';
import { isoTime } from '../../core/access/iso-time.ts';
import { openService } from '../../operations/service/service.ts';
import { backUp } from '../../operations/upkeep/backup.ts';
import { checkBackup, type RestoreTarget, restore } from '../../operations/upkeep/restore.ts';
import { developmentMasterKey, openVault } from '../../secrets/vault.ts';
import { type Ended, endEverything } from '../../storage/operators/restore.ts';
import { systemClock } from '../../system/clock.ts';
import { StartupError } from '../../system/startup-error.ts';
import { defineCommand } from '../command.ts';
import { listCounts } from '../print.ts';
import { exitCode, type Terminal } from '../terminal.ts';

export const backup = defineCommand({
  name: 'backup',
  summary: 'write a copy of the database, while the service runs or not',
  operands: ['file'],
  run: async ({ file }, { terminal, configuration }) => {
    const { databaseUrl, dataFolder } = configuration();
    refusePostgres(databaseUrl, copyAdvice);
    const { counts } = backUp(dataFolder, file);
    terminal.out(`${resolve(file)} is written, read back and sound: ${listCounts(counts)}.\n`);
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
    const { databaseUrl, dataFolder, environment, masterKey } = configuration();
    refusePostgres(databaseUrl, restoreAdvice);
    // A key made just now would fit no backup, so none is made here.
    const vault = lostMasterKey ? null : openVault(masterKey ?? developmentMasterKey(dataFolder, false));
    const target = { dataFolder, environment, vault };
    if (check) return tellCheck(target, file, terminal);
    const { ended, kept } = await restore(target, file, systemClock());
    terminal.out(`The database in ${dataFolder} is now that of ${file}.\n`);
    tellEnded(ended, terminal);
    if (kept !== null) terminal.out(`The one that was there before is kept as ${kept}.\n`);
    if (lostMasterKey) terminal.out('Now make new keys: memberdoor new-keys --lost-master-key\n');
    return exitCode.done;
  },
});

/** For PostgreSQL, whose own programs copy a database and put the copy in its place. */
export const restored = defineCommand({
  name: 'restored',
  summary:
    'end everything that was issued before a copy was put into PostgreSQL; no service may run meanwhile',
  run: async (_input, { terminal, configuration }) => {
    const config = configuration();
    if (config.databaseUrl === null) {
      throw new StartupError(
        'This is for PostgreSQL: "memberdoor restore FILE" does it for the data folder. Nothing was done.',
      );
    }
    const { store } = await openService(config, { initialise: false, migrate: false, alone: true });
    try {
      tellEnded(await store.transaction((tx) => endEverything(tx, systemClock())), terminal);
    } finally {
      await store.close();
    }
    return exitCode.done;
  },
});

const copyAdvice =
  'pg_dump --format=custom --file=FILE NAME copies it while the service runs. The copy is worth nothing without the master key, which is not in it';
const restoreAdvice =
  'stop every process of the service, put the copy in its place with pg_restore, and end what was issued before with "memberdoor restored"';

/** What is done to a file cannot be done to a server. */
function refusePostgres(databaseUrl: string | null, advice: string): void {
  if (databaseUrl !== null) {
    throw new StartupError(`The database is in PostgreSQL. Nothing was done: ${advice}.`);
  }
}

function tellEnded(ended: Ended, { out }: Terminal): void {
  out(`Ended: ${listCounts({ ...ended })}. All members sign in again, and tokens are made anew.\n`);
}

/** What the file holds, and that it is whole. */
function tellCheck(target: RestoreTarget, file: string, terminal: Terminal): number {
  const { counts, newestEventAt, hasChecksum } = checkBackup(target, file);
  const newest = newestEventAt === null ? '' : ` Its newest event is of ${isoTime(newestEventAt)}.`;
  terminal.out(`${file} can be restored: ${listCounts(counts)}.${newest}\n`);
  terminal.out(
    hasChecksum
      ? 'Every byte is as it was written.\n'
      : 'It has no checksum: an older version made it, or it is a plain copy. Its pages are sound.\n',
  );
  return exitCode.done;
}
