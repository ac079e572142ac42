// What a tenant file asks for: the entries that differ, each with the operations that bring it about.
import { type Path, type Problem, problem } from '../../../core/problem.ts';
import type { Tenant } from '../../../core/tenant.ts';
import type { OperationContext } from '../../admin/operation.ts';
import { type Facts, fieldChanges } from '../../field-changes.ts';
import { OperationRefused } from '../../refusal.ts';
import type { NewTenant } from '../../tenant/tenant.ts';
import type { Change } from '../change.ts';
import type { Stored } from '../export.ts';
import type { FileTenant } from '../tenant-file.ts';

/** A call of an operation that a file asks for. */
export interface PlannedCall {
  /** Its name in the table. */
  readonly operation: string;
  /** Its input, but for the tenant. Ids that calls before it make are known when its turn comes. */
  readonly input: (ids: Ids) => Facts;
  /** The name under which what it makes is found by calls behind it. */
  readonly makes?: MadeName;
  /** Where in the file it comes from, where that is not its entry. */
  readonly at?: Path;
}

/** An entry in which a file and the database differ; without calls it is left alone. */
export interface Entry {
  readonly change: Change;
  /** Where in the file it stands; of what is only in the database, the tenant. */
  readonly at: Path;
  readonly target: Target;
  readonly calls: readonly PlannedCall[];
}

/** The means of planning. */
export interface Planning extends Pick<OperationContext, 'tx' | 'now' | 'actor'> {
  /** Whether what is only in the database is to end. */
  readonly prune: boolean;
  /** Whether a device flow may be turned on before it is on at the stage tenant. */
  readonly force: boolean;
  /** The hash of a password that stands in the file in clear; where there is none, that of a random one. */
  readonly passwordHashOf: (password: string | undefined) => string;
  /** Says what cannot be done, and where in the file. */
  tell(problem: Problem): void;
}

/** A tenant that a file describes, as it was before. */
export interface Target {
  readonly tenant: Tenant;
  /** The result of the slow work for a tenant that is yet to be made. */
  readonly prepared: NewTenant | undefined;
  readonly file: FileTenant;
  /** Where it stands in the file. */
  readonly at: Path;
  readonly stored: Stored;
  readonly ids: Ids;
}

/** What files name and operations know by an id: within one tenant. */
export type MadeName = readonly [noun: 'member' | 'package' | 'product', name: string];

/** The ids of what is named, and of what was made of late. */
export interface Ids {
  /**
   * @param at where the entry names it
   * @throws OperationRefused if there is nothing of that name, or it could not be made
   */
  of(name: MadeName, at: Path): number | string;
  set(name: MadeName, id: number | string): void;
}

export function createIds(file: FileTenant): Ids {
  const ids = new Map<string, number | string>();
  return {
    of: (named, at) => {
      const id = ids.get(named.join(' '));
      if (id !== undefined) return id;
      const [noun, name] = named;
      // For a thing that the file makes, it was told why that could not be made.
      const problems = isMade(file, named)
        ? []
        : [problem(at, 'not_in_tenant', { noun, name: JSON.stringify(name) })];
      throw new OperationRefused('conflict', problems);
    },
    set: (name, id) => ids.set(name.join(' '), id),
  };
}

/** Whether a file makes what one of its entries names. */
function isMade({ packages = [], products = [] }: FileTenant, [noun, name]: MadeName): boolean {
  if (noun === 'member') return true;
  return noun === 'product' ? products.includes(name) : packages.some((offer) => offer.name === name);
}

/** A call whose input needs no id of a call before it. */
export const call = (operation: string, input: object): PlannedCall => ({
  operation,
  input: () => ({ ...input }),
});

/** @param change what of an entry differs, and its name */
export function entryOf(
  target: Target,
  noun: Change['noun'],
  change: Pick<Change, 'name' | 'change'> & Partial<Change>,
  at: Path,
  calls: readonly PlannedCall[],
): Entry {
  return { target, at, calls, change: { tenant: target.tenant.host, noun, note: '', fields: [], ...change } };
}

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
  /** The other fields that differ. */
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
