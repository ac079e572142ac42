// Reads the ids that lead the titles of tests.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A test whose title is led by the id of a security case, or of a line of docs/interop.md (`I12`). */
export interface TestTitle {
  readonly id: string;
  readonly title: string;
  /** Below the project's folder, with slashes. */
  readonly file: string;
}

const project = fileURLToPath(new URL('..', import.meta.url));

/** A string that begins with an id and a colon, or ids with commas between: `A14, T19: …`, `W11: W7: …`. */
const ledById =
  /(?<quote>['"`])(?<title>(?<ids>(?:[A-Z]{1,3}\d+(?:, |: ))+)(?:\\.|(?!\k<quote>)[^\\\n])*)\k<quote>/g;

/** A long test that is no test of vitest's, such as those of `npm run test:faults`: its id and title are fields. */
const withFields = /\bid: '(?<id>[A-Z]{1,3}\d+)',\s+title:\s+(?<quote>['"`])(?<title>[^\n]*)\k<quote>/g;

/** Tests of vitest's, and the trials, which have commands of their own. */
const isOfTests = (file: string) =>
  !file.includes('/node_modules/') &&
  (file.endsWith('.test.ts') || (file.startsWith('trials/') && file.endsWith('.ts')));

/** Every title in the tests and the trials that is led by an id, in the order of files and of lines. */
export function testTitles(): readonly TestTitle[] {
  return ['test', 'trials']
    .flatMap((folder) =>
      readdirSync(`${project}/${folder}`, { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name.replaceAll('\\', '/')}`,
      ),
    )
    .filter(isOfTests)
    .sort()
    .flatMap((file) =>
      titlesIn(readFileSync(`${project}/${file}`, 'utf8')).map((found) => ({ ...found, file })),
    );
}

/** The titles in the text of one file. */
export function titlesIn(text: string): readonly Omit<TestTitle, 'file'>[] {
  const led = [...text.matchAll(ledById)].flatMap(({ groups }) =>
    (groups?.ids?.match(/[A-Z]{1,3}\d+/g) ?? []).map((id) => ({ id, title: groups?.title ?? '' })),
  );
  const fields = [...text.matchAll(withFields)].map(({ groups }) => ({
    id: groups?.id ?? '',
    title: `${groups?.id}: ${groups?.title}`,
  }));
  return [...led, ...fields];
}
