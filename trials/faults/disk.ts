import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small disk in memory, mounted at a folder of its own. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves not one free byte. */
  fill(): void;
  /** Takes back what `fill` wrote. */
  free(): void;
  /** Mounts it again so that it can only be read; no process may have a file of it open for writing. */
  readOnly(): void;
  unmount(): void;
}

const chunk = Buffer.alloc(64 * 1_024);

/** @param megabytes its size */
export function smallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-disk-'));
  const ballast = join(folder, 'ballast');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  return {
    folder,
    fill: () => {
      const file = openSync(ballast, 'a');
      for (let size = chunk.length; size >= 1; ) {
        try {
          writeSync(file, chunk, 0, size);
        } catch {
          size = Math.floor(size / 2);
        }
      }
      closeSync(file);
    },
    free: () => rmSync(ballast),
    readOnly: () => {
      execFileSync('mount', ['-o', 'remount,ro', folder]);
    },
    unmount: () => {
      // Lazily: a case that broke off leaves a service on it, which ends later.
      execFileSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}
