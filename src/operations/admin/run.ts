// Runs an operation: checks its input and its caller, and audits what it did.
import { hasAllTenants, permit } from '../../core/operators/permission.ts';
import { actingAs } from '../../storage/operators/audited.ts';
import { hasSystemAdmin } from '../../storage/service.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Facts } from '../field-changes.ts';
import { conflict, denied, OperationRefused, unknown } from '../refusal.ts';
import { makeMissingKeys } from '../tenant/keys.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { auditAct, type Call, sourceOf, writeDenial } from './call.ts';
import { changesOf, presentOf } from './changes.ts';
import { operationOf } from './index.ts';
import { readInput, withMemberIds } from './input.ts';
import { aloneWithKey, type Keyed, onceWithKey } from './once.ts';
import type {
  FileAnswer,
  OperationContext,
  OperationDeps,
  OperationPart,
  PreparationContext,
} from './operation.ts';

/** What is said of a permission that is missing. */
const permissionCode = { tenant: 'permission_needed', system: 'permission_needed_everywhere' } as const;

/**
 * Runs an operation: its input against its schema, the caller against what it demands, then its work, in one
 * transaction with the line of the audit. What an actor was denied stands in the audit too.
 *
 * @throws OperationRefused; nothing was changed then
 */
export async function runOperation(call: Call, store: Store, deps: OperationDeps): Promise<object> {
  const { operation, actor } = call;
  const tenant = reachableTenant(call, deps);
  const granted = permit(actor, {
    permission: operation.permission,
    reach: operation.reach,
    tenantId: tenant?.id ?? null,
  });
  if (tenant === undefined || granted !== 'granted') {
    const refused =
      tenant === undefined || granted === 'unknown'
        ? unknown('tenant')
        : denied([], permissionCode[operation.reach], { permission: operation.permission });
    // An actor who may see every tenant has mistyped its name, and is no intruder.
    if (granted !== 'granted' || !hasAllTenants(actor)) {
      await writeDenial(store, call, tenant ?? null, refused, deps.now);
    }
    throw refused;
  }
  const input = readInput(operation, call.input);
  const context = { ...deps, actor, tenant, isTrial: operation.isTrial === true };
  const keyed = keyedOf(call, context);
  const begin = () => work(call, input, context, store);
  const begun = keyed === null ? begin() : aloneWithKey(keyed, deps.callsUnderWay, begin);
  const { answer, putInPlace } = await begun.catch(async (error: unknown) => {
    if (error instanceof OperationRefused && error.kind === 'denied') {
      await writeDenial(store, call, tenant, error, deps.now);
    }
    throw error;
  });
  putInPlace?.();
  // A client may now sign with an algorithm that its tenant has no key for. Making one is slow, and the change is
  // committed: where this fails, a chore makes it, or the first signature.
  if (operation.acts) await makeMissingKeys(store, deps).catch(() => 0);
  return answer;
}

/**
 * A file part by part, each in a transaction of its own, when it is asked for: however long the file is, one part is
 * in memory. The caller may read all of it: that was decided with the first part.
 *
 * @param first what `runOperation` answered
 * @throws StorageUnavailable where it cannot go on
 */
export async function* partsOf(
  first: FileAnswer,
  call: Call,
  store: Store,
  deps: OperationDeps,
): AsyncGenerator<string> {
  const tenant = reachableTenant(call, deps) ?? null;
  const context = { ...deps, actor: call.actor, tenant, isTrial: false };
  let part = first;
  while (true) {
    yield part.text;
    const { more } = part;
    if (more === undefined) return;
    part = await store.transaction(async (tx) => {
      await call.demand?.(tx);
      return more(contextIn(tx, call, context));
    });
  }
}

/** A call with its key, on the tenant that it names; null where it has none. */
function keyedOf(call: Call, { tenant }: PreparationContext): Keyed | null {
  const { key } = call;
  return key === undefined ? null : { ...call, key, tenantId: tenant?.id ?? null };
}

/** What an operation answers, and what of its change must be put in place in memory. */
interface Worked {
  readonly answer: object;
  readonly putInPlace: (() => void) | null;
}

/** Takes a transaction back whose answer is known: what was done in it was only tried. */
class TakenBack extends Error {
  readonly answer: object;

  constructor(answer: object) {
    super('what was tried is taken back');
    this.answer = answer;
  }
}

/** The slow part before the transaction, then the transaction. */
async function work(
  call: Call,
  input: Readonly<Record<string, unknown>>,
  context: PreparationContext,
  store: Store,
): Promise<Worked> {
  const { operation } = call;
  const prepared = await operation.prepare?.(input, context);
  const done = store.transaction(async (tx) => {
    await call.demand?.(tx);
    const own = actingAs(tx, () => sourceOf(call, context.tenant?.id ?? null, context.now));
    const wasAdministered = operation.acts && (await hasSystemAdmin(tx));
    const named = await withMemberIds(own, context, operation, input);
    const act = () => actIn(contextIn(own, call, context), { ...call, input: named }, prepared);
    const keyed = keyedOf(call, context);
    const answer = keyed === null ? await act() : await onceWithKey(tx, keyed, context, act);
    if (context.isTrial) throw new TakenBack(answer);
    if (wasAdministered && !isForced(call, input)) await demandSystemAdmin(tx);
    return { answer, putInPlace: operation.acts ? await context.tenants.read(tx) : null };
  });
  return done.catch((error: unknown) => {
    if (error instanceof TakenBack) return { answer: error.answer, putInPlace: null };
    throw error;
  });
}

/** The work of an operation and its line of the audit, in a transaction that is there. */
async function actIn(context: OperationContext, call: Call, prepared: unknown): Promise<object> {
  const { operation, input } = call;
  const before = await presentOf(operation, context, input);
  const answer = await operation.run(context, input, prepared);
  if (operation.acts || operation.audited === true) {
    const changes = before === null ? [] : changesOf(operation, input, before, answer as Facts);
    if (call.partOf === undefined) call.told?.(before === null ? null : changes);
    await auditAct(context, call, { answer, changes });
  }
  return answer;
}

/** What an operation may use in its transaction, other operations among it. */
function contextIn(tx: Tx, call: Call, context: PreparationContext): OperationContext {
  const runPart = async ({ operation, input: given, prepared, ...target }: OperationPart) => {
    const input = readInput(operation, given);
    const part = { ...call, operation, input, partOf: call.operation.name };
    const preparing = { ...context, ...target };
    const own = actingAs(tx, () => sourceOf(part, target.tenant?.id ?? null, context.now));
    const ready = prepared ?? (await operation.prepare?.(input, preparing));
    return actIn(contextIn(own, part, preparing), part, ready);
  };
  return { ...context, tx, operationOf, runPart };
}

/** Only an operator at the machine can make another administrator there. */
function isForced({ actor }: Call, { force }: Readonly<Record<string, unknown>>): boolean {
  return actor.kind === 'operator' && force === true;
}

/** Makes sure that a member is left who can sign in and administer everything. @throws OperationRefused */
async function demandSystemAdmin(tx: Tx): Promise<void> {
  if (await hasSystemAdmin(tx)) return;
  throw conflict([], 'last_administrator');
}

/**
 * The tenant that a call names by id or host; null if it names none, undefined if there is no such. One that
 * is disabled is there only for those who can enable it.
 */
function reachableTenant(
  { actor, input: { tenant: named } }: Call,
  { tenants }: OperationDeps,
): OpenTenant | null | undefined {
  if (named === undefined) return null;
  const found = tenants.all().find(({ id, host }) => id === named || host === named);
  return found?.disabledAt === null || hasAllTenants(actor) ? found : undefined;
}
