import { deletionCoolingOffMost, pendingDeviceCodesMost } from '../limits.ts';
import { brandingProblems } from '../members/branding.ts';
import { passwordLength } from '../members/limits.ts';
import { isWebOrigin } from '../oidc/web-origin.ts';
import type { Tenant } from '../tenant.ts';

/**
 * Everything that is wrong with what a tenant sets for itself, in words for an operator; empty if nothing is.
 *
 * @param languages the tags of all languages that there are
 */
export function tenantProblems(tenant: Tenant, languages: readonly string[]): readonly string[] {
  const { least, most } = passwordLength;
  const { deletionCoolingOff, pendingDeviceCodes, ...counts } = tenant.limits;
  return [
    ...brandingProblems(tenant),
    ...returnOriginProblems(tenant.returnOrigins),
    ...tenant.languages
      .filter((tag) => !languages.includes(tag))
      .map((tag) => `${JSON.stringify(tag)} is not one of the languages ${languages.join(', ')}`),
    ...(isWhole(tenant.passwordLength, least, most) ? [] : [`the password length is ${least} to ${most}`]),
    ...(isWhole(deletionCoolingOff, 0, deletionCoolingOffMost)
      ? []
      : ['the cooling-off time of a deletion is at most 365 days']),
    ...(isWhole(pendingDeviceCodes, 1, pendingDeviceCodesMost)
      ? []
      : [`pendingDeviceCodes is 1 to ${pendingDeviceCodesMost}`]),
    ...Object.entries(counts)
      .filter(([, count]) => count !== null && !isWhole(count, 1, Number.MAX_SAFE_INTEGER))
      .map(([name]) => `${name} is a whole number from 1, or null for no limit`),
  ];
}

/** What is wrong with where checkouts may lead back to (decision 40). */
function returnOriginProblems(origins: readonly string[]): readonly string[] {
  return origins
    .filter((origin) => !isWebOrigin(origin))
    .map((origin) => `${JSON.stringify(origin)} is not an https origin such as https://www.example.com`);
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}
