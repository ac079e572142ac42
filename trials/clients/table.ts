// The table of the libraries that were tried, in docs/known-clients.md between two marks.
import type { Case } from './case.ts';

const marks = { begin: '<!-- npm run test:clients writes from here -->', end: '<!-- to here -->' };

/**
 * A document with the table of these cases in place of the one that it has.
 *
 * @throws if the marks are not in it
 */
export function withTable(
  document: string,
  cases: readonly Case[],
  versions: Readonly<Record<string, string>>,
): string {
  const [before, rest] = document.split(marks.begin);
  const after = rest?.split(marks.end)[1];
  if (before === undefined || after === undefined) throw new Error('docs/known-clients.md lacks its marks');
  return `${before}${marks.begin}\n\n${tableOf(cases, versions)}\n${marks.end}${after}`;
}

function tableOf(cases: readonly Case[], versions: Readonly<Record<string, string>>): string {
  const rows = cases.map(({ name, kind, settings, refused }) => {
    const result = refused ? 'cannot be used' : 'works';
    return `| ${name} ${versions[name]} | ${kind} | ${result} | ${settings} |\n`;
  });
  return ['| library | in | result | what it has to be told |\n', '|---|---|---|---|\n', ...rows].join('');
}
