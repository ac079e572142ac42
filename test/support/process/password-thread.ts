// A thread that says in how many steps each of some passwords is judged. Nothing is loaded in it before its counter.
import { parentPort, workerData } from 'node:worker_threads';
import { countSteps } from './steps.ts';

const stepsOf = await countSteps();
const { passwordProblem } = await import('../../../src/core/members/password.ts');
const { passwordEstimate } = await import('../../../src/operations/member/password-strength.ts');
const { passwords, rules } = workerData as {
  readonly passwords: readonly string[];
  readonly rules: Omit<Parameters<typeof passwordProblem>[1], 'guessesTo'>;
};
const guessesTo = await passwordEstimate();
const steps: number[] = [];
for (const password of passwords) {
  steps.push(await stepsOf(() => passwordProblem(password, { ...rules, guessesTo })));
}
parentPort?.postMessage(steps);
