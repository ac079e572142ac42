// Plans everything that a file asks for. Tenants that it does not describe are none of its business.
import { hasAllTenants } from '../../../core/operators/permission.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { readIssuer, type Tenant } from '../../../core/tenant.ts';
import { listTenants } from '../../../storage/tenant.ts';
import type { NewTenantInput } from '../../admin/tenants/new-tenant.ts';
import { fieldChanges } from '../../field-changes.ts';
import type { NewTenant } from '../../tenant/tenant.ts';
import { describeTenant, nothingStored, readStored } from '../export.ts';
import type { FileTenant, TenantFile } from '../tenant-file.ts';
import { call, createIds, type Entry, entryOf, type Planning, type Target } from './entry.ts';
import { planLists } from './lists.ts';
import { planMembers } from './members.ts';

/** The tenants that are yet to be made, by issuer. */
export type NewTenants = ReadonlyMap<string, NewTenant>;

/** @returns the entries in the order of the file; stages come last, since a file may describe both tenants */
export async function planTenants(
  planning: Planning,
  { tenants }: TenantFile,
  made: NewTenants,
): Promise<readonly Entry[]> {
  const all = (await listTenants(planning.tx)).map(({ tenant }) => tenant);
  const targets: Target[] = [];
  for (const [index, file] of tenants.entries()) {
    const { issuer = '' } = readIssuer(file.issuer) ?? {};
    const known = all.find((one) => one.issuer === issuer);
    const prepared = known === undefined ? made.get(issuer) : undefined;
    const tenant = known ?? prepared?.tenant;
    if (tenant === undefined) throw new Error('a new tenant of a file was not prepared');
    const stored = known === undefined ? nothingStored : await readStored(planning.tx, known.id);
    const ids = createIds(file);
    for (const { id, name } of stored.products) ids.set(['product', name], id);
    for (const { id, name } of stored.packages) ids.set(['package', name], id);
    targets.push({ tenant, prepared, file, at: ['tenants', index], stored, ids });
  }
  const entries: Entry[] = [];
  for (const target of targets) {
    entries.push(
      ...(target.prepared !== undefined ? [newTenant(target)] : sameTenant(planning, target, all)),
      ...planLists(planning, target),
      ...(await planMembers(planning, target)),
    );
  }
  return [...entries, ...targets.flatMap((target) => planStage(planning, target, targets, all))];
}

function newTenant(target: Target): Entry {
  const { at, file, tenant } = target;
  const calls = [call('tenants.load', settingsOf(file))];
  return entryOf(target, 'tenant', { name: tenant.host, change: 'added' }, at, calls);
}

/** What a file says of a tenant, but for its lists and its stage. */
export function settingsOf(file: FileTenant): NewTenantInput {
  const { properties: _properties, products: _products, packages: _packages, ...rest } = file;
  const { channels: _channels, consents: _consents, clients: _clients, members: _members, ...said } = rest;
  const { apis: _apis, identityProviders: _providers, stageTenant: _stage, ...facts } = said;
  const { logoFile: _logo, faviconFile: _favicon, coverPictureFile: _cover, ...settings } = facts;
  return settings;
}

function sameTenant({ tell }: Planning, target: Target, all: readonly Tenant[]): readonly Entry[] {
  const { tenant, at, file } = target;
  const { issuer: _issuer, development, ...said } = settingsOf(file);
  if (development !== undefined && development !== tenant.development) {
    tell(problem([...at, 'development'], 'development_fixed'));
  }
  const fields = fieldChanges(describeTenant(tenant, all), said);
  if (fields.length === 0) return [];
  const { disabled, ...settings } = said;
  const isEnd = fields.some(({ field }) => field === 'disabled');
  const calls = [
    ...(fields.length === 1 && isEnd ? [] : [call('tenants.change', settings)]),
    ...(isEnd ? [call(disabled === true ? 'tenants.disable' : 'tenants.enable', {})] : []),
  ];
  return [entryOf(target, 'tenant', { name: tenant.host, change: 'changed', fields }, at, calls)];
}

function planStage(
  { tell, actor }: Planning,
  target: Target,
  targets: readonly Target[],
  all: readonly Tenant[],
): readonly Entry[] {
  const { stageTenant: named } = target.file;
  if (named === undefined) return [];
  const at: Path = [...target.at, 'stageTenant'];
  const before = all.find(({ id }) => id === target.tenant.stageTenantId)?.host ?? null;
  if (!hasAllTenants(actor) && named !== before) {
    // Whether there is such a tenant is told to those alone who have it (A17).
    tell(problem(at, 'stage_for_others'));
    return [];
  }
  const tenants = [...targets.map(({ tenant }) => tenant), ...all];
  const stage = tenants.find(({ host, issuer }) => host === named || issuer === named) ?? null;
  if (named !== null && stage === null) {
    tell(problem(at, 'no_such_tenant', { name: JSON.stringify(named) }));
    return [];
  }
  const stageTenant = stage?.host ?? null;
  const fields = fieldChanges({ stageTenant: before }, { stageTenant });
  if (fields.length === 0) return [];
  const calls = [call('tenants.setStage', { stageTenant })];
  return [entryOf(target, 'tenant', { name: target.tenant.host, change: 'changed', fields }, at, calls)];
}

/**
 * The entries in the order in which they are done: tenants are made first, then stages are set, and then each tenant
 * behind its stage, on which a device flow is to be on before it comes here (contract, "device flow enabled").
 */
export function inOrderOfWork(entries: readonly Entry[]): readonly Entry[] {
  const isOf = (operation: string) => (entry: Entry) =>
    entry.calls.some((planned) => planned.operation === operation);
  const making = entries.filter(isOf('tenants.load'));
  const staging = entries.filter(isOf('tenants.setStage'));
  const rest = entries.filter((entry) => !making.includes(entry) && !staging.includes(entry));
  const targets = [...new Set(rest.map(({ target }) => target))];
  const ordered = new Set<Target>();
  const visited = new Set<Target>();
  const visit = (target: Target) => {
    if (visited.has(target)) return;
    visited.add(target);
    const { stageTenant: named } = target.file;
    const stage = targets.find(({ tenant: { id, host, issuer } }) =>
      named === undefined ? id === target.tenant.stageTenantId : host === named || issuer === named,
    );
    if (stage !== undefined) visit(stage);
    ordered.add(target);
  };
  for (const target of targets) visit(target);
  return [
    ...making,
    ...staging,
    ...[...ordered].flatMap((target) => rest.filter((entry) => entry.target === target)),
  ];
}
