import type { FieldProblem } from '../page.ts';
import { labelOf } from '../words.ts';
import type { Entry, Field } from './fields.ts';

/**
 * Finds the field of each problem: by the name that it begins with or says is missing, or by a value of the
 * field that it quotes. What belongs to none stands above the form alone.
 */
export function placeProblems(
  problems: readonly string[],
  entries: readonly Entry[],
): readonly FieldProblem[] {
  const fields = entries.flatMap((entry) => ('fields' in entry ? entry.fields : [entry]));
  return problems.map((problem) => {
    const missing = /^(?:(\S+) )?must have required property '(\w+)'$/.exec(problem);
    const named = missing === null ? null : [missing[1], missing[2]].filter(Boolean).join('.');
    const field =
      fields.find(({ name }) => name === named) ??
      fields.find(({ name }) => isAbout(problem, name)) ??
      fields.find((one) => calls(problem, one)) ??
      fields.find((one) => quotes(problem, one)) ??
      null;
    if (field === null) return { field: null, text: sentence(problem) };
    return { field: field.name, text: wordsOf(problem, field, named !== null) };
  });
}

/** A problem begins with its field, and the number of the line where it has lines. */
function isAbout(problem: string, name: string): boolean {
  const rest = problem.startsWith(name) ? problem.slice(name.length) : null;
  return rest !== null && /^(?:\.\d+)? /.test(rest);
}

/** Others begin with the field as it is called in the protocol, or on the form: "The client_id must be". */
function calls(problem: string, { name, label }: Field): boolean {
  const inProtocol = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const onForm = label.replace(/ \(.*/, '').toLowerCase();
  const said = problem.toLowerCase();
  return [inProtocol, onForm].some((word) => said.startsWith(`the ${word} `));
}

const quotes = (problem: string, { values }: Field) =>
  values.some((value) =>
    value.split('\n').some((line) => line.trim() !== '' && problem.includes(`"${line.trim()}"`)),
  );

/** The words of a schema's validator, for people. */
const plain: readonly (readonly [RegExp, (found: readonly string[]) => string])[] = [
  [/must NOT have fewer than 1 (?:characters|items)$/, () => 'is missing'],
  [/must NOT have fewer than (\d+) (\w+)$/, ([, count, unit]) => `needs at least ${count} ${unit}`],
  [/must NOT have more than (\d+) (\w+)$/, ([, count, unit]) => `has more than ${count} ${unit}`],
  [/must NOT have duplicate items.*$/, () => 'has the same entry twice'],
  [/must be >= (\S+)$/, ([, least]) => `must be ${least} or more`],
  [/must be <= (\S+)$/, ([, most]) => `must be ${most} or less`],
  [/must be (?:integer|integer,null)$/, () => 'must be a whole number'],
  [/must be (?:number|number,null)$/, () => 'must be a number'],
  [/must be equal to one of the allowed values: (.*)$/, ([, values]) => `must be one of: ${values}`],
  [/must match format "date-time"$/, () => 'must be a date and a time'],
  [/must match pattern .*$/, () => 'does not have the right form'],
];

function wordsOf(problem: string, { name, label }: Field, isMissing: boolean): string {
  if (isMissing) return `${label} is missing.`;
  for (const [pattern, words] of plain) {
    const found = pattern.exec(problem);
    if (found === null) continue;
    const line = /\.(\d+) must/.exec(problem)?.[1];
    const where = line === undefined ? label : `${label}, line ${Number(line) + 1},`;
    return `${where} ${words(found)}.`;
  }
  const rest = problem.startsWith(`${name} `)
    ? `${labelOf(name)} ${problem.slice(name.length + 1)}`
    : problem;
  return sentence(rest);
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
