import { type Case, type CaseOptions, type Outcome, violations } from '../../case.ts';
import { newFamily, next } from '../../clients/client.ts';
import { examineFile } from '../../integrity.ts';
import { isCut, newSite, type RunningSite, removeSite, run, type Site } from '../../site.ts';

/** The service is killed 0 to so many ms after the refreshes were sent, in steps of 1 ms. */
const lastOffset = 50;
/** Each offset is tried once for so many rounds of the ledger loop: 300 make ten (security, Z2). */
const roundsEach = 30;
/** Sign-ins whose refresh is under way at the same time; they are looked at in different ways afterwards. */
const families = 4;

interface Rotation {
  readonly old: string;
  /** What the answer brought; null if none came. */
  readonly answered: string | null;
}

/** Sends refreshes and kills the service so many ms later, or as soon as one of them is answered. */
export async function killDuring(
  running: RunningSite,
  tokens: readonly string[],
  when: number | 'answered',
): Promise<readonly Rotation[]> {
  const sentAt = performance.now();
  let isAnswered = false;
  const sent = tokens.map(async (old): Promise<Rotation> => {
    const answered = await next(running, old).catch((error: unknown) => {
      if (isCut(error)) return null;
      throw error;
    });
    isAnswered = true;
    return { old, answered };
  });
  const isOver = () => (when === 'answered' ? isAnswered : performance.now() - sentAt >= when);
  // A timer of Node is a millisecond late or more; this looks at the clock between answers.
  while (!isOver()) await new Promise(setImmediate);
  await running.kill();
  return Promise.all(sent);
}

/**
 * Holds one rotation to the contract. What can be asked of it spends it, so some are asked for the new token
 * first and others for the old one.
 *
 * @param oldFirst whether the old token of an answered refresh is tried, which ends the sign-in
 * @returns the token that works now; null if the sign-in is over
 */
export async function checkRotation(
  running: RunningSite,
  { old, answered }: Rotation,
  oldFirst: boolean,
  problem: (text: string) => void,
): Promise<string | null> {
  if (answered === null) {
    const token = await next(running, old);
    if (token !== null && oldFirst) {
      if ((await next(running, old)) !== null) problem('an unanswered refresh left a token that works twice');
      if ((await next(running, token)) !== null) problem('both tokens of an unanswered refresh work');
      return null;
    }
    return token;
  }
  if (!oldFirst) {
    const token = await next(running, answered);
    if (token === null) problem('the new token of an answered refresh does not work');
    return token;
  }
  if ((await next(running, old)) !== null) problem('the old token of an answered refresh works');
  if ((await next(running, answered)) !== null) problem('reuse did not end the sign-in');
  return null;
}

async function runSteps({ rounds }: CaseOptions): Promise<Outcome> {
  const site: Site = await newSite();
  const found = violations();
  const each = Math.max(1, Math.ceil(rounds / roundsEach));
  let tokens: (string | null)[] = Array.from({ length: families }, () => null);
  let answers = 0;
  let running = await run(site);
  for (let step = 0; step < each * (lastOffset + 1); step += 1) {
    const ms = step % (lastOffset + 1);
    const current: string[] = [];
    for (const token of tokens) current.push(token ?? (await newFamily(running)));
    const rotations = await killDuring(running, current, ms);
    answers += rotations.filter(({ answered }) => answered !== null).length;
    running = await run(site);
    const problem = (text: string) => found.add(`${ms} ms: ${text}`);
    examineFile(site.folder).forEach(problem);
    tokens = [];
    for (const [index, rotation] of rotations.entries()) {
      const oldFirst = index === step % families;
      tokens.push(await checkRotation(running, rotation, oldFirst, problem));
    }
  }
  await running.kill();
  removeSite(site);
  const all = each * (lastOffset + 1) * families;
  return {
    rounds: each * (lastOffset + 1),
    violations: found.all,
    note: `of ${all} refreshes ${answers} answered`,
  };
}

export const rotationUnderKill: Case = {
  id: 'Z2',
  title: `kill -9 0 to ${lastOffset} ms after a refresh: never both tokens, never neither`,
  needs: [],
  run: runSteps,
};
