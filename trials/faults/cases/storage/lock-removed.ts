import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, type Outcome, violations } from '../../case.ts';
import { newFamily, next } from '../../clients/client.ts';
import { begin, newSite, removeSite, run } from '../../site.ts';

const rounds = 5;

async function runLockRemoved(): Promise<Outcome> {
  const found = violations();
  const site = await newSite();
  const first = await run(site);
  let token: string | null = await newFamily(first);
  for (let round = 0; round < rounds; round += 1) {
    rmSync(join(site.folder, 'memberdoor.lock'));
    const second = begin({ ...site, port: (await newSite(site.folder)).port });
    const end = await Promise.race([second.ready.catch(() => second.exited), second.exited]);
    found.unless(typeof end !== 'string', 'a second process serves the same folder');
    await second.kill();
    found.unless(second.errorLines().length === 1, `it said: ${second.errorLines().join(' | ')}`);
    token = token === null ? null : await next(first, token);
    found.unless(token !== null, 'the first process was disturbed');
  }
  await first.kill();
  const again = await run(site);
  found.unless(
    token !== null && (await next(again, token)) !== null,
    'the next start lacks what was confirmed',
  );
  await again.stop();
  removeSite(site);
  return { rounds, violations: found.all, note: '' };
}

export const lockRemoved: Case = {
  id: 'F12',
  title: 'the lock file deleted while it runs: a second start is refused',
  needs: [],
  run: runLockRemoved,
};
