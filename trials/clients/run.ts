// Unmodified client libraries against the running service: npm run test:clients -- [name …]. It takes a minute, and
// the first time the libraries from the registry. A run of all that passes writes their table in docs/known-clients.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Case } from './case.ts';
import { cases } from './cases/index.ts';
import { type OpenDoor, openDoor } from './door.ts';
import { versions } from './library.ts';
import { withTable } from './table.ts';

/** How long a library may take, in ms. */
const patience = 60_000;

const { positionals } = parseArgs({ allowPositionals: true });
const chosen = cases.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

/** They are no packages of the project, which few would install for this alone. */
function install(): void {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const installed = statSync(`${folder}/node_modules/.package-lock.json`, { throwIfNoEntry: false });
  if ((installed?.mtimeMs ?? 0) > statSync(`${folder}/package-lock.json`).mtimeMs) return;
  console.log('installing the libraries');
  execFileSync('npm', ['ci', '--prefix', folder], { stdio: 'inherit', shell: process.platform === 'win32' });
}

/** What went wrong; null if nothing did. */
async function failureOf({ run }: Case, door: OpenDoor): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not come to an end')), patience);
  });
  try {
    await Promise.race([run(door), late]);
    return null;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } finally {
    clearTimeout(timer);
    await door.tidy();
  }
}

// Libraries warn of plain http and of old ways of Node's: here is one line for each of them.
Object.assign(process, { noDeprecation: true });
console.warn = () => {};
install();
const door = await openDoor();
let failed = 0;
try {
  for (const tried of chosen) {
    const failure = await failureOf(tried, door);
    if (failure !== null) failed += 1;
    const result = failure !== null ? 'FAILED ' : tried.refused ? 'refused' : 'ok     ';
    console.log(`${result} ${tried.name} ${versions[tried.name]}${failure === null ? '' : `\n${failure}`}`);
  }
} finally {
  await door.close();
}
console.log(`${chosen.length - failed} passed, ${failed} failed`);
if (failed === 0 && chosen.length === cases.length) {
  const file = new URL('../../docs/known-clients.md', import.meta.url);
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), cases, versions));
}
process.exit(failed === 0 && chosen.length > 0 ? 0 : 1);
