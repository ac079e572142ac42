// Makes docs/interoperability.md from the lines of docs/interop.md and the tests that name them.
import { readFileSync } from 'node:fs';
import { type TestTitle, testTitles } from './test-titles.ts';

/** A line of docs/interop.md. */
export interface InteropLine {
  /** As titles of tests cite it: `I12`. */
  readonly id: string;
  readonly number: number;
  /** The heading that it stands below. */
  readonly chapter: string;
  /** What it promises, without its sources. */
  readonly text: string;
}

/** Every line of docs/interop.md, in its order. */
export function interopLines(document = interopText()): readonly InteropLine[] {
  let chapter = '';
  return document.split('\n').flatMap((line) => {
    chapter = /^## (.*)$/.exec(line)?.[1] ?? chapter;
    const found = /^(\d+)\. <a id="interop-\1"><\/a>(.*)$/.exec(line);
    if (found === null) return [];
    const [, number = '', text = ''] = found;
    return [{ id: `I${number}`, number: Number(number), chapter, text: text.replace(/ \[[^\]]*\]$/, '') }];
  });
}

const interopText = () => readFileSync(new URL('../docs/interop.md', import.meta.url), 'utf8');

/** The whole of docs/interoperability.md. */
export function interoperabilityDocument(
  titles: readonly TestTitle[] = testTitles(),
  lines: readonly InteropLine[] = interopLines(),
): string {
  const chapters = [...new Set(lines.map(({ chapter }) => chapter))].map((chapter) =>
    [`## ${chapter}`, ...lines.filter((line) => line.chapter === chapter).map(section)].join('\n\n'),
  );
  function section({ id, number, text }: InteropLine): string {
    const own = titles.filter((title) => title.id === id);
    const files = [...new Set(own.map(({ file }) => file))];
    const tests = files.map((file) => testLine(own.filter((title) => title.file === file).map(ruleOf), file));
    return [`**[${number}](interop.md#interop-${number})** ${beginningOf(text)}`, '', ...tests].join('\n');
  }
  return `${[heading, ...chapters, differences].join('\n\n')}\n`;
}

/** A file, and the rules that its tests hold. */
function testLine(rules: readonly string[], file: string): string {
  return `- [${file.split('/').at(-1)}](../${file}): ${rules.join(' · ')}`;
}

/** A title without the ids that lead it. */
function ruleOf({ title }: TestTitle): string {
  const rule = title.replace(/^(?:[A-Z]{1,3}\d+(?:, |: ))+/, '').replaceAll("\\'", "'");
  return rule.replaceAll(/[<>|]/g, '\\$&');
}

const shortText = 120;

/** The first clause of a line, as far as it fits. */
function beginningOf(text: string): string {
  const [clause = ''] = text.split(/; |\. |, (?=[^()]*$)/);
  if (clause.length <= shortText) return clause.replace(/\.$/, '');
  return `${clause.slice(0, clause.lastIndexOf(' ', shortText))} …`;
}

const heading = `# What clients may rely on, and the tests that hold it

Every line of [interop.md](interop.md) by its number and its beginning, with the tests that hold the service to it;
written by \`npm run docs\` from the titles of the tests. A title begins with its ids, so \`grep -rn "I12:" test\` finds
what line 12 means in full, and \`npm test -- -t "I12:"\` runs it.`;

/** Where a suite for certification asks for what the contract or a decision answers in another way. */
const differences = `## Where a certification suite will say otherwise

- A used authorization code that comes back ends the sign-in and its refresh tokens. The access token goes on until it
  expires, where RFC 6749 §4.1.2 says that it should be revoked ([decision 52](decisions.md#decision-52)).
- A refresh token is replaced at each use, for clients with the profile \`fapi2\` too. The one before works again only
  within the client's own replay window ([decision 24](decisions.md#decision-24)).
- An essential \`acr\` of two factors leads to the second factor, and is \`unmet_authentication_requirements\` where the
  tenant offers none
  ([decision 47](decisions.md#decision-47)).
- Access tokens are signed with ES256 or RS256, whatever signs the id_tokens
  ([decision 42](decisions.md#decision-42)).`;
