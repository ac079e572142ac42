import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareService, type ServiceDeps } from '../../../src/operations/service/service.ts';
import { createPasswords } from '../../../src/secrets/password.ts';
import { openVault } from '../../../src/secrets/vault.ts';
import { databaseFile } from '../../../src/storage/sqlite/open.ts';
import type { Store } from '../../../src/storage/store.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { testClock } from '../clock.ts';
import { loadFixtures } from '../fixtures.ts';
import { hasDatabase, isNameFile, makeTemplate, openTestStore } from './test-store.ts';

/** What a test service begins with. */
export type FixtureData = 'security' | 'development' | 'nothing';

/** The master key of the folders below. */
export const fixtureKey = Buffer.alloc(32, 'a key for tests alone');

/**
 * Passwords whose hashes take no time. Of those that the service makes each takes 32 ms of a core, which was a
 * sixth of a run; they are for the tests of what hashing costs.
 */
export const quickPasswords = () =>
  createPasswords(undefined, undefined, { memory: 8, passes: 1, parallelism: 1 });

/** Names the folder of the folders, for the workers that copy them. */
const variable = 'TEST_FIXTURES';

/** Names the folder of the service that is built for a run (`support/process/built.ts`). */
export const builtVariable = 'TEST_BUILT';

/**
 * Fills a new store: keys and password hashes, which are slow. A store that is filled already only learns
 * its port.
 */
export async function loadData(
  store: Store,
  data: FixtureData,
  deps: ServiceDeps,
  port: number,
): Promise<void> {
  const isNew =
    (await store.transaction((tx) => tx.selectFrom('service').selectAll().execute())).length === 0;
  await prepareService(store, data === 'development' ? 'development' : 'production', deps, port);
  if (data === 'security' && isNew) await loadFixtures(store, deps.vault, deps.passwords, deps.now);
}

/** Copies a data folder that is filled already, where the run has made one, into a folder that has no data. */
export function copyFixtures(data: FixtureData, folder: string): void {
  const made = process.env[variable];
  if (made === undefined || existsSync(join(folder, databaseFile)) || hasDatabase(folder)) return;
  if (existsSync(join(made, data))) {
    const filter = (path: string) => !isNameFile(path);
    cpSync(join(made, data), folder, { recursive: true, filter });
  }
}

/** Where Linux keeps files in memory. */
const memory = '/dev/shm';

/** What the folders of one run take at most, with room to spare. */
const bytesNeeded = 1_024 ** 3;

/**
 * The folder of all temporary files of a run: in memory where there is room. The databases are files all the
 * same, but a disk that is told to keep each commit takes a fifth of the whole run.
 */
function temporaryFolder(): string {
  const { bavail, bsize } = existsSync(memory) ? statfsSync(memory) : { bavail: 0, bsize: 0 };
  const folder = mkdtempSync(join(bavail * bsize > bytesNeeded ? memory : tmpdir(), 'memberdoor-tests-'));
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o711);
  return folder;
}

/** Before all tests: fills a data folder of each kind once, so that no test has to wait for keys. */
export default async function makeFixtures(): Promise<() => void> {
  const temporary = temporaryFolder();
  // What Node has compiled outlives the run, or each would begin with compiling the service anew.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
  process.env.TMPDIR = temporary;
  const made = join(temporary, 'fixtures');
  const deps = {
    vault: openVault(fixtureKey),
    passwords: quickPasswords(),
    random: systemRandom,
    now: testClock().now(),
  };
  for (const data of ['security', 'development', 'nothing'] as const) {
    const store = await openTestStore(join(made, data), true);
    // Of nothing there are the tables alone, which take longer to make than to copy.
    if (data !== 'nothing') await loadData(store, data, deps, 0);
    await store.close();
    makeTemplate(join(made, data));
  }
  process.env[variable] = made;
  process.env[builtVariable] = join(temporary, 'built');
  return () => rmSync(temporary, { recursive: true, force: true });
}
