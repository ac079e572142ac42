/** Words problems in English, for every face; nothing reads them back. */
import type { Path, Problem, ProblemValue } from '../core/problem.ts';
import { problemWords } from '../core/problem-words.ts';

/** What a path is called: `address.city`. Other faces have other names for their fields. */
export const dotted = (path: Path): string => (path.length === 0 ? 'the input' : path.join('.'));

/** What the value at a path of a tenant file is called. */
function nameInFile(path: Path): string {
  if (path.length === 0) return 'the file';
  const name = path.findLast((part) => typeof part === 'string');
  return typeof path.at(-1) === 'number' ? `an entry of ${name}` : String(name);
}

/**
 * A problem in words, without a full stop.
 *
 * @param nameOf what the face calls the value at a path, or all of it where the path is empty
 */
export function problemText(
  { path, code, values, position, called }: Problem,
  nameOf: (path: Path) => string = position === undefined ? dotted : nameInFile,
): string {
  const whole = problemWords[code].replaceAll(/\[([^\]]*\{[^\]]*)\]/g, (_, part: string) =>
    [...part.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => values[name] !== undefined) ? part : '',
  );
  return whole
    .replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'it' ? (called ?? nameOf(path)) : wordsOf(name, values[name]),
    )
    .toWellFormed();
}

/** A problem as a sentence of a page. */
export function problemSentence(found: Problem, nameOf: (path: Path) => string): string {
  const text = problemText(found, nameOf);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Problems in one line. */
export const problemLine = (problems: readonly Problem[]): string =>
  problems.map((one) => problemText(one)).join('; ');

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object of names and values',
  string: 'a text',
};

function wordsOf(name: string, value: ProblemValue = ''): string {
  if (name === 'types')
    return [value]
      .flat()
      .map((type) => typeNames[type] ?? type)
      .join(' or ');
  return [value].flat().join(', ');
}
