import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Finds a program: one that is installed, or else that of the Debian package of the same name, which is
 * unpacked into the folder and not installed, so that nothing of the machine changes.
 *
 * @returns its path, or why it cannot be had
 */
export function findProgram(name: string, folder: string): { path: string } | { missing: string } {
  const installed = (process.env.PATH ?? '').split(delimiter).concat('/usr/sbin');
  const found = installed.map((place) => join(place, name)).find(existsSync);
  if (found !== undefined) return { path: found };
  const unpacked = ['usr/bin', 'usr/sbin'].map((place) => join(folder, name, place, name));
  if (!unpacked.some(existsSync)) {
    try {
      unpack(name, join(folder, name));
    } catch (error) {
      const [line] = String(error instanceof Error ? error.message : error).split('\n');
      return { missing: `its Debian package cannot be had (${line})` };
    }
  }
  const path = unpacked.find(existsSync);
  return path === undefined ? { missing: 'its Debian package does not hold it' } : { path };
}

function unpack(name: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    run('apt-get', 'download', name);
  } catch {
    // The lists may be missing or old; only root may get them.
    run('apt-get', 'update');
    run('apt-get', 'download', name);
  }
  for (const file of readdirSync(folder).filter((text) => text.endsWith('.deb'))) {
    run('dpkg-deb', '-x', file, '.');
  }
}
