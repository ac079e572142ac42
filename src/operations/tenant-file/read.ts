// Reads a tenant file, and checks what the file alone shows.
import { tenantFile } from '../../core/operators/limits.ts';
import { type Path, type Problem, problem, within } from '../../core/problem.ts';
import { problemText } from '../problem-text.ts';
import { compileCheck, type SchemaCheck } from '../schema-problems.ts';
import { checkTenants } from './check/tenants.ts';
import { type LookUp, withReferences } from './references.ts';
import { type TenantFile, tenantFileSchema } from './tenant-file.ts';
import { keyOf, parseSource, type Source } from './yaml.ts';

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
      // Of a name that is not known, the name is wrong, and not the value.
      const positionOf = found.code === 'unknown_field' ? source.namePositionOf : source.positionOf;
      problems.push({ ...found, position: positionOf(found.path) });
    }
    const broken = new Set(misshapen.flatMap(({ path }) => beginningsOf(path).map(keyOf)));
    let guesses = 0;
    checkTenants({
      file: value,
      tell: (at, ...found) => {
        for (const one of within(at, found)) {
          problems.push({ ...one, position: source.positionOf(one.path) });
        }
      },
      isBroken: (path) => broken.has(keyOf(path)),
      mayGuess: () => {
        guesses += 1;
        return guesses <= tenantFile.problems;
      },
      lookUp,
    });
  }
  if (problems.length > 0) return { ok: false, problems: inOrder(problems) };
  return { ok: true, file: withReferences(value as TenantFile, lookUp), source };
}

/** Made when the first file comes: most starts of the service see none. */
let compiled: SchemaCheck | null = null;

/** Everything in which a value is no tenant file by its shape alone; values are never repeated. */
export function misshapenIn(value: unknown): readonly Problem[] {
  compiled ??= compileCheck(tenantFileSchema, { useDefaults: false, guesses: tenantFile.problems });
  return compiled(value);
}

const beginningsOf = (path: Path) => path.map((_part, index) => path.slice(0, index + 1));

/** Problems as they stand in the text, each once; beyond so many, how many more there are. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const start = { line: 1, column: 1 };
  const each = new Map(problems.map((found) => [problemLine(found), found]));
  const sorted = [...each.values()].toSorted(
    ({ position: a = start }, { position: b = start }) => a.line - b.line || a.column - b.column,
  );
  const told = sorted.slice(0, tenantFile.problems);
  const last = told.at(-1);
  const count = sorted.length - told.length;
  if (count === 0 || last?.position === undefined) return told;
  return [...told, { ...problem([], 'more_problems', { count }), position: last.position }];
}

/** A problem in a line: `line:column: text`. */
export const problemLine = (found: Problem) =>
  `${found.position?.line}:${found.position?.column}: ${problemText(found)}`;
