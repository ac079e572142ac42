import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/run/longest-first.ts';
import { roomForGarbage } from './test/support/run/memory.ts';
import { patience } from './test/support/run/patience.ts';

/** The tests of what an engine keeps, whatever engine it is. */
const ofAnyEngine = [
  'test/storage/access/{consents,invoices,offers,subscriptions}.test.ts',
  'test/storage/{client-cache,members,operators,package-cache,repositories}.test.ts',
  'test/storage/{events,members}/!(queries).test.ts',
  'test/operations/{attention/attention,figures/roll-up}.test.ts',
  'test/storage/sweep/sweep.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: [
      'test/support/run/browser.ts',
      'test/support/run/fixture-folders.ts',
      'test/support/run/postgres.ts',
    ],
    // Half of the tests wait for a browser or a socket: with a worker for each core a third of them was idle.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    projects: [project('sqlite', ['test/**/*.test.ts']), project('postgres', ofAnyEngine)],
  },
});

function project(engine: 'sqlite' | 'postgres', include: readonly string[]) {
  return {
    test: {
      name: engine,
      include: [...include],
      env: { TEST_ENGINE: engine },
      pool: 'forks' as const,
      execArgv: [...roomForGarbage],
      // No module of ours keeps anything of a request, and loading them anew for each file takes a third of the time.
      isolate: false,
      // Node loads the files itself, as it does where the service runs. Vite's own loader is only for mocks, of which
      // there are none, and takes a seventh of the time.
      runner: 'test/support/run/runner.ts',
      experimental: { viteModuleRunner: false, nodeLoader: false },
      testTimeout: patience,
      hookTimeout: patience,
      expect: { poll: { timeout: patience } },
    },
  };
}
