// The command `backup`: writes a copy of the database, whether the service runs or not.
import { resolve } from 'node:path';
import { backUp } from '../../operations/upkeep/backup.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../terminal.ts';

/** `memberdoor backup FILE` */
export const backup = defineCommand<{ readonly file: string }>({
  name: 'backup',
  summary: 'write a copy of the database, while the service runs or not',
  operands: ['file'],
  options: {},
  run: async ({ file }, { terminal, configuration }) => {
    const { counts } = backUp(configuration().dataFolder, file);
    const held = Object.entries(counts).map(([table, count]) => `${table} ${count}`);
    terminal.out(`${resolve(file)} is written, read back and sound: ${held.join(', ')}.\n`);
    terminal.out('It is worth nothing without the master key, which is not in it.\n');
    return exitCode.done;
  },
});
