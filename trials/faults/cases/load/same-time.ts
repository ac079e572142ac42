import { createPasswords } from '../../../../src/secrets/password.ts';
import { setLimits } from '../../../../test/support/device.ts';
import { hosts } from '../../../../test/support/fixtures.ts';
import { nosOf } from '../../../../test/support/members/nos.ts';
import { median } from '../../../../test/support/process/median.ts';
import { startTestService } from '../../../../test/support/service.ts';
import { type Case, type Outcome, violations } from '../../case.ts';

/** Of each kind, as the catalogue says. */
const samples = 200;

/** By the clock: on a machine that does nothing else. */
async function runSameTime(): Promise<Outcome> {
  const found = violations();
  const service = await startTestService({ data: 'security', passwords: createPasswords() });
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
  const nos = await nosOf(service);
  const times = await nos.sample(samples, async (attempt) => {
    const begun = performance.now();
    await attempt();
    return performance.now() - begun;
  });
  await service.stop();
  const medians = times.map(median);
  const [least, most] = [Math.min(...medians), Math.max(...medians)];
  const note = medians.map((ms, kind) => `${nos.kinds[kind]} ${ms.toFixed(1)} ms`).join(', ');
  found.unless(most / least < 1.1 || most - least < 15, note);
  return { rounds: samples, violations: found.all, note };
}

export const sameTime: Case = {
  id: 'A1',
  title: 'medians of 200 of each no differ by less than 10 %, or 15 ms',
  needs: [],
  run: runSameTime,
};
