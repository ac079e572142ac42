import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('slow-disk.c', import.meta.url));

/** Builds the library that delays each fsync of a server. @returns its path, or null where nothing builds C */
export function buildSlowDisk(folder: string): string | null {
  const library = join(folder, 'slow-disk.so');
  try {
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl'], { stdio: 'ignore' });
    return library;
  } catch {
    return null;
  }
}
