import { type Actor, type Permission, permissions } from '../../../src/core/operators/permission.ts';
import { operationDeps } from '../../../src/http/deps.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import type { Operation } from '../../../src/operations/admin/operation.ts';
import { runOperation } from '../../../src/operations/admin/run.ts';
import { OperationRefused } from '../../../src/operations/refusal.ts';
import type { Store } from '../../../src/storage/store.ts';
import { told } from '../expected/told.ts';
import type { TestService } from '../service.ts';

export const operator: Actor = { kind: 'operator' };

/** The operation of this name. */
function operationOf(name: string): Operation {
  const found = operations.find((known) => known.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}

/** The id of the tenant of this host. */
export function tenantIdOf({ tenants }: TestService, host: string): string {
  const tenant = tenants.all().find((known) => known.host === host);
  if (tenant === undefined) throw new Error(`there is no tenant ${host}`);
  return tenant.id;
}

/** An administrator of the tenant of this host. */
export function adminOf(service: TestService, host: string, isSystem = false): Actor {
  return { kind: 'admin', memberId: `admin of ${host}`, tenantId: tenantIdOf(service, host), isSystem };
}

/** A token of the tenant of this host, or of every tenant, which may do all unless it is said. */
export function tokenOf(
  service: TestService,
  host: string | null,
  granted: readonly Permission[] = permissions,
): Actor {
  const tenantId = host === null ? null : tenantIdOf(service, host);
  return { kind: 'token', tokenId: `token of ${host ?? 'all'}`, tenantId, permissions: granted };
}

/** Runs an operation as an actor; as the operator unless another is given. */
export async function run<Answer = Readonly<Record<string, unknown>>>(
  service: TestService,
  name: string,
  input: object = {},
  actor: Actor = operator,
): Promise<Answer> {
  const call = { operation: operationOf(name), actor, input: { ...input }, address: '192.0.2.7' };
  const deps = operationDeps(service.deps);
  return (await runOperation(call, service.deps.store, deps)) as Answer;
}

/** Why an operation was refused, in words. @throws if it was not */
export async function refusal(
  service: TestService,
  name: string,
  input: object = {},
  actor: Actor = operator,
): Promise<Pick<OperationRefused, 'kind'> & { readonly problems: readonly string[] }> {
  try {
    await run(service, name, input, actor);
  } catch (error) {
    if (error instanceof OperationRefused) return { kind: error.kind, problems: told(error.problems) };
    throw error;
  }
  throw new Error(`${name} was not refused`);
}

/** What an operation did before it was taken back. */
export interface Rehearsal {
  readonly answer: object | null;
  readonly refused: OperationRefused | null;
  /** The lines of the audit that it wrote. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

class TakenBack extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('taken back');
    this.result = result;
  }
}

/** Runs an operation and takes back whatever it wrote, so that the next finds what this one found. */
export async function rehearse(
  service: TestService,
  operation: Operation,
  actor: Actor,
  input: object,
): Promise<Rehearsal> {
  const events: Readonly<Record<string, unknown>>[] = [];
  const store: Pick<Store, 'transaction'> = {
    transaction: <T>(work: Parameters<typeof service.store.transaction<T>>[0]) =>
      service.store
        .transaction(async (tx): Promise<T> => {
          const { last } = await tx
            .selectFrom('auditEvents')
            .select((eb) => eb.fn.max('id').as('last'))
            .executeTakeFirstOrThrow();
          const result = await work(tx);
          const written = tx.selectFrom('auditEvents').selectAll();
          events.push(...(await written.where('id', '>', last ?? 0).execute()));
          throw new TakenBack(result);
        })
        .catch((error: unknown) => {
          if (error instanceof TakenBack) return error.result as T;
          throw error;
        }),
  };
  const call = { operation, actor, input: { ...input }, address: '192.0.2.7' };
  // Nothing is committed, so no memory is to follow it.
  const tenants = { ...service.tenants, read: async () => () => {}, reload: async () => {} };
  // Each actor tries the same: what one address gets a day is not counted from one to the next.
  const { mailCounters: _, ...deps } = operationDeps({ ...service.deps, tenants });
  try {
    return { answer: await runOperation(call, store as Store, deps), refused: null, events };
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    return { answer: null, refused: error, events };
  }
}
