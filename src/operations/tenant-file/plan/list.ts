// How a list of a tenant's part, such as its packages, becomes entries.
import type { Path } from '../../../core/problem.ts';
import { type Change, fieldChanges } from '../difference.ts';
import type { Facts } from '../tenant-file.ts';
import { type Entry, entriesOf, type PlannedCall, type Planning, type Target } from './entry.ts';

/** What is known of the entries of such a list. */
export interface Kind<Given, Known> {
  readonly noun: Change['noun'];
  readonly section: 'channels' | 'clients' | 'consents' | 'packages' | 'products' | 'properties';
  /** What the file calls an entry, and what is stored by the same name. */
  readonly nameOf: (given: Given) => string;
  readonly knownAs: (known: Known) => string;
  /** What is stored, as a file says it. */
  readonly describe: (known: Known) => Facts;
  /** The facts of an entry that are compared: all, unless it is said. */
  readonly factsOf?: (given: Given, described: Facts) => Facts;
  /** What else is another. */
  readonly moreFields?: (given: Given, known: Known) => Change['fields'];
  readonly add: (given: Given, at: Path) => readonly PlannedCall[];
  readonly change: (given: Given, known: Known, at: Path, fields: Change['fields']) => readonly PlannedCall[];
  /** What is stored and in no file, as far as a file may leave it out: how it ends. */
  readonly end?: {
    readonly note: string;
    readonly calls: (known: Known) => readonly PlannedCall[];
    /** Whether it ended already. */
    readonly isOver: (known: Known) => boolean;
  };
}

export function planList<Given, Known>(
  { prune }: Pick<Planning, 'prune'>,
  target: Target,
  lists: { readonly given: readonly Given[] | undefined; readonly stored: readonly Known[] },
  kind: Kind<Given, Known>,
): readonly Entry[] {
  const { given, stored } = lists;
  if (given === undefined) return [];
  const { added, changed, missing } = entriesOf(target, kind.noun);
  const { nameOf, knownAs, end } = kind;
  const entries = given.flatMap((one, index) => {
    const at: Path = [...target.at, kind.section, index];
    const name = nameOf(one);
    const known = stored.find((candidate) => knownAs(candidate) === name);
    if (known === undefined) return [added(name, at, ...kind.add(one, at))];
    const described = kind.describe(known);
    const fields = [
      ...fieldChanges(described, kind.factsOf?.(one, described) ?? (one as Facts)),
      ...(kind.moreFields?.(one, known) ?? []),
    ];
    return fields.length === 0 ? [] : [changed(name, at, fields, ...kind.change(one, known, at, fields))];
  });
  const names = new Set(given.map(nameOf));
  const left = stored.filter((known) => !names.has(knownAs(known)) && end?.isOver(known) !== true);
  return [
    ...entries,
    ...left.map((known) =>
      missing(knownAs(known), end?.note ?? '', ...(prune ? (end?.calls(known) ?? []) : [])),
    ),
  ];
}
