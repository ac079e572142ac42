// Checks the tenants in a tenant file.
import { tenantDefaults, tenantLimits } from '../../../core/limits.ts';
import { neutralBranding } from '../../../core/members/branding.ts';
import { logoLength } from '../../../core/members/limits.ts';
import { tenantProblems } from '../../../core/operators/tenant-problems.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { readIssuer, type Tenant } from '../../../core/tenant.ts';
import { languages } from '../../../text/language.ts';
import { changedTenant } from '../../tenant/tenant.ts';
import type { FileTenant } from '../tenant-file.ts';
import { checkAccess } from './access.ts';
import { type Checking, entriesAt, soundPart, tellProblems, tellTwice } from './checking.ts';
import { checkClients, checkLogo } from './clients.ts';
import { checkMembers } from './members.ts';

/** The tenant with what every tenant has that says nothing of itself. */
export const plainTenant: Tenant = {
  ...neutralBranding,
  ...tenantDefaults,
  id: '',
  issuer: '',
  host: '',
  development: false,
  limits: tenantLimits,
  returnOrigins: [],
};

/** Says everything that is wrong with a tenant file beyond its shape, as far as the file alone shows it. */
export function checkTenants(checking: Checking, value: unknown): void {
  const { tenants } = (value ?? {}) as { readonly tenants?: unknown };
  const entries = entriesAt(['tenants'], tenants).map(({ at, value: entry }) => {
    const tenant = soundPart<FileTenant>(checking, at, entry);
    const isDevelopment = tenant.development === true;
    const host = checkAddress(checking, at, tenant);
    checkSettings(checking, at, tenant);
    checkLogo(checking, at, tenant, logoLength.tenant);
    const sections = (entry ?? {}) as Readonly<Partial<Record<keyof FileTenant, unknown>>>;
    const named = checkAccess(checking, at, sections);
    checkClients(checking, [...at, 'clients'], sections.clients, isDevelopment);
    checkMembers(checking, [...at, 'members'], sections.members, named, isDevelopment);
    return { at, name: host };
  });
  tellTwice(checking, entries, 'tenant');
}

/** @returns the host; undefined if there is none to know */
function checkAddress(checking: Checking, at: Path, tenant: Partial<FileTenant>): string | undefined {
  const { issuer, development, stageTenant } = tenant;
  if (issuer === undefined) return undefined;
  const address = readIssuer(issuer);
  if (address === null) {
    checking.tell(problem([...at, 'issuer'], 'not_an_issuer'));
    return undefined;
  }
  if (development === true && !address.issuer.startsWith('http:')) {
    checking.tell(problem([...at, 'development'], 'not_development'));
  }
  if (stageTenant === address.host || stageTenant === address.issuer) {
    checking.tell(problem([...at, 'stageTenant'], 'own_stage'));
  }
  return address.host;
}

function checkSettings(checking: Checking, at: Path, tenant: Partial<FileTenant>): void {
  const { name, brandColor, logo, languages: tags, passwordLength, returnOrigins } = tenant;
  const settings = { name, brandColor, logo, languages: tags, passwordLength, returnOrigins };
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  // Counts that the schema lets through are too many at most.
  const changed = changedTenant({ ...plainTenant, ...given }, { limits: tenant.limits ?? {} });
  tellProblems(checking, at, tenantProblems(changed, languages));
}
