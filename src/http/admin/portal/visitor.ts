// Who visits a page of the portal, and what is known there.
import type { Actor } from '../../../core/operators/permission.ts';
import type { Operation } from '../../../operations/admin/operation.ts';
import type { Deps } from '../../deps.ts';
import type { Visit as GuardedVisit } from '../../pages/guarded-page.ts';
import type { Counts, KnownCounts } from './counts.ts';

/** Fields of an operation's input or answer, by name. */
export type Facts = Readonly<Record<string, unknown>>;

/** What every page of the portal is made of. */
export interface Portal {
  readonly deps: Deps;
  readonly operations: readonly Operation[];
  readonly knownCounts: KnownCounts;
}

/** A signed-in administrator at a page of the portal. */
export interface Visit extends GuardedVisit, Portal {
  readonly deps: Deps;
  readonly actor: Extract<Actor, { kind: 'admin' }>;
  /** Whether the audit tells already of what this visit was denied. */
  readonly denial: { isWritten: boolean };
  /** The counts of the tenant that is looked at; null if they cannot be read. @param isAnew whether none is remembered */
  readonly counts: (isAnew?: boolean) => Promise<Counts | null>;
  /** What a page reads beside its own, by the name of the operation; null where there is nothing of it for this administrator. */
  readonly read: (name: string, input: Facts) => Promise<Facts | null>;
  /** The token of another form of this visit. */
  readonly newToken: () => string;
}

/** A visit at the page of an operation. */
export interface OperationVisit extends Visit {
  readonly operation: Operation;
  /** What is known of its input: the fields that the address names. */
  readonly known: Facts;
  /** The group of its fields that the page is for, where that is not all of them. */
  readonly part?: string | undefined;
}
