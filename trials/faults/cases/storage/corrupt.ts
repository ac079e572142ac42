import { createHash, randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Case, type Outcome, violations } from '../../case.ts';
import { newFamily } from '../../clients/client.ts';
import { anyUnder, begin, newSite, removeSite, run } from '../../site.ts';

type Damage = (path: string) => void;

const overwrite =
  (from: (size: number) => number, length: number): Damage =>
  (path) => {
    const bytes = readFileSync(path);
    const at = from(bytes.length);
    randomBytes(length).copy(bytes, at, 0, Math.min(length, bytes.length - at));
    writeFileSync(path, bytes);
  };

/** What may have happened to the file, by name. */
const damages: Readonly<Record<string, Damage>> = {
  '8 bytes of the header': overwrite(() => 16, 8),
  '20 KB from the third page on': overwrite(() => 8_192, 20_000),
  '20 KB anywhere': overwrite((size) => 4_096 * (2 + anyUnder(size / 4_096 - 8)), 20_000),
  'the last 20 KB': overwrite((size) => size - 20_000, 20_000),
  'truncated to half': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'without its last page': (path) => truncateSync(path, statSync(path).size - 4_096),
  'zero length': (path) => truncateSync(path, 0),
  text: (path) => writeFileSync(path, 'not a database\n'.repeat(1_000)),
  'a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

/** What lies in the files of a database, so that a touched one is known. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (!name.startsWith('memberdoor.db') || name.endsWith('-shm') || statSync(path).isDirectory()) continue;
    hash.update(name).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Starts the service on a damaged copy. @returns what it did wrong, each in one line */
async function refusalOf(sound: string, damage: Damage): Promise<readonly string[]> {
  const found = violations();
  const site = await newSite();
  cpSync(sound, site.folder, { recursive: true });
  const path = join(site.folder, 'memberdoor.db');
  damage(path);
  const before = digestOf(site.folder);
  const started = begin(site);
  const served = await Promise.race([started.ready.catch(() => ''), started.exited.then(() => '')]);
  found.unless(served === '', 'it was served');
  const { code } = served === '' ? await started.exited : { code: 0 };
  await started.kill();
  const said = started.errorLines();
  found.unless(code !== 0 && code !== null, `it ended with ${code}`);
  found.unless(said.length === 1 && said[0]?.includes(path) === true, `it said: ${said.join(' | ')}`);
  found.unless(digestOf(site.folder) === before, 'it was touched');
  removeSite(site);
  return found.all;
}

async function runCorrupt(): Promise<Outcome> {
  const found = violations();
  const sound = mkdtempSync(join(tmpdir(), 'memberdoor-sound-'));
  const site = await newSite(sound);
  const running = await run(site);
  for (let count = 0; count < 20; count += 1) await newFamily(running);
  await running.stop();
  let rounds = 0;
  const refuse = async (folder: string, what: string, damage: Damage) => {
    rounds += 1;
    for (const problem of await refusalOf(folder, damage)) found.add(`${what}: ${problem}`);
  };
  for (const [what, damage] of Object.entries(damages)) await refuse(sound, what, damage);

  // What a kill leaves has a log beside it, which an opening folds into the file.
  const killed = await run(site);
  await newFamily(killed);
  await killed.kill();
  found.unless(existsSync(join(sound, 'memberdoor.db-wal')), 'a killed service left no log');
  for (const what of ['20 KB from the third page on', 'truncated to half', 'zero length', 'text'] as const) {
    await refuse(sound, `${what}, with a log`, damages[what] as Damage);
  }
  removeSite(site);
  return { rounds, violations: found.all, note: '' };
}

export const corruptFile: Case = {
  id: 'Z12',
  title: 'a damaged or truncated file: one clear line, no service, nothing touched',
  needs: [],
  run: runCorrupt,
};
