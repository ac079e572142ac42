// The commands that run the service: nothing is loaded for them that a running service does not need.
import { type Command, defineCommand } from '../command.ts';
import { exitCode } from '../terminal.ts';
import { dev } from './dev.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'run the service',
  run: async (_input, { configuration, serve }) => {
    await serve(configuration());
    return exitCode.done;
  },
});

export const serviceCommands: readonly Command[] = [start, dev];
