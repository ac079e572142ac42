import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/run/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/run/fixture-folders.ts'],
    pool: 'forks',
    // No module of ours keeps anything of a request, and loading them anew for each file takes a third of the time.
    isolate: false,
    // The default leaves one core idle, and half of the tests wait for a browser or a socket.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
