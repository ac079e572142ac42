import type { Path, Problem } from '../../../../core/problem.ts';
import { dotted, problemSentence } from '../../../../operations/problem-text.ts';
import type { FieldProblem } from '../page.ts';
import type { Entry, Field } from './fields.ts';

/** Finds the field of each problem, by its path. What belongs to none stands above the form alone. */
export function placeProblems(
  problems: readonly Problem[],
  entries: readonly Entry[],
): readonly FieldProblem[] {
  const fields = entries.flatMap((entry) => ('fields' in entry ? entry.fields : [entry]));
  return problems.map((found) => {
    const field = fieldAt(found.path, fields);
    const text = problemSentence(found, field === null ? dotted : (path) => labelAt(path, field));
    return { field: field?.name ?? null, text };
  });
}

/** The field of a path, or of what it is in: of a list, and of pairs, the form has one field. */
function fieldAt(path: Path, fields: readonly Field[]): Field | null {
  if (path.length === 0) return null;
  return fields.find(({ name }) => name === dotted(path)) ?? fieldAt(path.slice(0, -1), fields);
}

/** What a form calls a value: its field, and the line of it. */
function labelAt(path: Path, { label }: Field): string {
  const place = path.at(-1);
  return typeof place === 'number' ? `${label}, line ${place + 1},` : label;
}
