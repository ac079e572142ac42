#!/usr/bin/env node
// Runs the command on Node 24 or newer. Started by an older one, it hands over to the Node that the package's
// own dependencies bring.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const needed = 24;
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

if (Number(process.versions.node.split('.')[0]) >= needed) {
  if (words[0] === 'start') restartWith(memory);
  const { enableCompileCache } = await import('node:module');
  enableCompileCache?.();
  const { run } = await import('../src/cli.ts');
  await run(words);
} else {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const node = fileURLToPath(new URL(`../node_modules/.bin/${name}`, import.meta.url));
  if (!existsSync(node)) {
    console.error(`memberdoor: Node ${needed} or newer is needed; this is ${process.versions.node}.`);
    process.exit(1);
  }
  const child = spawn(node, [memory, fileURLToPath(import.meta.url), ...words], {
    stdio: 'inherit',
    env: environment,
  });
  // Who stops this process means the one that works.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('close', (code) => process.exit(code ?? 1));
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
