// What the checks of a tenant file share.
import { type Path, type Problem, problem, within } from '../../../core/problem.ts';
import { closestWord } from '../../../text/spelling.ts';
import type { LookUp } from '../references.ts';

/** Where the checks of a tenant file say what they find. */
export interface Checking {
  /** Says what is wrong with a value, by its path in the file. */
  tell(problem: Problem): void;
  /** Whether a value, or something in it, does not even have its shape: nothing more is said of it then. */
  isBroken(path: Path): boolean;
  /** Whether to say what may have been meant: not of thousands of names, of which only the first are told. */
  mayGuess(): boolean;
  /** Finds what the file refers to. */
  readonly lookUp: LookUp;
}

/** The fields of an entry that have their shape. */
export function soundPart<Entry extends object>(
  { isBroken }: Checking,
  path: Path,
  value: unknown,
): Partial<Entry> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const sound = Object.entries(value).filter(([name]) => !isBroken([...path, name]));
  return Object.fromEntries(sound) as Partial<Entry>;
}

/** The entries of a list, each with where it is; none if it is no list. */
export function entriesAt(
  path: Path,
  value: unknown,
): readonly { readonly at: Path; readonly value: unknown }[] {
  return Array.isArray(value)
    ? value.map((one: unknown, index) => ({ at: [...path, index], value: one }))
    : [];
}

/** Tells each name that stands twice, at its second place. */
export function tellTwice(
  checking: Checking,
  names: readonly { readonly at: Path; readonly name: string | undefined }[],
  what: string,
): void {
  const seen = new Set<string>();
  for (const { at, name } of names) {
    if (name === undefined) continue;
    if (seen.has(name)) checking.tell(problem(at, 'named_twice', { noun: what, name: JSON.stringify(name) }));
    seen.add(name);
  }
}

/** Tells a name that is in no list of the file, and what was meant; a file without the list may know no better. */
export function tellUnknown(
  checking: Checking,
  at: Path,
  name: string,
  known: readonly string[] | null,
  what: string,
): void {
  if (known === null || known.includes(name)) return;
  const near = checking.mayGuess() ? closestWord(name, known) : null;
  const guess = near === null ? { section: `${what}s` } : { near: JSON.stringify(near) };
  checking.tell(problem(at, 'not_in_file', { noun: what, name: JSON.stringify(name), ...guess }));
}

/** Tells every problem of an entry at its place. */
export function tellProblems(checking: Checking, at: Path, problems: readonly Problem[]): void {
  for (const found of within(at, problems)) checking.tell(found);
}

/** What goes into the database without the space around it would be another name there. */
export function tellSpace(checking: Checking, at: Path, text: string | undefined): void {
  if (text !== undefined && text !== text.trim()) checking.tell(problem(at, 'space_around'));
}
