/** Finds the field of each problem of a form, and words it as the form words its values. */

import { type Path, type Problem, type ProblemValue, problem } from '../../../../core/problem.ts';
import { dotted, problemSentence } from '../../../../operations/problem-text.ts';
import { say } from '../../../../text/portal.ts';
import type { FieldProblem } from '../page.ts';
import { durationText } from '../words/amounts.ts';
import type { Entry, Field } from './fields.ts';
import { inMoney, unitName } from './units.ts';

/** Finds the field of each problem, by its path. What belongs to none stands above the form alone. */
export function placeProblems(
  problems: readonly Problem[],
  entries: readonly Entry[],
): readonly FieldProblem[] {
  const fields = entries.flatMap((entry) => ('fields' in entry ? entry.fields : [entry]));
  return problems.map((found) => {
    const field = fieldAt(found.path, fields);
    if (field === null) return { field: null, text: problemSentence(found, dotted) };
    // What a form has as a list of choices it need not read out; lines that are typed have none.
    if (found.code === 'not_one_of' && field.choices.length > 0 && field.kind !== 'lines') {
      return { field: field.name, text: say('form.noChoice', { label: field.label }) };
    }
    return {
      field: field.name,
      text: problemSentence(inWordsOf(field, found), (path) => labelAt(path, field)),
    };
  });
}

/** The field of a path, or of what it is in: of a list, and of pairs, the form has one field. */
function fieldAt(path: Path, fields: readonly Field[]): Field | null {
  if (path.length === 0) return null;
  const name = dotted(path);
  const own = fields.find(
    (field) => field.name === name || field.unit?.name === name || isMeasureOf(field, name),
  );
  return own ?? fieldAt(path.slice(0, -1), fields);
}

/** A price that is missing as a whole is missing in the field of its amount. */
const isMeasureOf = ({ name, unit }: Field, whole: string) =>
  unit !== null && /\.\w+$/.test(name) && name.startsWith(`${whole}.`);

/** The problem of a length of time, an amount or a picture, in the terms of the form. */
function inWordsOf({ name, unit, values, picture }: Field, found: Problem): Problem {
  if (picture !== null) return ofFile(picture, found);
  if (unit === null || found.path.join('.') === unit.name) return found;
  const isTime = unit.name === unitName(name);
  if (!isTime && !name.endsWith('.amount')) return found;
  if (found.code === 'wrong_type') {
    return isTime ? problem(found.path, 'not_a_length') : problem(found.path, 'not_money');
  }
  const bound = (value: ProblemValue) =>
    isTime ? durationText(Number(value)) : `${inMoney(Number(value), unit.value)} ${unit.value}`.trim();
  const bounds = Object.entries(found.values).filter(([key]) => key === 'least' || key === 'most');
  const worded = Object.fromEntries(bounds.map(([key, value]) => [key, bound(value)]));
  return values.length === 0 ? found : { ...found, values: { ...found.values, ...worded } };
}

const typeNames: Readonly<Record<string, string>> = {
  'image/svg+xml': 'SVG',
  'image/png': 'PNG',
  'image/webp': 'WebP',
  'image/jpeg': 'JPEG',
};

/** A picture comes as a file, whatever is made of it. */
function ofFile({ bytes, accept }: NonNullable<Field['picture']>, found: Problem): Problem {
  if (found.code === 'logo_type') {
    const names = accept.split(',').map((type) => typeNames[type] ?? type);
    const allowed = names.join(', ').replace(/, (?=[^,]*$)/, ' or ');
    return problem(found.path, 'not_a_picture', { allowed });
  }
  if (found.code !== 'too_long') return found;
  return problem(found.path, 'picture_too_large', { most: Math.floor(bytes / 102.4) / 10 });
}

/** What a form calls a value: its field, and the line of it. */
function labelAt(path: Path, { label, unit }: Field): string {
  if (unit !== null && dotted(path) === unit.name) return unit.label;
  const place = path.at(-1);
  return typeof place === 'number' ? say('form.line', { label, line: place + 1 }) : label;
}
