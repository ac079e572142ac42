import { openTenantFile, tellProblems } from '../tenant-file.ts';
import { exitCode, type Terminal, WrongUsage } from '../terminal.ts';

/**
 * `memberdoor config check FILE`: everything that is wrong with a tenant file, each with its place. Nothing is
 * opened but the file and its pictures: secrets need not be there.
 *
 * @returns the exit code. @throws WrongUsage
 */
export async function runConfigCheck(words: readonly string[], terminal: Terminal): Promise<number> {
  const [verb, path, ...rest] = words;
  if (verb !== 'check' || path === undefined || rest.length > 0) {
    throw new WrongUsage(['memberdoor config check FILE names the tenant file to check.']);
  }
  const read = await openTenantFile(path, null, terminal);
  if (!read.ok) {
    tellProblems(read.problems, terminal);
    return exitCode.failed;
  }
  terminal.out(`${path} is sound.\n`);
  return exitCode.done;
}
