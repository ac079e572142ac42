// Who visits a page of the portal, and what is known there.
import type { Actor } from '../../../core/operators/permission.ts';
import type { Operation } from '../../../operations/admin/operation.ts';
import type { AgedMap } from '../../../storage/memory/aged-map.ts';
import type { Deps } from '../../deps.ts';
import type { Visit as GuardedVisit } from '../../pages/guarded-page.ts';

/** Fields of an operation's input or answer, by name. */
export type Facts = Readonly<Record<string, unknown>>;

/** What every page of the portal is made of. */
export interface Portal {
  readonly deps: Deps;
  readonly operations: readonly Operation[];
  /**
   * The forms that were sent already, so that a second press of a button, or a reload of the page that shows a new
   * secret, does not do it all again (pages 7). It is in memory: a restart forgets, and forms with it.
   */
  readonly usedForms: AgedMap<true>;
}

/** A signed-in administrator at a page of the portal. */
export interface Visit extends GuardedVisit, Portal {
  readonly deps: Deps;
  readonly actor: Extract<Actor, { kind: 'admin' }>;
  /** Whether the audit tells already of what this visit was denied. */
  readonly denial: { isWritten: boolean };
  /** The token of another form of this visit. */
  readonly newToken: () => string;
}

/** A visit at the page of an operation. */
export interface OperationVisit extends Visit {
  readonly operation: Operation;
  /** What is known of its input: the fields that the address names. */
  readonly known: Facts;
}
