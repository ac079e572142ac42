import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtVariable } from '../run/fixture-folders.ts';
import { patience } from '../run/patience.ts';

/** The folder of these sources. */
export const project = fileURLToPath(new URL('../../..', import.meta.url));

/** What a package has beside its code, and what it needs. */
const beside = ['db', 'deploy', 'docs', 'node_modules', 'templates'];

const program = `
  const [build, folder] = process.argv.slice(1);
  await (await import(build)).build(folder);
`;

/**
 * The service as a package holds it, made once for a run by the first who asks. A process of it begins with a dozen
 * files, where the sources are nine hundred: to load those is most of what a start takes.
 *
 * @returns a folder like that of the project; that one itself where no run of the tests has named another
 */
export function builtService(): string {
  const folder = process.env[builtVariable];
  if (folder === undefined) return project;
  const making = `${folder}.making`;
  const until = performance.now() + patience;
  while (!existsSync(folder)) {
    if (isFirst(making)) make(making, folder);
    else if (performance.now() > until) throw new Error(`${making} was not made`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  return folder;
}

/** Where Node keeps what it has compiled: of what is built for one run, with that run. */
export function compileCacheOf(folder: string): string | undefined {
  return folder === project ? process.env.NODE_COMPILE_CACHE : join(folder, 'compiled');
}

/** Whether this process makes the folder; the others wait for it. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function make(making: string, folder: string): void {
  const build = new URL('../../../tools/package/build.ts', import.meta.url).href;
  const words = ['--input-type=module', '--eval', program, build, join(making, 'dist')];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the service was not built: ${stderr}`);
  for (const name of ['bin', 'package.json'])
    cpSync(join(project, name), join(making, name), { recursive: true });
  for (const name of beside) symlinkSync(join(project, name), join(making, name));
  renameSync(making, folder);
}
