// The command `start`: runs the service.
import { defineCommand } from '../command.ts';
import { exitCode } from '../terminal.ts';

/** `memberdoor start` */
export const start = defineCommand({
  name: 'start',
  summary: 'run the service',
  operands: [],
  options: {},
  run: async (_input, { configuration, serve }) => {
    await serve(configuration());
    return exitCode.done;
  },
});
