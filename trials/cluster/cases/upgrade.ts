import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Case, type CaseOptions, type Outcome, violations } from '../../faults/case.ts';
import { createFigures } from '../../faults/figures.ts';
import { playRound } from '../../faults/round.ts';
import { startCluster } from '../site/cluster.ts';
import { examineDatabase } from '../site/integrity.ts';
import { openPlayers } from '../site/players.ts';

/** How long the two versions are side by side, and as long before and after (ms). */
const stageTime = 2_000;
/** One round of an upgrade is as long as so many of a race. */
const roundsEach = 40;

const project = fileURLToPath(new URL('../../..', import.meta.url));
const git = (...words: string[]) => execFileSync('git', words, { cwd: project, encoding: 'utf8' }).trim();

/** The version before the one that brought the newest migration, so that the two want different tables. */
function checkOutFormer() {
  const commit = git(
    'rev-parse',
    '--short',
    `${git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'db/migrations')}^`,
  );
  const folder = join(mkdtempSync(join(tmpdir(), 'memberdoor-former-')), 'project');
  git('worktree', 'add', '--detach', '--force', folder, commit);
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
  return {
    commit,
    folder,
    remove: () => {
      git('worktree', 'remove', '--force', folder);
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

async function runUpgrade({ rounds }: CaseOptions): Promise<Outcome> {
  const found = violations();
  const figures = createFigures(found);
  const former = checkOutFormer();
  let acks = 0;
  const each = Math.max(1, Math.ceil(rounds / roundsEach));
  try {
    for (let round = 1; round <= each; round += 1) {
      const cluster = await startCluster({ processCount: 2, from: former.folder });
      const { processes, front, folder } = cluster;
      const players = openPlayers(folder, 'upgrade');
      const door = figures.counting(cluster.door);
      try {
        const problems = await playRound(door, players, async (stop) => {
          for (const [index, process] of processes.entries()) {
            await wait(stageTime);
            front.leaveOut(index);
            await process.stop();
            await process.start();
            front.takeIn(index);
          }
          await wait(stageTime);
          stop();
          return async () => door;
        });
        for (const problem of problems) found.add(`round ${round}: ${problem}`);
        for (const problem of await examineDatabase(cluster.databaseUrl)) found.add(problem);
        for (const line of processes.flatMap((process) => process.errors())) found.add(line);
      } finally {
        acks += players.close();
        await cluster.close();
      }
    }
  } finally {
    former.remove();
  }
  const note = `${acks} acknowledged changes, ${figures.text()}, from ${former.commit}`;
  return { rounds: each, violations: found.all, note };
}

export const rollingUpgrade: Case = {
  id: 'upgrade',
  title: 'the version before the newest tables runs beside this one, and gives way to it under load',
  needs: [],
  run: runUpgrade,
};
