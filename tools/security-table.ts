// Makes docs/security-cases.md from the cases and the tests that name them.
import { securityChapters } from './security-cases.ts';
import { type TestTitle, testTitles } from './test-titles.ts';

/** The whole of docs/security-cases.md. */
export function securityCasesDocument(titles: readonly TestTitle[] = testTitles()): string {
  const chapters = Object.entries(securityChapters).map(([chapter, cases]) => {
    const rows = Object.entries(cases).map(([id, name]) => `| ${id} | ${name} | ${filesOf(id, titles)} |`);
    return [`## ${chapter}`, ['| id | case | tests |', '|---|---|---|', ...rows].join('\n')].join('\n\n');
  });
  return `${[heading, ...chapters].join('\n\n')}\n`;
}

/** The files whose tests bear an id, each a link from the folder of the document. */
function filesOf(id: string, titles: readonly TestTitle[]): string {
  const files = new Set(titles.flatMap((title) => (title.id === id ? [title.file] : [])));
  return [...files].map((file) => `[${file.replace(/^test\//, '')}](../${file})`).join(', ');
}

const heading = `# Security cases and their tests

Every hostile input and every fault that this project answers for, with the tests that hold it to the answer;
written by \`npm run docs\` from the titles of the tests. A title begins with its ids, so
\`grep -rn "P10:" test\` finds what P10 means in full, and \`npm test -- -t "P10:"\` runs it. Cases below
\`trials\` are long and have commands of their own: \`npm run test:faults\`, \`npm run test:soak\`.
What they protect, and against whom, is in [security.md](security.md).`;
