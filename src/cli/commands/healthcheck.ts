// The command `healthcheck`: says whether the service of this configuration is ready.
import { readiness } from '../../doctor/readiness.ts';
import { defineCommand } from '../command.ts';
import { exitCode, tellProblems } from '../terminal.ts';

/** `memberdoor healthcheck`: whether the service of this configuration is ready. */
export const healthcheck = defineCommand({
  name: 'healthcheck',
  summary: 'whether the service is ready',
  operands: [],
  options: {},
  run: async (_input, { terminal, configuration }) => {
    const answer = await readiness(configuration());
    if (answer === null) return exitCode.done;
    tellProblems([`The service is not ready: ${answer}.`], terminal);
    return exitCode.failed;
  },
});
