import { openService } from '../../operations/open-service.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../terminal.ts';

/** `memberdoor init` */
export const init = defineCommand({
  name: 'init',
  summary: 'make the database of a new production service',
  operands: [],
  options: {},
  run: async (_input, { terminal, configuration }) => {
    const config = configuration();
    const { store } = await openService(config, true);
    await store.close();
    terminal.out(`The database in ${config.dataFolder} is ready.\n`);
    return exitCode.done;
  },
});
