// The command `config check`: lists everything that is wrong with a tenant file.
import { defineCommand } from '../command.ts';
import { openTenantFile } from '../tenant-file.ts';
import { exitCode, tell } from '../terminal.ts';

/**
 * `memberdoor config check FILE`: everything that is wrong with a tenant file, each with its place. Nothing is
 * opened but the file and its pictures: secrets need not be there.
 */
export const configCheck = defineCommand<{ readonly file: string }>({
  name: 'config check',
  summary: 'find everything that is wrong with a tenant file, without a service',
  operands: ['file'],
  options: {},
  run: async ({ file }, { terminal }) => {
    const read = await openTenantFile(file, null, terminal);
    if (!read.ok) {
      tell(read.problems, terminal);
      return exitCode.failed;
    }
    terminal.out(`${file} is sound.\n`);
    return exitCode.done;
  },
});
