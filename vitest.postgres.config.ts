import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/run/longest-first.ts';
import { roomForGarbage } from './test/support/run/memory.ts';
import { patience } from './test/support/run/patience.ts';

// The fixtures are made on it too.
process.env.TEST_ENGINE = 'postgres';

/** What a file is, and SQLite alone: its pages, its backups, its statements. */
const ofSqlite = [
  'test/storage/sqlite/**',
  'test/storage/{audit-look,count,names}.test.ts',
  'test/storage/{access,events,grants,sweep}/queries.test.ts',
  'test/storage/{access/migration,sweep/bites}.test.ts',
  'test/operations/service/{master-key,storage-trouble}.test.ts',
  'test/operations/upkeep/{backup,restore}.test.ts',
  'test/http/upkeep/{health,metrics}.test.ts',
  'test/http/{costs,headers,outage,request-cost}.test.ts',
  'test/http/admin/portal/headers.test.ts',
  // They go back to the beginning by a reset, which puts back what SQLite has.
  'test/http/rehearsal/{room,card/*}.test.ts',
  // They have a PostgreSQL of their own in `npm test`.
  'test/operations/upkeep/{move,move-refused,once}.test.ts',
  // One process is told when the next mail is due; of several each looks every second.
  'test/operations/mail/{mail-transport,mailer}.test.ts',
  // They fill tables, count work or look for bytes with what SQLite alone has.
  'test/http/account/{account-crowded,erasure}.test.ts',
  'test/http/admin/{crowded,export}.test.ts',
  'test/http/members/sign-in/timing.test.ts',
  'test/http/members/device/wrong-codes.test.ts',
  'test/operations/admin/access/consent-answers.test.ts',
  'test/operations/admin/**/counts.test.ts',
  'test/operations/tenant-file/who.test.ts',
  'test/stories/operators/secrets.test.ts',
];

/** All tests of what the service keeps and answers, on PostgreSQL: `npm run test:postgres`. */
export default defineConfig({
  test: {
    include: ['test/{browser,cli,http,operations,storage,stories}/**/*.test.ts'],
    exclude: ofSqlite,
    globalSetup: [
      'test/support/run/postgres.ts',
      'test/support/run/browser.ts',
      'test/support/run/fixture-folders.ts',
    ],
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    execArgv: [...roomForGarbage],
    isolate: false,
    runner: 'test/support/run/runner.ts',
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: patience,
    hookTimeout: patience,
    expect: { poll: { timeout: patience } },
  },
});
