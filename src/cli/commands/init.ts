// The command `init`: makes a new data folder.
import { openService } from '../../operations/service/open-service.ts';
import { defineCommand, migrate } from '../command.ts';
import { exitCode } from '../terminal.ts';

/** `memberdoor init` */
export const init = defineCommand<{ readonly migrate: boolean }>({
  name: 'init',
  summary: 'make the database of a new production service',
  operands: [],
  options: { migrate },
  run: async ({ migrate: mayMigrate }, { terminal, configuration }) => {
    const config = configuration();
    const { store } = await openService(config, { initialise: true, migrate: mayMigrate });
    await store.close();
    terminal.out(`The database in ${config.dataFolder} is ready.\n`);
    return exitCode.done;
  },
});
