#!/usr/bin/env node
// Runs the command `memberdoor`, on Node 24 or newer.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isNewEnough, runOnNewerNode } from './node.js';

const words = process.argv.slice(2);

// What a request leaves behind is collected in steps of this size; Node's own measure would be twice the memory.
const memory = '--max-semi-space-size=8';

// The threads that sign and hash share two heaps of the C library, which would give each one of its own. A password's
// hash takes 19 MiB for a moment: as a block beside the heaps it goes back to the system each time. That is cheap in
// huge pages alone, so without them the heaps keep such blocks.
const blocks = {
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  MALLOC_MMAP_THRESHOLD_: String(8 * 1_024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1_024 ** 2),
};
const environment = { MALLOC_ARENA_MAX: '2', ...(canBeBlocks() ? blocks : {}), ...process.env };

if (isNewEnough()) {
  if (words[0] === 'start') restartWith(memory);
  const { enableCompileCache } = await import('node:module');
  enableCompileCache?.();
  const { run } = await import('../src/cli.ts');
  await run(words);
} else {
  runOnNewerNode([memory, fileURLToPath(import.meta.url), ...words], environment);
}

/** Replaces this process by one with the option, under the same pid; where that cannot be done it goes on. */
function restartWith(option) {
  const { execArgv, execPath, execve, platform, argv } = process;
  if (platform === 'win32' || execve === undefined || execArgv.includes(option)) return;
  execve.call(process, execPath, [execPath, option, ...execArgv, ...argv.slice(1)], environment);
}

/** Linux gives huge pages to who asks, unless its operator says never; and whoever tunes the library does it alone. */
function canBeBlocks() {
  if (process.env.GLIBC_TUNABLES !== undefined) return false;
  try {
    return !readFileSync('/sys/kernel/mm/transparent_hugepage/enabled', 'utf8').includes('[never]');
  } catch {
    return false;
  }
}
