import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Case, type Outcome, violations } from '../../case.ts';
import { newFamily } from '../../clients/client.ts';
import { smallDisk } from '../../disk.ts';
import { examineFile } from '../../integrity.ts';
import { checkOutage, checkRecovery, prepareOutage, writeUntilRefused } from '../../outage.ts';
import { begin, newSite, removeSite, run } from '../../site.ts';

/** Makes the files of a running service unchangeable. @returns whether the file system knows how */
function freeze(folder: string, sign: '+i' | '-i'): boolean {
  const files = ['memberdoor.db', 'memberdoor.db-wal'].map((file) => join(folder, file));
  try {
    execFileSync('chattr', [sign, ...files], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Read-only while it runs: on the file system of the temporary folder, where that has the attribute. */
async function whileRunning(found: ReturnType<typeof violations>): Promise<string> {
  const site = await newSite();
  const running = await run(site);
  const before = await prepareOutage(running);
  const token = await newFamily(running);
  if (!freeze(site.folder, '+i')) {
    await running.kill();
    removeSite(site);
    return 'skipped while it runs: chattr +i does not work on the temporary folder';
  }
  try {
    await writeUntilRefused(running, token, before);
    await checkOutage(running, before, found);
  } finally {
    freeze(site.folder, '-i');
  }
  await checkRecovery(running, before, found);
  for (const problem of examineFile(site.folder)) found.add(problem);
  await running.kill();
  removeSite(site);
  return 'while it runs and at its start';
}

async function atStart(found: ReturnType<typeof violations>): Promise<void> {
  const disk = smallDisk(16);
  try {
    const site = await newSite(disk.folder);
    await (await run(site)).stop();
    disk.readOnly();
    const started = begin(site);
    const { code } = await started.exited;
    const said = started.errorLines();
    found.unless(code !== 0 && code !== null, `a start on a read-only disk ended with ${code}`);
    const isClear = said.length === 1 && said[0]?.includes(disk.folder) === true;
    found.unless(isClear, `a start on a read-only disk says: ${said.join(' | ')}`);
  } finally {
    disk.unmount();
  }
}

async function runReadOnly(): Promise<Outcome> {
  const found = violations();
  const note = await whileRunning(found);
  await atStart(found);
  return { rounds: 1, violations: found.all, note };
}

export const readOnly: Case = {
  id: 'Z9',
  title: 'read-only files: as with a full disk; a start names the folder',
  needs: ['root'],
  run: runReadOnly,
};
