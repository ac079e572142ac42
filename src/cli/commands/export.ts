// The command `export`: writes tenants as a file that `apply` reads.
import { serviceTenantFiles } from '../../operations/admin/tenant-file.ts';
import { problemText } from '../../operations/problem-text.ts';
import { formats } from '../../operations/tenant-file/export.ts';
import { defineCommand, migrate } from '../command.ts';
import { printFile } from '../print.ts';
import { exitCode, tellProblems } from '../terminal.ts';

interface ExportInput {
  readonly tenant?: string;
  readonly format?: string;
  readonly members: boolean;
  readonly migrate: boolean;
}

/** `memberdoor export`: writes what `apply` reads to the standard output. */
export const exportTenants = defineCommand<ExportInput>({
  name: 'export',
  summary: 'write the tenants as a tenant file',
  operands: [],
  options: {
    tenant: { value: 'HOST', text: 'this tenant alone' },
    format: { value: formats, text: 'how it is written; yaml by default' },
    members: { text: 'with the members' },
    migrate,
  },
  run: async ({ format = 'yaml', migrate: mayMigrate, ...input }, { terminal, connect }) => {
    const connection = await connect(mayMigrate);
    try {
      const exported = await connection.call(serviceTenantFiles.export, { ...input, format });
      if (!exported.ok) {
        tellProblems(
          exported.problems.map((one) => problemText(one)),
          terminal,
        );
        return exitCode.failed;
      }
      if ('parts' in exported) await printFile(exported.parts, false, terminal);
      return exitCode.done;
    } finally {
      await connection.close();
    }
  },
});
