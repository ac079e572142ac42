import { type Actor, permit } from '../../../core/operators/permission.ts';
import type { Operation } from '../../../operations/admin/operation.ts';
import { type Call, runOperation } from '../../../operations/admin/run.ts';
import { conflict, OperationRefused } from '../../../operations/refusal.ts';
import type { Tx } from '../../../storage/store.ts';
import { SessionOver } from '../../session.ts';
import { countCostly } from '../costly.ts';
import { countDenied, lookDenied } from '../denied.ts';
import { operationDeps } from '../operation-deps.ts';
import { actorOf, currentAdmin, type Visit } from './visit.ts';

/** Fields of an operation's input or answer, by name. */
export type Facts = Readonly<Record<string, unknown>>;

/** Whoever was denied too much calls nothing for a while, so that no page goes on without what it asked for. */
export class DeniedTooOften extends Error {
  override readonly name = 'DeniedTooOften';
  /** Whom it counts. */
  readonly actor: Actor;
  /** Seconds until they may call again. */
  readonly retryAfter: number;

  constructor(actor: Actor, retryAfter: number) {
    super('too many denied calls');
    this.actor = actor;
    this.retryAfter = retryAfter;
  }
}

/**
 * Runs an operation for whoever is signed in: the portal has no other way to read or to change anything.
 *
 * @throws OperationRefused, DeniedTooOften, or SessionOver
 */
export async function call(visit: Visit, operation: Operation, input: Facts): Promise<Facts> {
  const { actor, deps, denial } = visit;
  const denied = lookDenied(actor, deps);
  if (denied !== null) throw new DeniedTooOften(actor, denied);
  const wait = countCostly(operation, actor, deps);
  if (wait !== null) throw conflict([], 'too_often', { seconds: wait });
  try {
    return (await runOperation(callOf(visit, operation, input), deps.store, operationDeps(deps))) as Facts;
  } catch (error) {
    if (error instanceof OperationRefused && error.isWritten) {
      denial.isWritten = true;
      countDenied(actor, deps);
    }
    throw error;
  }
}

/** An operation as whoever is signed in calls it. */
export function callOf(visit: Visit, operation: Operation, input: Facts): Call {
  const { actor, request } = visit;
  return { operation, actor, input, address: request.address, demand: (tx) => demandAdmin(tx, visit) };
}

/** The administrator is still signed in, and still administers as much. @throws SessionOver */
async function demandAdmin(tx: Tx, { request, session, actor, deps }: Visit): Promise<void> {
  const current = await currentAdmin(tx, request, deps.clock());
  const isSame = current?.session.id === session.id && actorOf(current.member).isSystem === actor.isSystem;
  if (!isSame) throw new SessionOver();
}

/** The operation of this name; null where the service has none. */
export function operationNamed({ operations }: Pick<Visit, 'operations'>, name: string): Operation | null {
  return operations.find((operation) => operation.name === name) ?? null;
}

/** What an operation answers; null where it has nothing of it for this administrator, which the audit then says. */
export async function callOrNull(visit: Visit, operation: Operation, input: Facts): Promise<Facts | null> {
  try {
    return await call(visit, operation, input);
  } catch (error) {
    if (error instanceof OperationRefused) return null;
    throw error;
  }
}

/**
 * What an operation answers that a page shows beside its own; null where there is no such operation, or
 * nothing of it for this administrator: nobody has asked for that, and no audit tells of it.
 */
export async function callIfMay(visit: Visit, name: string, input: Facts): Promise<Facts | null> {
  const operation = operationNamed(visit, name);
  if (operation === null || !mayCall(visit, operation) || !hasTenant(visit, input.tenant)) return null;
  return callOrNull(visit, operation, input);
}

/** Whether a tenant, by host or id, is one of the administrator's; what names none is. */
export function hasTenant({ actor, deps }: Visit, named: unknown): boolean {
  if (actor.isSystem || named === undefined) return true;
  return deps.tenants.all().some(({ id, host }) => id === actor.tenantId && (id === named || host === named));
}

/** Whether the administrator may do something at all; whether to this very tenant, running it says. */
export function mayCall({ actor }: Visit, { permission, reach }: Operation): boolean {
  return permit(actor, { permission, reach, tenantId: null }) === 'granted';
}
