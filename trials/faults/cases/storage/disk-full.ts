import { type Case, type Outcome, violations } from '../../case.ts';
import { newFamily, next } from '../../clients/client.ts';
import { smallDisk } from '../../disk.ts';
import { examineFile } from '../../integrity.ts';
import { checkOutage, checkRecovery, errorLines, prepareOutage, writeUntilRefused } from '../../outage.ts';
import { begin, newSite, run } from '../../site.ts';

const megabytes = 16;
const rounds = 3;
/** Kinds of lines that an outage may write within a minute; requests were hundreds. */
const mostLines = 6;

async function runDiskFull(): Promise<Outcome> {
  const found = violations();
  const disk = smallDisk(megabytes);
  try {
    const site = await newSite(disk.folder);
    let running = await run(site);
    let token = await newFamily(running);
    for (let round = 1; round <= rounds; round += 1) {
      const before = await prepareOutage(running);
      disk.fill();
      token = await writeUntilRefused(running, token, before);
      await checkOutage(running, before, found);
      disk.free();
      token = (await next(running, token)) ?? token;
      await checkRecovery(running, before, found);
    }
    const lines = errorLines(running).length;
    found.unless(lines <= mostLines * rounds, `the outages wrote ${lines} lines into the log`);
    await running.kill();

    // Started on a full disk it serves what it can, or says in one line why it does not.
    disk.fill();
    const started = begin(site);
    const end = await Promise.race([started.ready.catch(() => started.exited), started.exited]);
    const isRunning = typeof end === 'string';
    const told = started.errorLines();
    if (!isRunning)
      found.unless(end.code !== 0 && told.length === 1, `a start on a full disk: ${told.join(' | ')}`);
    disk.free();
    await started.kill();

    running = await run(site);
    found.unless((await next(running, token)) !== null, 'the last acknowledged token was lost');
    for (const problem of examineFile(site.folder)) found.add(problem);
    found.unless((await running.stop()) === 0, 'it did not end with 0');
    const how = isRunning ? 'it starts on a full disk' : `a start on a full disk says: ${told[0]}`;
    return { rounds, violations: found.all, note: `${lines} lines in the log; ${how}` };
  } finally {
    disk.unmount();
  }
}

export const diskFull: Case = {
  id: 'Z7',
  title: 'disk full: writes 503, reads go on, recovery without a restart, nothing lost',
  needs: ['root'],
  run: runDiskFull,
};
