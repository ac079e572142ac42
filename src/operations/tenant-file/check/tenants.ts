// Checks the tenants in a tenant file.
import { tenantPictures } from '../../../core/members/picture.ts';
import { tenantProblems } from '../../../core/operators/tenant-problems.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { readIssuer } from '../../../core/tenant.ts';
import { languages } from '../../../text/language.ts';
import { newTenantOf } from '../../admin/tenants/new-tenant.ts';
import type { FileTenant } from '../tenant-file.ts';
import { checkAccess } from './access.ts';
import { type Checking, entriesAt, tellTwice } from './checking.ts';
import { checkApis, checkClients, checkPicture } from './clients.ts';
import { checkMembers } from './members.ts';
import { checkProviders } from './providers.ts';

/** Says everything that is wrong with a tenant file beyond its shape, as far as the file alone shows it. */
export function checkTenants(checking: Checking): void {
  const entries = entriesAt<FileTenant>(checking, ['tenants']);
  for (const { at, entry } of entries ?? []) {
    const isDevelopment = entry.development === true;
    checkAddress(checking, at, entry);
    checkSettings(checking, at, entry);
    for (const kind of tenantPictures) checkPicture(checking, at, entry, kind, kind);
    const named = checkAccess(checking, at, isDevelopment);
    const apis = checkApis(checking, [...at, 'apis'], isDevelopment);
    checkProviders(checking, [...at, 'identityProviders'], isDevelopment);
    checkClients(checking, [...at, 'clients'], isDevelopment, apis);
    checkMembers(checking, [...at, 'members'], named, isDevelopment);
  }
  tellTwice(checking, 'tenant', entries, ({ issuer = '' }) => readIssuer(issuer)?.host);
}

function checkAddress(checking: Checking, at: Path, tenant: Partial<FileTenant>): void {
  const { issuer, development, stageTenant } = tenant;
  if (issuer === undefined) return;
  const address = readIssuer(issuer);
  if (address === null) {
    checking.tell(at, problem('issuer', 'not_an_issuer'));
    return;
  }
  if (development === true && !address.issuer.startsWith('http:')) {
    checking.tell(at, problem('development', 'not_development'));
  }
  if (development !== true && checking.isDevelopment) checking.tell(at, problem([], 'development_alone'));
  if (stageTenant === address.host || stageTenant === address.issuer) {
    checking.tell(at, problem('stageTenant', 'own_stage'));
  }
}

function checkSettings(checking: Checking, at: Path, tenant: Partial<FileTenant>): void {
  const settings = newTenantOf({ issuer: '', name: 'tenant', ...tenant }, '', 0);
  checking.tell(at, ...tenantProblems(settings, languages));
}
