import { auditTextLength } from '../../core/limits.ts';
import { readIssuer } from '../../core/operators/issuer.ts';
import { type Actor, hasAllTenants, type Permission } from '../../core/operators/permission.ts';
import { problem } from '../../core/problem.ts';
import { actingAs, sourceIn } from '../../storage/operators/audited.ts';
import type { OperationContext, PreparationContext } from '../admin/operation.ts';
import { auditDeed } from '../audit/audit.ts';
import { OperationRefused } from '../refusal.ts';
import { type NewTenant, prepareTenant } from '../tenant/tenant.ts';
import { type Change, withoutSecret } from './difference.ts';
import type { Step } from './plan/step.ts';
import { planTenants, tenantOf } from './plan/tenants.ts';
import { inOrder } from './read.ts';
import { readAside } from './read-aside.ts';
import type { References } from './references.ts';
import { type Position, type Problem, positionIn } from './source.ts';
import type { TenantFile } from './tenant-file.ts';

/** A tenant file as somebody sends it. */
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

/** A file that was understood, and what is slow of it. */
export interface PreparedFile {
  readonly file: TenantFile;
  /** Where each of its values begins, by the key of its path. */
  readonly positions: ReadonlyMap<string, Position>;
  readonly newTenants: ReadonlyMap<string, NewTenant>;
  readonly passwordHashes: ReadonlyMap<string, string>;
}

/**
 * Understands a file.
 *
 * @throws OperationRefused with every problem, each with its place in the file
 */
export async function understand({ file: text, references }: SentFile): Promise<PreparedFile> {
  const read = await readAside({ text, references });
  if (!read.ok) throw new OperationRefused('invalid', read.problems.map(ofFile));
  const { file, positions } = read;
  return { file, positions, newTenants: new Map(), passwordHashes: new Map() };
}

/** Makes what is slow of a file: keys of new tenants, hashes of passwords in clear. */
export async function prepareFile(
  understood: PreparedFile,
  context: PreparationContext,
): Promise<PreparedFile> {
  const { tenants: given } = understood.file;
  const { tenants, vault, passwords, random, now } = context;
  const newTenants = new Map<string, NewTenant>();
  const passwordHashes = new Map<string, string>();
  for (const file of given) {
    const { issuer = '' } = readIssuer(file.issuer) ?? {};
    const isKnown = tenants.all().some((tenant) => tenant.issuer === issuer);
    if (!isKnown) {
      newTenants.set(issuer, await prepareTenant(tenantOf(file, random.id(now), now), vault, now));
    }
    for (const { password, passwordHash } of file.members ?? []) {
      if (passwordHash !== undefined || passwordHashes.has(password ?? '')) continue;
      // Nobody knows the password of whoever is given none.
      passwordHashes.set(password ?? '', await passwords.hash(password ?? random.secret()));
    }
  }
  return { ...understood, newTenants, passwordHashes };
}

/**
 * Plans a file against what is stored now.
 *
 * @throws OperationRefused with everything that cannot be done
 */
export async function planFile(
  { file, positions, newTenants }: PreparedFile,
  { prune, force }: SentFile,
  { tx, now, actor }: OperationContext,
): Promise<readonly Step[]> {
  const problems: Problem[] = [];
  const steps = await planTenants(
    {
      tx,
      now,
      actor,
      prune,
      force,
      prepared: newTenants,
      problem: (at, text) => problems.push({ ...positionIn(positions, at), text }),
    },
    file,
  );
  if (problems.length > 0) throw new OperationRefused('conflict', inOrder(problems).map(ofFile));
  return steps;
}

/**
 * Does every step of a plan in the one transaction, with a line of the audit for each.
 *
 * @param name the operation, for the audit
 * @throws OperationRefused; nothing was changed then
 */
export async function applySteps(
  name: string,
  steps: readonly Step[],
  { positions, passwordHashes }: PreparedFile,
  { tx, now, random, actor }: OperationContext,
): Promise<void> {
  demandSteps(actor, steps);
  const source = sourceIn(tx);
  for (const { run, change, tenantId, ...step } of steps) {
    if (run === null) continue;
    // What comes of it stands in the audit of the tenant, though the file may be the service's.
    const own = source === null ? tx : actingAs(tx, { ...source, tenantId });
    const target = await run({ tx: own, now, random, actor, passwordHashes }).catch((error: unknown) => {
      throw placed(error, positionIn(positions, step.at));
    });
    await auditDeed(own, {
      event: 'admin_acted',
      target: target.slice(0, auditTextLength),
      ...(change.noun === 'client' ? { clientId: change.name } : {}),
      reason: `${name}: ${change.noun} ${doneTo(change)}`,
      ...(change.fields.length === 0 ? {} : { changes: change.fields.map(withoutSecret) }),
    });
  }
}

/** Nobody does by a file what they may not do one by one. @throws OperationRefused */
function demandSteps(actor: Actor, steps: readonly Step[]): void {
  const denied = steps
    .filter(({ run, needs, isForSystem }) => run !== null && !mayDo(actor, needs, isForSystem))
    .map(({ change: { noun, name }, needs, isForSystem }) => {
      // It stands in the audit, where no address of a member belongs.
      const what = noun === 'member' || noun === 'subscription' ? `a ${noun}` : `the ${noun} ${name}`;
      return `${what} needs the permission ${needs}${isForSystem ? ', for every tenant' : ''}`;
    });
  if (denied.length > 0)
    throw new OperationRefused(
      'denied',
      [...new Set(denied)].map((text) => problem([], 'said', { text })),
    );
}

function mayDo(actor: Actor, needs: Permission, isForSystem: boolean): boolean {
  if (isForSystem && !hasAllTenants(actor)) return false;
  return actor.kind !== 'token' || actor.permissions.includes(needs);
}

/** What cannot stand after all, with the place of its entry. */
function placed(error: unknown, position: Position): unknown {
  if (!(error instanceof OperationRefused) || error.kind === 'denied') return error;
  return new OperationRefused(
    'conflict',
    error.problems.map((one) => ({ ...one, path: [], position })),
  );
}

/** A problem with the place of what it is about. */
const ofFile = ({ text, line, column }: Problem) => ({
  ...problem([], 'said', { text }),
  position: { line, column },
});

/** What was done to an entry; values stay out of the audit. */
function doneTo({ change, fields, note }: Change): string {
  if (change === 'changed') return `changed ${fields.map(({ field }) => field).join(', ')}`;
  return change === 'ended' ? note : change;
}
