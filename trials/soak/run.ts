// A soak: npm run test:soak -- --minutes 20. Honest members and attackers use the real service at once, for a long
// time, and every answer is checked. It ends with 1 after a crash, a wrong answer, or, in runs of 20 minutes and
// more, memory that rises. `--keep` leaves the data folder and the log where they are.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { failuresOf, warmUpOf } from './figures.ts';
import { closingProblems } from './last-look.ts';
import { play } from './play.ts';
import { report } from './report.ts';
import { startSite } from './site.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string' }, keep: { type: 'boolean' } } });
const minutes = Number(values.minutes ?? 20);
if (!(minutes > 0)) {
  process.stderr.write('usage: npm run test:soak -- [--minutes N] [--keep]\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'memberdoor-soak-'));
const site = await startSite(folder);
process.stdout.write(`soaking for ${minutes} minutes, in ${folder}\n`);
const warmUp = warmUpOf(minutes);
const played = await play(site, minutes, warmUp);
const problems = await closingProblems(site, played);
for (const problem of problems) played.recorder.note(problem);

const { text, memorySlope } = report(played, site, warmUp);
process.stdout.write(text);
const wrong = [...played.recorder.wrong.values()].reduce((sum, count) => sum + count, 0);
const failures = failuresOf({ minutes, crashes: played.crashes, wrong, memorySlope });
for (const failure of failures) process.stdout.write(`FAILED: ${failure}\n`);
if (failures.length === 0) process.stdout.write('passed\n');
if (values.keep !== true) rmSync(folder, { recursive: true });
process.exit(failures.length === 0 ? 0 : 1);
