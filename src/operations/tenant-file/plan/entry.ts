// What a tenant file asks for: the entries that differ, each with the operations that bring it about.
import type { Actor } from '../../../core/operators/permission.ts';
import { type Path, type Problem, problem } from '../../../core/problem.ts';
import type { Tenant } from '../../../core/tenant.ts';
import type { Tx } from '../../../storage/store.ts';
import type { Facts } from '../../field-changes.ts';
import { OperationRefused } from '../../refusal.ts';
import type { Change } from '../change.ts';
import type { Stored } from '../describe.ts';
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

/** What is needed while it is planned. */
export interface Planning {
  readonly tx: Tx;
  readonly now: number;
  readonly actor: Actor;
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
  readonly isNew: boolean;
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
      // Of what the file makes it was told why it could not.
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
