import type { Actor, Permission } from '../../../core/operators/permission.ts';
import type { Tenant } from '../../../core/tenant.ts';
import type { Random } from '../../../random.ts';
import type { Tx } from '../../../storage/store.ts';
import type { Change } from '../difference.ts';
import type { Path } from '../source.ts';

/** What a step may use when it is done. */
export interface Doing {
  readonly tx: Tx;
  readonly now: number;
  readonly random: Random;
  readonly actor: Actor;
  /** The hashes of the passwords that stand in the file in clear. */
  readonly passwordHashes: ReadonlyMap<string, string>;
}

/** One change that a file asks for, and how it is done. */
export interface Step {
  readonly change: Change;
  readonly tenantId: string;
  /** Where in the file it stands; of what is only in the database, the tenant. */
  readonly at: Path;
  readonly needs: Permission;
  /** Whether it is for those who have every tenant. */
  readonly isForSystem: boolean;
  /** Does it; null for what is left alone. @returns what it is called in the audit */
  readonly run: ((doing: Doing) => Promise<string>) | null;
}

/** What is said while it is planned. */
export interface Planning {
  readonly tx: Tx;
  readonly now: number;
  readonly actor: Actor;
  /** Whether what is only in the database is to end. */
  readonly prune: boolean;
  /** Says what cannot be done. */
  problem(at: Path, text: string): void;
}

/** A tenant that a file is applied to, with the ids of what its entries name; steps add what they make. */
export interface Target {
  readonly tenant: Tenant;
  /** Whether the tenant itself is made by a step. */
  readonly isNew: boolean;
  /** Where it stands in the file. */
  readonly at: Path;
  readonly productIds: Map<string, number>;
  readonly packageIds: Map<string, number>;
}

/** An id that a step before has made, or that was there. @throws if there is none: the plan has a hole */
export function idOf(ids: ReadonlyMap<string, number>, name: string): number {
  const id = ids.get(name);
  if (id === undefined) throw new Error('a tenant file was applied in the wrong order');
  return id;
}

type Run = NonNullable<Step['run']>;

/** Makes steps for one noun of a tenant. */
export interface Steps {
  added(name: string, at: Path, run: Run): Step;
  changed(name: string, at: Path, fields: Change['fields'], run: Run): Step;
  /** @param run null where it is left alone */
  missing(name: string, at: Path, note: string, run: Run | null): Step;
}

export function stepsFor({ tenant }: Target, noun: Change['noun'], needs: Permission): Steps {
  const step = { tenantId: tenant.id, needs, isForSystem: false };
  const change = { tenant: tenant.host, noun, note: '', fields: [] };
  return {
    added: (name, at, run) => ({ ...step, change: { ...change, name, change: 'added' }, at, run }),
    changed: (name, at, fields, run) => ({
      ...step,
      change: { ...change, name, change: 'changed', fields },
      at,
      run,
    }),
    missing: (name, at, note, run) => ({
      ...step,
      change: { ...change, name, note, change: run === null ? 'kept' : 'ended' },
      at,
      run,
    }),
  };
}
