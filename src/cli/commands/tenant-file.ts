// The commands of tenant files: `apply`, `export` and `config check`.
import type { Operation } from '../../operations/admin/operation.ts';
import { serviceTenantFiles } from '../../operations/admin/tenants/tenant-file.ts';
import { problemText } from '../../operations/problem-text.ts';
import type { SentFile } from '../../operations/tenant-file/apply.ts';
import { type Change, differs, summaryOf } from '../../operations/tenant-file/change.ts';
import { formats } from '../../operations/tenant-file/export.ts';
import { defineCommand, migrateOption, withConnection } from '../command.ts';
import { printFile } from '../print.ts';
import { linesOf, openTenantFile, placeIn } from '../tenant-file.ts';
import { exitCode, WrongUsage } from '../terminal.ts';

/** Shows what a tenant file would change, and with --yes changes it; 3 if there is a difference and nothing was done. */
export const apply = defineCommand({
  name: 'apply',
  summary: 'show what a tenant file would change, or change it',
  operands: ['file'],
  options: {
    yes: { text: 'changes it' },
    dryRun: { text: 'shows it alone, which is what happens without --yes' },
    prune: { text: 'ends what is not in the file' },
    force: {
      text: 'even if a device flow is off at the stage tenant, or no administrator of the whole service is left',
    },
    migrate: migrateOption,
  },
  run: async ({ file: path, yes, dryRun, prune, force, migrate }, context) => {
    const { terminal, environment } = context;
    if (yes && dryRun) throw new WrongUsage(['--yes and --dry-run do not go together.']);
    const local = await openTenantFile(path, environment, terminal);
    if (local === null) return exitCode.failed;
    const sent: SentFile = { file: local.text, references: local.references, prune, force };
    return withConnection(
      context,
      migrate,
      async (connection) => {
        const changesBy = async (operation: Operation) => {
          const { answer } = (await connection.call(operation, { ...sent })) as {
            readonly answer: { readonly changes: readonly Change[] };
          };
          return answer.changes;
        };
        const changes = await changesBy(serviceTenantFiles.compare);
        terminal.out(linesOf(changes));
        if (!differs(changes) || !yes) {
          terminal.out(`${summaryOf(changes, false, 'Nothing was done: --yes does it.')}\n`);
          return differs(changes) ? exitCode.differs : exitCode.done;
        }
        terminal.out(`${summaryOf(await changesBy(serviceTenantFiles.apply), true, '')}\n`);
        return exitCode.done;
      },
      (found) => `${placeIn(path, found)}: ${problemText(found)}`,
    );
  },
});

/** Writes what `apply` reads to the standard output. */
export const exportTenants = defineCommand({
  name: 'export',
  summary: 'write the tenants as a tenant file',
  options: {
    tenant: { value: 'HOST', text: 'this tenant alone' },
    format: { value: formats, text: 'how it is written; yaml by default' },
    members: { text: 'with the members' },
    migrate: migrateOption,
  },
  run: ({ format = 'yaml', migrate, ...input }, context) =>
    withConnection(context, migrate, async (connection) => {
      const exported = await connection.call(serviceTenantFiles.export, { ...input, format });
      if ('parts' in exported) await printFile(exported.parts, false, context.terminal);
      return exitCode.done;
    }),
});

/**
 * Lists everything that is wrong with a tenant file, each with its place. Nothing is opened but the file and its
 * pictures: secrets need not be there.
 */
export const configCheck = defineCommand({
  name: 'config check',
  summary: 'find everything that is wrong with a tenant file, without a service',
  operands: ['file'],
  run: async ({ file }, { terminal }) => {
    const local = await openTenantFile(file, null, terminal);
    if (local === null) return exitCode.failed;
    terminal.out(`${file} is sound.\n`);
    return exitCode.done;
  },
});
