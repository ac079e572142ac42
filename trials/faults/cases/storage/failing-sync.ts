import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVault } from '../../../../src/secrets/vault.ts';
import { readDatabase } from '../../../../src/storage/sqlite/backup.ts';
import { startProcess } from '../../../../test/support/process/started.ts';
import { type Case, type Outcome, violations } from '../../case.ts';

/** Which of the command's synchronisations fail: from one on, or one alone. */
const failing = [1, 2, 3, 4, 5, 6, 8].flatMap((number) => [`${number}+`, String(number)]);

const strace = (when: string) => [
  ...['strace', '-D', '-f', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync'],
  ...['-e', `inject=fsync,fdatasync:error=EIO:when=${when}`],
];

async function reencryptOnBadDisk(): Promise<Outcome> {
  const found = violations();
  const all = mkdtempSync(join(tmpdir(), 'memberdoor-sync-'));
  const [before, after] = [join(all, 'before'), join(all, 'after')];
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const keyFile = join(all, 'new.key');
  writeFileSync(keyFile, newKey.toString('base64'));
  const run = async (folder: string, words: readonly string[], under: readonly string[] = []) => {
    const settings = { MEMBERDOOR_DATA: folder, MEMBERDOOR_MASTER_KEY: oldKey.toString('base64') };
    const started = startProcess({ settings, words, under });
    return { code: (await started.exited).code, lines: started.errorLines() };
  };
  await run(before, ['init']);
  const told = { old: 0, new: 0, done: 0 };
  for (const when of failing) {
    rmSync(after, { recursive: true, force: true });
    cpSync(before, after, { recursive: true });
    const { code, lines } = await run(after, ['reencrypt', keyFile], strace(when));
    const { keyCheck } = readDatabase(join(after, 'memberdoor.db'));
    const works = keyCheck === openVault(newKey).keyCheck ? 'new' : 'old';
    if (code === 0) {
      told.done += 1;
      found.unless(works === 'new', `fsync ${when} fails: it says that it is done, and the old key works`);
      continue;
    }
    told[works] += 1;
    found.unless(lines.length === 1, `fsync ${when} fails: it takes ${lines.length} lines to say so`);
    // Before anything was encrypted it may say only that the folder cannot be opened.
    const isOpened = !/cannot be (?:opened|written)/.test(lines[0] ?? '');
    const isTrue = isOpened
      ? lines[0]?.includes(`the ${works} master key is the one that works`)
      : works === 'old';
    found.unless(isTrue === true, `fsync ${when} fails: the ${works} key works, and it says: ${lines[0]}`);
  }
  found.unless(told.old > 0 && told.new > 0, 'the disk did not fail before the commit and after it');
  rmSync(all, { recursive: true });
  const note = `the old key worked ${told.old} times, the new one ${told.new}; done all the same ${told.done}`;
  return { rounds: failing.length, violations: found.all, note };
}

export const failingSync: Case = {
  id: 'F18',
  title: 'reencrypt on a disk that confirms no write says which key works',
  needs: ['strace'],
  run: reencryptOnBadDisk,
};
