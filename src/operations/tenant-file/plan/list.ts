// How a list of a tenant's part, such as its packages, becomes entries.
import type { Path } from '../../../core/problem.ts';
import { fieldChanges } from '../../field-changes.ts';
import type { Change } from '../change.ts';
import type { Stored } from '../describe.ts';
import type { FileTenant } from '../tenant-file.ts';
import { type Entry, entryOf, type PlannedCall, type Planning, type Target } from './entry.ts';

type Given<Section extends keyof Stored> = NonNullable<FileTenant[Section]>[number];
type Known<Section extends keyof Stored> = Stored[Section][number];

/** What is known of the entries of such a list. */
export interface Kind<Section extends keyof Stored> {
  readonly noun: Change['noun'];
  readonly section: Section;
  /** The field that names an entry, in the file and in the database; a product of a file is its name. */
  readonly by: keyof Known<Section>;
  /** What is stored, as a file says it. */
  readonly describe: (known: Known<Section>) => object;
  /** The facts of an entry that are compared: all, unless it is said. */
  readonly factsOf?: (given: Given<Section>, described: object) => object;
  /** What else is another. */
  readonly moreFields?: (given: Given<Section>, known: Known<Section>) => Change['fields'];
  readonly add: (given: Given<Section>, at: Path) => readonly PlannedCall[];
  readonly change: (
    given: Given<Section>,
    known: Known<Section>,
    at: Path,
    fields: Change['fields'],
  ) => readonly PlannedCall[];
  /** What is stored and in no file, as far as a file may leave it out: how it ends. */
  readonly end?: {
    readonly note: string;
    readonly calls: (known: Known<Section>) => readonly PlannedCall[];
    /** Whether it ended already. */
    readonly isOver: (known: Known<Section>) => boolean;
  };
}

export function planList<Section extends keyof Stored>(
  { prune }: Planning,
  target: Target,
  { noun, section, by, end, ...kind }: Kind<Section>,
): readonly Entry[] {
  const given = target.file[section] as readonly Given<Section>[] | undefined;
  if (given === undefined) return [];
  const stored = target.stored[section] as readonly Known<Section>[];
  const nameOf = (one: Given<Section> | Known<Section>) =>
    typeof one === 'string' ? one : String((one as Known<Section>)[by]);
  const entries = given.flatMap((one, index) => {
    const at: Path = [...target.at, section, index];
    const name = nameOf(one);
    const known = stored.find((candidate) => nameOf(candidate) === name);
    if (known === undefined) return [entryOf(target, noun, { name, change: 'added' }, at, kind.add(one, at))];
    const described = kind.describe(known);
    const fields = [
      ...fieldChanges(described, kind.factsOf?.(one, described) ?? (one as object)),
      ...(kind.moreFields?.(one, known) ?? []),
    ];
    if (fields.length === 0) return [];
    const calls = kind.change(one, known, at, fields);
    return [entryOf(target, noun, { name, change: 'changed', fields }, at, calls)];
  });
  const names = new Set(given.map(nameOf));
  const left = stored.filter((known) => !names.has(nameOf(known)) && end?.isOver(known) !== true);
  const missing = left.map((known) => {
    const calls = prune ? (end?.calls(known) ?? []) : [];
    const change = calls.length === 0 ? 'kept' : 'ended';
    return entryOf(target, noun, { name: nameOf(known), note: end?.note ?? '', change }, target.at, calls);
  });
  return [...entries, ...missing];
}
