/** Reads which lines of the documents the code and the tests cite, and which of them are there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interopLines } from './interop-table.ts';
import { securityCaseIds } from './security-cases.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const folders = ['bin', 'db', 'deploy', 'docs', 'src', 'templates', 'test', 'tools', 'trials'];
const isRead = (name: string) =>
  /\.(?:css|eta|js|md|ts)$/.test(name) && !/(?:^|\/)(?:data|node_modules|output)\//.test(name);

/** Every text of ours: the documents at the root, and what stands in the folders. Below the project, with slashes. */
export const texts: readonly string[] = [
  ...readdirSync(project).filter((name) => name.endsWith('.md')),
  ...folders.flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name.replaceAll('\\', '/')}`,
    ),
  ),
].filter(isRead);

export const textOf = (file: string) => readFileSync(join(project, file), 'utf8');

/** What the citations of a text name, as the document has it: `decision-22`, `rule-4`, `contract: Limits`, `A12`. */
export function citationsIn(text: string): readonly string[] {
  // The lines of a comment are one sentence; what a browser calls itself is no citation.
  const line = text.replaceAll(/\n\s*(?:\*|\/\/) ?/g, ' ').replaceAll(/Mozilla\/5\.0 \([^)]*\)/g, '');
  const numbered = [
    ...line.matchAll(
      /\b([Dd]ecision|page|interop|performance|contract|\w+, rule|\w+, promise)s? (\d+(?:(?:, | and | to )\d+)*)/g,
    ),
  ];
  const named = [...line.matchAll(/\b(contract|security|architecture), (?:"([^"]+)"|([A-Z]\w+))/g)];
  const cases = [...line.matchAll(/[(;,] ?([A-Z]{1,3}\d{1,2})(?=[);])/g)];
  const found = [
    ...numbered.flatMap(([, noun = '', numbers = '']) =>
      numbersIn(numbers).map((number) => `${placeOf(noun)}-${number}`),
    ),
    ...named.map(([, noun, quoted, word = '']) => (isCase(word) ? word : `${noun}: ${quoted ?? word}`)),
    ...cases.map(([, id = '']) => id),
  ];
  return [...new Set(found)];
}

/** `architecture, rule` is a rule; any other document has none, so its name stays and leads nowhere. */
function placeOf(noun: string): string {
  return noun.toLowerCase().replace(/^(?:architecture|security), /, '');
}

const isCase = (word: string) => /^[A-Z]{1,3}\d+$/.test(word);

/** `17, 20 to 22` is 17, 20, 21, 22. */
function numbersIn(text: string): readonly number[] {
  return text.split(/, | and /).flatMap((part) => {
    const [from = 0, to = from] = part.split(' to ').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

const documents = ['ARCHITECTURE.md', ...texts.filter((file) => /^docs\/[^/]+\.md$/.test(file))];
const anchors = new Set([
  ...documents.flatMap((file) => [...textOf(file).matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id)),
  ...securityCaseIds,
  ...interopLines().map(({ id }) => id),
]);

/** Whether a citation leads to a line that is there. */
export function leadsSomewhere(citation: string): boolean {
  const [noun, words] = citation.split(': ');
  if (words === undefined) return anchors.has(citation.replace('page-', 'pages-'));
  const document = noun === 'architecture' ? 'ARCHITECTURE.md' : `docs/${noun}.md`;
  // A heading, or the first cell of a row.
  return (
    textOf(document)
      .split('\n')
      .some((line) => /^(?:#|\| )/.test(line) && line.includes(words)) ||
    textOf(document).includes(`${words}:`)
  );
}

/** The links of a document that lead to no file of ours, or to no heading and no anchor in it. */
export function brokenLinksIn(file: string): readonly string[] {
  const links = [...textOf(file).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].map(
    ([, link = '']) => link,
  );
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(file, '..', path);
    if (!existsSync(join(project, target))) return true;
    return anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor);
  });
}

/** The anchors that a reader makes of headings, and those written by hand. */
function anchorsOf(text: string): readonly string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}
