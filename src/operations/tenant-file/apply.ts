// Understands a tenant file, plans what it asks for, and does it with the operations of the table.
import { isLikeSecret } from '../../core/operators/admin-token.ts';
import { permit } from '../../core/operators/permission.ts';
import { type Problem, problem, within } from '../../core/problem.ts';
import { readIssuer } from '../../core/tenant.ts';
import { findTenant } from '../../storage/tenant.ts';
import type { OperationContext, PreparationContext } from '../admin/operation.ts';
import { newTenantOf, prepareNew } from '../admin/tenants/new-tenant.ts';
import { hashOf } from '../development/load.ts';
import { OperationRefused } from '../refusal.ts';
import { withoutKeys } from '../tenant/open-tenants.ts';
import type { NewTenant } from '../tenant/tenant.ts';
import type { Entry, Planning } from './plan/entry.ts';
import { inOrderOfWork, type NewTenants, planTenants, settingsOf } from './plan/tenants.ts';
import { inOrder, type ReadTenantFile, readAside } from './read.ts';
import type { References } from './references.ts';
import type { FileTenant } from './tenant-file.ts';
import { positionIn } from './yaml.ts';

/** A tenant file as it is sent. */
export interface SentFile {
  /** YAML or JSON. */
  readonly file: string;
  /** What its sender looked up, by `kind name`. */
  readonly references: References;
  /** Whether what is only in the database is to end, in the sections that the file has. */
  readonly prune: boolean;
  /** Whether a device flow may be turned on that is not on at the stage tenant. */
  readonly force: boolean;
}

/** A file that was understood. */
export type UnderstoodFile = Extract<ReadTenantFile, { ok: true }>;

/** A file with what is slow of it, or takes its place where the file is only compared. */
export interface PreparedFile extends UnderstoodFile {
  readonly newTenants: NewTenants;
  readonly passwordHashOf: (password: string | undefined) => string;
}

/** @throws OperationRefused with every problem, each as `line:column: text` */
export async function understand({ file: text, references }: SentFile): Promise<UnderstoodFile> {
  const read = await readAside({ text, references });
  if (!read.ok) throw new OperationRefused('invalid', read.problems);
  return read;
}

/**
 * Makes what is slow of a file: keys of new tenants, hashes of passwords in clear. A file that is tried and taken back
 * needs neither.
 */
export async function prepareFile(
  understood: UnderstoodFile,
  context: PreparationContext,
): Promise<PreparedFile> {
  const { passwords, random, now, isTrial } = context;
  const prepare = async (settings: ReturnType<typeof settingsOf>): Promise<NewTenant> =>
    isTrial
      ? { tenant: newTenantOf(settings, random.id(now), now), tokenKey: Buffer.alloc(0), keys: [] }
      : await prepareNew(settings, context);
  const hashes = new Map<string | undefined, string>();
  const hashAll = async () => {
    for (const { password, passwordHash } of understood.file.tenants.flatMap(({ members = [] }) => members)) {
      if (isTrial || passwordHash !== undefined || hashes.has(password)) continue;
      // A member who is given no password gets a random one, until a forgotten one is asked for.
      hashes.set(password, await hashOf(password ?? random.secret(), passwords));
    }
  };
  const [prepared] = await Promise.all([
    Promise.all(newIn(understood, context).map(settingsOf).map(prepare)),
    hashAll(),
  ]);
  const newTenants = new Map(prepared.map((made) => [made.tenant.issuer, made]));
  return { ...understood, newTenants, passwordHashOf: (password) => hashes.get(password) ?? '' };
}

function newIn({ file }: UnderstoodFile, { tenants }: PreparationContext): readonly FileTenant[] {
  const known = new Set(tenants.all().map(({ issuer }) => issuer));
  return file.tenants.filter(({ issuer }) => !known.has(readIssuer(issuer)?.issuer ?? ''));
}

/**
 * Does what a file asks for, in the transaction that is there: every call by the runner of operations, with a line of
 * the audit for each.
 *
 * @param context where it is a trial, no permission to write is asked for
 * @returns the entries in which the file and the database differ
 * @throws OperationRefused with everything that cannot be done; what was done is to be taken back then
 */
export async function runFile(
  { file, positions, newTenants, passwordHashOf }: PreparedFile,
  { prune, force }: Pick<SentFile, 'prune' | 'force'>,
  context: OperationContext,
): Promise<readonly Entry[]> {
  const { tx, now, actor, isTrial } = context;
  const problems: Problem[] = [];
  const tell = (found: Problem) => problems.push({ ...found, position: positionIn(positions, found.path) });
  const planning = { tx, now, actor, prune, force, passwordHashOf, tell };
  const entries = await planTenants(planning, file, newTenants);
  if (!isTrial) demandCalls(context, entries);
  const made = [...newTenants.values()].map(({ tenant }) => withoutKeys(tenant));
  const all = [...context.tenants.all(), ...made];
  const tenants = { ...context.tenants, all: () => all };
  for (const entry of inOrderOfWork(entries)) {
    await runEntry(entry, { ...context, tenants }, tell);
  }
  if (problems.length > 0) throw new OperationRefused('conflict', inOrder(problems));
  return entries;
}

/** Does the calls of an entry, up to one that is refused: why is told, unless it was told of what the call needs. */
async function runEntry(
  { target, at, calls }: Entry,
  context: OperationContext,
  tell: Planning['tell'],
): Promise<void> {
  const { tx, tenants } = context;
  const { id } = target.tenant;
  const known = tenants.all().find((one) => one.id === id) ?? null;
  // As it is now: a stage may have been set before.
  const tenant = known === null ? null : { ...known, ...(await findTenant(tx, id)) };
  for (const { operation: called, input, makes, at: own = at } of calls) {
    const operation = context.operationOf(called);
    try {
      const named = 'tenant' in operation.input.properties ? { tenant: id } : {};
      const part = { operation, tenants, tenant, prepared: target.prepared };
      const answer = await context.runPart({ ...part, input: { ...named, ...input(target.ids) } });
      const { made = 'id' } = operation;
      if (makes !== undefined) target.ids.set(makes, (answer as MadeAnswer)[made] ?? '');
    } catch (error) {
      if (!(error instanceof OperationRefused) || error.kind === 'denied') throw error;
      for (const found of within(own, error.problems.map(inFile))) tell(found);
      return;
    }
  }
}

/** What an operation answers that makes something: its id among the rest. */
type MadeAnswer = Readonly<Record<string, string | number>>;

/** What files call some fields of inputs. */
const namesInFile: Readonly<Record<string, string>> = {
  channelId: 'id',
  consentId: 'id',
  productIds: 'products',
  customPropertyValues: 'properties',
  values: 'properties',
};

function inFile(found: Problem): Problem {
  return { ...found, path: found.path.map((part) => namesInFile[part] ?? part) };
}

const permissionCode = {
  tenant: 'entry_needs_permission',
  system: 'entry_needs_permission_everywhere',
} as const;

/** Holds a file to what its sender may do by single calls. @throws OperationRefused */
function demandCalls({ actor, operationOf }: OperationContext, entries: readonly Entry[]): void {
  const denied = entries.flatMap(({ calls, target, change: { noun, name } }) =>
    calls.flatMap(({ operation: called }) => {
      const { permission, reach } = operationOf(called);
      const tenantId = called === 'tenants.load' ? null : target.tenant.id;
      if (permit(actor, { permission, reach, tenantId }) === 'granted') return [];
      // It stands in the audit, where no address of a member belongs, and no secret that was written for a name (A18).
      const isUnsaid = noun === 'member' || noun === 'subscription' || isLikeSecret(name);
      const what = isUnsaid ? `a ${noun}` : `the ${noun} ${name}`;
      return problem([], permissionCode[reach], { entry: what, permission });
    }),
  );
  const each = new Map(denied.map((found) => [JSON.stringify(found), found]));
  if (each.size > 0) throw new OperationRefused('denied', [...each.values()]);
}
