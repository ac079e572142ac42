import { readIssuer } from '../../../core/operators/issuer.ts';
import { hasAllTenants } from '../../../core/operators/permission.ts';
import type { Tenant } from '../../../core/tenant.ts';
import { findRegisteredClient } from '../../../storage/client.ts';
import { findService } from '../../../storage/service.ts';
import { listTenants } from '../../../storage/tenant.ts';
import {
  changedTenant,
  changeTenant,
  type NewTenant,
  storeTenant,
  type TenantChanges,
} from '../../tenant/tenant.ts';
import { plainTenant } from '../check/tenants.ts';
import { describeTenant } from '../describe.ts';
import { fieldChanges } from '../difference.ts';
import type { Path } from '../source.ts';
import { nothingStored, readStored, type Stored } from '../stored.ts';
import type { FileTenant, TenantFile } from '../tenant-file.ts';
import { planAccess } from './access.ts';
import { planClients } from './clients.ts';
import { planMembers } from './members.ts';
import { type Doing, type Planning, type Step, stepsFor, type Target } from './step.ts';

/** What a plan is made for beside what every part of it needs. */
export interface TenantPlanning extends Planning {
  /** The tenants that are yet to be stored, by issuer; none while a file is only compared. */
  readonly prepared: ReadonlyMap<string, NewTenant>;
  /** Whether a device flow may be turned on before it is on at the stage tenant. */
  readonly force: boolean;
}

/** What is known of one tenant of the file. */
interface Entry {
  readonly file: FileTenant;
  readonly target: Target;
  readonly stored: Stored;
}

/**
 * Plans everything that a file asks for, in the order in which it is done. Tenants that the file does not
 * describe are none of its business.
 */
export async function planTenants(
  planning: TenantPlanning,
  { tenants }: TenantFile,
): Promise<readonly Step[]> {
  const all = (await listTenants(planning.tx)).map(({ tenant }) => tenant);
  const entries: Entry[] = [];
  for (const [index, file] of tenants.entries()) {
    const known = all.find(({ issuer }) => issuer === readIssuer(file.issuer)?.issuer);
    const target = targetOf(planning, ['tenants', index], file, known);
    const stored = known === undefined ? nothingStored : await readStored(planning.tx, known.id);
    for (const { id, name } of stored.products) target.productIds.set(name, id);
    for (const { id, name } of stored.packages) target.packageIds.set(name, id);
    entries.push({ file, target, stored });
  }
  const steps: Step[] = [];
  for (const { file, target, stored } of entries) {
    steps.push(
      ...(target.isNew
        ? await newTenant(planning, target, file, all)
        : sameTenant(planning, target, file, all)),
      ...planAccess(planning, target, file, stored),
      ...planClients(planning, target, file, stored),
      ...(await planMembers(planning, target, file, stored)),
    );
  }
  steps.push(...planStages(planning, entries, all));
  await tellUntried(planning, entries, all);
  return steps;
}

function targetOf(
  { prepared }: TenantPlanning,
  at: Path,
  file: FileTenant,
  known: Tenant | undefined,
): Target {
  const { issuer = '', host = '' } = readIssuer(file.issuer) ?? {};
  const tenant = known ?? prepared.get(issuer)?.tenant ?? { ...plainTenant, issuer, host };
  return { tenant, isNew: known === undefined, at, productIds: new Map(), packageIds: new Map() };
}

/** The tenant that a file describes, before it is stored: all of it, but for its stage. */
export function tenantOf(file: FileTenant, id: string, now: number): Tenant {
  const address = readIssuer(file.issuer);
  const tenant = { ...plainTenant, ...address, id, development: file.development === true };
  return changedTenant(tenant, { ...settingsOf(file), disabledAt: file.disabled === true ? now : null });
}

function settingsOf(file: FileTenant): TenantChanges {
  const { name, brandColor, logo, languages, passwordLength, returnOrigins, limits } = file;
  const { deletionCoolingOffSeconds: seconds, revocationListed } = file;
  return {
    name,
    ...(brandColor === undefined ? {} : { brandColor }),
    ...(logo === undefined ? {} : { logo }),
    ...(languages === undefined ? {} : { languages }),
    ...(passwordLength === undefined ? {} : { passwordLength }),
    ...(returnOrigins === undefined ? {} : { returnOrigins }),
    ...(revocationListed === undefined ? {} : { revocationListed }),
    limits: { ...limits, ...(seconds === undefined ? {} : { deletionCoolingOff: seconds * 1_000 }) },
  };
}

async function newTenant(
  { tx, problem, prepared }: TenantPlanning,
  target: Target,
  file: FileTenant,
  all: readonly Tenant[],
): Promise<readonly Step[]> {
  const { host, issuer } = target.tenant;
  const namesake = all.find((tenant) => tenant.host === host);
  if (namesake !== undefined) problem([...target.at, 'issuer'], `${namesake.issuer} is at that host already`);
  const environment = (await findService(tx))?.environment;
  if (file.development === true && environment !== 'development') {
    problem([...target.at, 'development'], 'this is a production service, which has no development tenants');
  }
  const store = async ({ tx, now }: Doing) => {
    const made = prepared.get(issuer);
    if (made === undefined) throw new Error('the keys of a new tenant were not prepared');
    await storeTenant(tx, made, now);
    return host;
  };
  const { added } = stepsFor(target, 'tenant', 'tenants:write');
  return [{ ...added(host, target.at, store), isForSystem: true }];
}

function sameTenant(
  { problem }: TenantPlanning,
  target: Target,
  file: FileTenant,
  all: readonly Tenant[],
): readonly Step[] {
  const { tenant, at } = target;
  if (file.development !== undefined && file.development !== tenant.development) {
    problem(
      [...at, 'development'],
      `the tenant is ${tenant.development ? 'one' : 'none'} of development, and stays so`,
    );
  }
  const { name, brandColor, logo, languages, passwordLength, returnOrigins, limits, disabled } = file;
  const { deletionCoolingOffSeconds, revocationListed } = file;
  const settings = { name, brandColor, logo, languages, passwordLength, returnOrigins, limits, disabled };
  const fields = fieldChanges(
    { ...describeTenant(tenant, all) },
    { ...settings, revocationListed, deletionCoolingOffSeconds },
  );
  if (fields.length === 0) return [];
  const change = async ({ tx, now }: Doing) => {
    const isDisabled = disabled ?? tenant.disabledAt !== null;
    const disabledAt = isDisabled ? (tenant.disabledAt ?? now) : null;
    await changeTenant(tx, tenant.id, { ...settingsOf(file), disabledAt });
    return tenant.host;
  };
  const isEnd = fields.some(({ field }) => field === 'disabled');
  const { changed } = stepsFor(target, 'tenant', 'tenants:write');
  return [{ ...changed(tenant.host, at, fields, change), isForSystem: isEnd }];
}

/** Stages come last: a file may describe both tenants, in any order. */
function planStages(
  { problem, actor }: TenantPlanning,
  entries: readonly Entry[],
  all: readonly Tenant[],
): readonly Step[] {
  const tenants = [...entries.map(({ target }) => target.tenant), ...all];
  return entries.flatMap(({ file: { stageTenant: named }, target }) => {
    if (named === undefined) return [];
    const at: Path = [...target.at, 'stageTenant'];
    const before = all.find(({ id }) => id === target.tenant.stageTenantId);
    if (!hasAllTenants(actor) && named !== (before?.host ?? null)) {
      // Whether there is such a tenant is nobody's business who has it not (A17).
      problem(at, 'only whoever has every tenant sets the stage of one');
      return [];
    }
    const stage = tenants.find(({ host, issuer }) => host === named || issuer === named) ?? null;
    if (named !== null && stage === null) {
      problem(
        at,
        `there is no tenant ${JSON.stringify(named)}: describe it in the file too, or leave it out`,
      );
      return [];
    }
    const fields = fieldChanges({ stageTenant: before?.host ?? null }, { stageTenant: stage?.host ?? null });
    if (fields.length === 0) return [];
    const set = async ({ tx }: Doing) => {
      await changeTenant(tx, target.tenant.id, { stageTenantId: stage?.id ?? null });
      return target.tenant.host;
    };
    const { changed } = stepsFor(target, 'tenant', 'tenants:write');
    return [{ ...changed(target.tenant.host, at, fields, set), isForSystem: true }];
  });
}

/** The device flow comes to a tenant once it was tried on its stage (contract, "device flow enabled"). */
async function tellUntried(
  { tx, problem, force }: TenantPlanning,
  entries: readonly Entry[],
  all: readonly Tenant[],
): Promise<void> {
  for (const { file, target, stored } of entries) {
    const stage = stageOf(file, target, entries, all);
    if (stage === null || force) continue;
    for (const [index, { clientId, deviceFlow }] of (file.clients ?? []).entries()) {
      const wasOn = stored.clients.some((one) => one.clientId === clientId && one.deviceFlow);
      if (deviceFlow !== true || wasOn) continue;
      const tried = entries.find((entry) => entry.target.tenant.host === stage.host)?.file.clients;
      const inFile = tried?.find((one) => one.clientId === clientId);
      const known = await findRegisteredClient(tx, stage.id, clientId);
      const isOn = inFile?.deviceFlow ?? known?.deviceFlow ?? false;
      const isDisabled = inFile?.disabled ?? (known !== null && known.disabledAt !== null);
      if (isOn && !isDisabled) continue;
      const at: Path = [...target.at, 'clients', index, 'deviceFlow'];
      problem(
        at,
        `the device flow of this client is not on at the stage tenant ${stage.host}; force turns it on here`,
      );
    }
  }
}

/** The stage of a tenant as it is from now on. */
function stageOf(
  { stageTenant: named }: FileTenant,
  { tenant }: Target,
  entries: readonly Entry[],
  all: readonly Tenant[],
): Tenant | null {
  const tenants = [...entries.map(({ target }) => target.tenant), ...all];
  const isStage = ({ id, host, issuer }: Tenant) =>
    named === undefined ? id === tenant.stageTenantId : host === named || issuer === named;
  return named === null ? null : (tenants.find(isStage) ?? null);
}
