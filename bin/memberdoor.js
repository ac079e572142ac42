#!/usr/bin/env node
// Runs the command `memberdoor`, on Node 24 or newer.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { endWithShell, isNewEnough, runOnNewerNode } from './node.js';

const words = process.argv.slice(2);

// What a request leaves behind is collected in steps of this size; Node's own measure would be twice the memory. An
// operator who starts Node with another measure keeps that one.
const sized = /^--max[-_]semi[-_]space[-_]size\b/;
const given = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)];
const memory = given.some((option) => sized.test(option)) ? [] : ['--max-semi-space-size=8'];

// The threads that sign and hash share two heaps of the C library, which would give each one of its own. A password's
// hash takes 19 MiB for a moment: as a block beside the heaps it goes back to the system each time. That is cheap in
// huge pages alone, so without them the heaps keep such blocks.
const blocks = {
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  MALLOC_MMAP_THRESHOLD_: String(8 * 1_024 ** 2),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1_024 ** 2),
};
const environment = { MALLOC_ARENA_MAX: '2', ...(canBeBlocks() ? blocks : {}), ...process.env };

const isScriptOfNpm = words[0] === 'start' && process.env.npm_lifecycle_event !== undefined;

if (isNewEnough()) {
  if (words[0] === 'start') restartWithMemory();
  if (isScriptOfNpm) endWithShell();
  // V8 guesses from a start which objects live long, and makes those of one place in the code among the old from then
  // on. A wrong guess kept whole requests until the old were collected: one start in three took an eighth more time
  // for a poll (performance 14).
  setFlagsFromString('--no-allocation-site-pretenuring');
  const { enableCompileCache } = await import('node:module');
  enableCompileCache?.();
  const { run } = await import(isPackage() ? '../dist/cli.js' : await sources());
  await run(words);
} else {
  if (isScriptOfNpm) endWithShell();
  runOnNewerNode([...memory, fileURLToPath(import.meta.url), ...words], environment);
}

/** Whether this is the package, which holds the service in JavaScript and in few files; a clone has the sources alone. */
function isPackage() {
  return !existsSync(new URL('../src/cli.ts', import.meta.url));
}

/** Lets the sources be loaded as they are. */
async function sources() {
  const { resolveByPath } = await import('./resolve.js');
  resolveByPath();
  return '../src/cli.ts';
}

/**
 * Replaces this process by one with all of these settings, under the same pid, whichever of them it was started with
 * by hand; where that cannot be done it goes on.
 */
function restartWithMemory() {
  const { execArgv, execPath, execve, platform, argv, env } = process;
  const isSet = memory.length === 0 && Object.keys(environment).every((name) => env[name] !== undefined);
  if (platform === 'win32' || execve === undefined || isSet) return;
  execve.call(process, execPath, [execPath, ...memory, ...execArgv, ...argv.slice(1)], environment);
}

/** Linux gives huge pages to a program that asks, unless its operator says never or has tuned the library already. */
function canBeBlocks() {
  if (process.env.GLIBC_TUNABLES !== undefined) return false;
  try {
    return !readFileSync('/sys/kernel/mm/transparent_hugepage/enabled', 'utf8').includes('[never]');
  } catch {
    return false;
  }
}
