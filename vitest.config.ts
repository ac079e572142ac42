import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/run/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/run/browser.ts', 'test/support/run/fixture-folders.ts'],
    pool: 'forks',
    // No module of ours keeps anything of a request, and loading them anew for each file takes a third of the time.
    isolate: false,
    // Half of the tests wait for a browser or a socket: with a worker for each core a third of them was idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
