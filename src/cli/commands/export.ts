import { parseArgs } from 'node:util';
import { serviceTenantFiles } from '../../operations/admin/tenant-file.ts';
import { formats } from '../../operations/tenant-file/export.ts';
import type { Connection } from '../connection.ts';
import { tellProblems } from '../tenant-file.ts';
import { exitCode, type Terminal, WrongUsage } from '../terminal.ts';

/**
 * `memberdoor export`: writes what `apply` reads to the standard output.
 *
 * @returns the exit code. @throws WrongUsage, StartupError
 */
export async function runExport(
  words: readonly string[],
  connect: () => Promise<Connection>,
  terminal: Terminal,
): Promise<number> {
  const input = optionsOf(words);
  const connection = await connect();
  try {
    const exported = await connection.call(serviceTenantFiles.export, input);
    if (!exported.ok) {
      tellProblems(
        exported.problems.map((problem) => `memberdoor: ${problem}`),
        terminal,
      );
      return exitCode.failed;
    }
    terminal.out((exported.answer as { readonly text: string }).text);
    return exitCode.done;
  } finally {
    await connection.close();
  }
}

/** @throws WrongUsage */
function optionsOf(words: readonly string[]) {
  try {
    const { tenant, format, members } = parseArgs({
      args: [...words],
      options: {
        tenant: { type: 'string' },
        format: { type: 'string', default: 'yaml' },
        members: { type: 'boolean', default: false },
      },
    }).values;
    if (formats.some((known) => known === format)) {
      return { ...(tenant === undefined ? {} : { tenant }), format, members };
    }
  } catch {
    // It says which option it does not know, and not which there are.
  }
  throw new WrongUsage(['memberdoor export takes --tenant HOST, --format yaml or json, and --members.']);
}
