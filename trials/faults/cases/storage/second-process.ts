import { type Case, type Outcome, violations } from '../../case.ts';
import { newFamily, next } from '../../clients/client.ts';
import { begin, newSite, removeSite, run } from '../../site.ts';

/** ms until the second gives up (security, Z11); a machine with other work starts more slowly. */
const giveUpTime = 5_000;
const slack = 2;

async function runSecond(): Promise<Outcome> {
  const found = violations();
  const site = await newSite();
  const begun = performance.now();
  const first = await run(site);
  const startTime = performance.now() - begun;
  let token: string | null = await newFamily(first);
  const times: number[] = [];
  for (const port of [site.port, (await newSite(site.folder)).port]) {
    const second = begin({ ...site, port });
    const where = port === site.port ? 'on the same port' : 'on another port';
    const serves = await Promise.race([
      second.ready.then(
        () => true,
        () => false,
      ),
      second.exited.then(() => false),
    ]);
    found.unless(!serves, `a second process ${where} serves the same folder`);
    if (serves) await second.kill();
    const { code, ms } = await second.exited;
    times.push(Math.round(ms));
    found.unless(code !== 0, `a second process ${where} ended with ${code}`);
    found.unless(ms <= Math.max(giveUpTime, startTime * slack), `a second process ${where} took ${ms} ms`);
    found.unless(second.errorLines().length === 1, `it said: ${second.errorLines().join(' | ')}`);
    token = token === null ? null : await next(first, token);
    found.unless(token !== null, 'the first process was disturbed');
  }
  await first.kill();
  removeSite(site);
  return { rounds: 2, violations: found.all, note: `gave up after ${times.join(' and ')} ms` };
}

export const secondProcess: Case = {
  id: 'Z11',
  title: 'a second process on the data folder gives up; the first goes on',
  needs: [],
  run: runSecond,
};
