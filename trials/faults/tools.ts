import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Need } from './case.ts';

/** The library of libfaketime that programs with threads need; Debian keeps it in a folder for each machine type. */
export const faketimeLibrary = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((machine) => `/usr/lib/${machine}/faketime/libfaketimeMT.so.1`)
  .find(existsSync);

const isInstalled = (program: string) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .concat('/usr/sbin', '/sbin')
    .some((folder) => existsSync(join(folder, program)));

/** Why a need is not met here, with how to meet it; null if it is. */
export function missing(need: Need): string | null {
  switch (need) {
    case 'strace':
      return isInstalled('strace') ? null : 'strace is missing: apt-get install strace';
    case 'faketime':
      return faketimeLibrary === undefined ? 'libfaketime is missing: apt-get install libfaketime' : null;
    case 'root':
      if (process.getuid?.() !== 0) return 'needs root, to mount a small disk';
      return isInstalled('mount') ? null : 'mount is missing: apt-get install mount';
    default:
      throw new Error(`unknown need ${need satisfies never}`);
  }
}
