import { tenantFile } from '../../core/operators/limits.ts';
import { nameInFile, problemText } from '../problem-text.ts';
import type { Checking } from './check/checking.ts';
import { checkTenants } from './check/tenants.ts';
import { type LookUp, withReferences } from './references.ts';
import { misshapenIn } from './shape.ts';
import { keyOf, type Path, type Problem, parseSource, type Source } from './source.ts';
import type { TenantFile } from './tenant-file.ts';

export type ReadTenantFile =
  | {
      readonly ok: true;
      /** With what it refers to in its place, and no secret in clear. */
      readonly file: TenantFile;
      readonly source: Source;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads a tenant file in YAML or JSON, and checks everything that the file alone shows.
 *
 * @returns the file, or every problem at once, each with its place
 */
export function readTenantFile(text: string, lookUp: LookUp): ReadTenantFile {
  const source = parseSource(text);
  const { value } = source;
  const problems: Problem[] = [...source.problems];
  if (value !== undefined) {
    const misshapen = misshapenIn(value);
    for (const found of misshapen) {
      const { path, code } = found;
      // Of a name that is not known, the name is wrong, and not the value.
      const place = code === 'unknown_field' ? source.namePositionOf(path) : source.positionOf(path);
      problems.push({ ...place, text: problemText(found, nameInFile) });
    }
    const broken = new Set(misshapen.flatMap(({ path }) => beginningsOf(path).map(keyOf)));
    let guesses = 0;
    const checking: Checking = {
      problem: (path, said) => problems.push({ ...source.positionOf(path), text: said }),
      isBroken: (path) => broken.has(keyOf(path)),
      mayGuess: () => {
        guesses += 1;
        return guesses <= tenantFile.problems;
      },
      lookUp,
    };
    checkTenants(checking, value);
  }
  if (problems.length > 0) return { ok: false, problems: inOrder(problems) };
  return { ok: true, file: withReferences(value as TenantFile, lookUp), source };
}

const beginningsOf = (path: Path) => path.map((_part, index) => path.slice(0, index + 1));

/** Problems as they stand in the text; beyond so many, how many more there are. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const each = new Map(problems.map((problem) => [problemLine(problem), problem]));
  const sorted = [...each.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
  const told = sorted.slice(0, tenantFile.problems);
  const last = told.at(-1);
  const more = sorted.length - told.length;
  return more > 0 && last !== undefined ? [...told, { ...last, text: `… and ${more} problems more` }] : told;
}

/** A problem in a line: `line:column: text`. */
export const problemLine = ({ line, column, text }: Problem) => `${line}:${column}: ${text}`;
