// Applies a tenant file to a development service, and again whenever it changes.
import { watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { serviceTenantFiles } from '../operations/admin/tenants/tenant-file.ts';
import { problemText } from '../operations/problem-text.ts';
import { OperationRefused } from '../operations/refusal.ts';
import type { Operate } from '../operations/service/start.ts';
import { prepareFile } from '../operations/tenant-file/apply.ts';
import { type Change, differs, summaryOf } from '../operations/tenant-file/change.ts';
import { reasonOf } from '../system/files.ts';
import { StartupError } from '../system/startup-error.ts';
import type { CommandContext } from './command.ts';
import { type LocalFile, linesOf, openTenantFile, placeIn } from './tenant-file.ts';
import { tell } from './terminal.ts';

/** An editor writes a file in several steps: what it says is read when it has stood still for this long (ms). */
const stillFor = 100;

/**
 * Applies a tenant file at the start of a service, and follows it. What the file no longer has ends, in the sections that it
 * has; what is wrong with it later is printed, and the service goes on as it was.
 *
 * @param path `-` is the standard input, which is read once
 * @param port at which its tenants live
 */
export function followFile(
  path: string,
  port: number,
  { terminal, environment }: Pick<CommandContext, 'environment' | 'terminal'>,
): (operate: Operate) => Promise<void> {
  const read = () => openTenantFile(path, environment, terminal, { port });
  return async (operate) => {
    const first = await read();
    if (first === null || (await applied(first, operate)) === null) {
      throw new StartupError(
        `Nothing was started: ${path === '-' ? 'the tenant file' : path} has to be mended first.`,
      );
    }
    if (path === '-') return;
    const failed = (error: unknown) => tell([`${path} cannot be applied: ${reasonOf(error)}.`], terminal);
    onChange(path, failed, async () => {
      const next = await read();
      const changes = next === null ? null : await applied(next, operate);
      if (changes === null || !differs(changes)) return;
      terminal.err(`${linesOf(changes)}${path}: ${summaryOf(changes, true, '')}\n`);
    });
  };

  /** @returns what it changed; null if it was refused, after the reason was printed */
  async function applied(file: LocalFile, operate: Operate): Promise<readonly Change[] | null> {
    const operation = {
      ...serviceTenantFiles.apply,
      // It has been read already, and no request waits for this process meanwhile.
      prepare: (_sent: unknown, context: Parameters<typeof prepareFile>[1]) =>
        prepareFile(file.understood, context),
    };
    const input = { file: file.text, references: {}, prune: true, force: true };
    try {
      const { changes } = (await operate({ operation, input })) as { readonly changes: readonly Change[] };
      return changes;
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error;
      tell(
        error.problems.map((found) => `${placeIn(path, found)}: ${problemText(found)}`),
        terminal,
      );
      return null;
    }
  }
}

/** Calls back when a file has changed and stands still, one call after the other. */
function onChange(path: string, failed: (error: unknown) => void, changed: () => Promise<void>): void {
  const name = basename(path);
  let waiting: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  // The folder is watched: many editors put another file in the place of the one that was there.
  watch(dirname(resolve(path)), { persistent: false }, (_event, touched) => {
    if (touched !== null && touched !== name) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      last = last.then(changed).catch(failed);
    }, stillFor);
  });
}
