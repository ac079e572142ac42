// What the checks of a tenant file share.
import { type Path, type Problem, problem } from '../../../core/problem.ts';
import { closestWord } from '../../../text/spelling.ts';
import type { LookUp } from '../references.ts';

/** A tenant file that is checked, and where is said what is found. */
export interface Checking {
  readonly file: unknown;
  /** Says what is wrong with a value and in it, by its path in the file. */
  tell(at: Path, ...problems: readonly Problem[]): void;
  /** Whether a value, or something in it, does not even have its shape: nothing more is said of it then. */
  isBroken(path: Path): boolean;
  /** Whether to say what may have been meant: not of thousands of names, where only the first are told. */
  mayGuess(): boolean;
  /** Whether it is for a service that has development tenants alone. */
  readonly isDevelopment: boolean;
  /** Finds what the file refers to. */
  readonly lookUp: LookUp;
}

/** An entry of a list, with those of its fields that have their shape. */
export interface Found<Entry> {
  readonly at: Path;
  readonly entry: Partial<Entry>;
}

/** The entries of a list; null if it is left out. */
export function entriesAt<Entry extends object>(
  checking: Checking,
  path: Path,
): readonly Found<Entry>[] | null {
  const entries = listAt(checking, path)?.map((value, index) => {
    const at = [...path, index];
    const fields = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value ?? {}) : [];
    const sound = fields.filter(([name]) => !checking.isBroken([...at, name]));
    return { at, entry: Object.fromEntries(sound) as Partial<Entry> };
  });
  return entries ?? null;
}

/** A list as it stands in the file; empty if it is none, null if it is left out. */
export function listAt({ file }: Checking, path: Path): readonly unknown[] | null {
  const found = path.reduce<unknown>((value, name) => Object(value)[name], file);
  if (found === undefined) return null;
  return Array.isArray(found) ? found : [];
}

/** Tells each name that stands twice, at its second place. */
export function tellTwice<Entry>(
  checking: Checking,
  noun: string,
  entries: readonly Found<Entry>[] | null,
  nameOf: (entry: Partial<Entry>) => string | number | undefined,
): void {
  const seen = new Set<string>();
  for (const { at, entry } of entries ?? []) {
    const name = nameOf(entry)?.toString();
    if (name === undefined) continue;
    if (seen.has(name)) checking.tell(at, problem([], 'named_twice', { noun, name: JSON.stringify(name) }));
    seen.add(name);
  }
}

/** Tells a name that is in no list of the file, and what was meant; a file without the list may know no better. */
export function tellUnknown(
  checking: Checking,
  at: Path,
  name: string,
  known: readonly string[] | null,
  noun: string,
): void {
  if (known === null || known.includes(name)) return;
  const near = checking.mayGuess() ? closestWord(name, known) : null;
  const guess = near === null ? { section: `${noun}s` } : { near: JSON.stringify(near) };
  checking.tell(at, problem([], 'not_in_file', { noun, name: JSON.stringify(name), ...guess }));
}

/** What goes into the database without the space around it would be another name there. */
export function tellSpace(checking: Checking, at: Path, text: string | undefined): void {
  if (text !== undefined && text !== text.trim()) checking.tell(at, problem([], 'space_around'));
}
