// Checks what a tenant sets for itself.
import { invoicingProblems } from '../access/invoicing.ts';
import { deletionCoolingOffMost, pendingDeviceCodesMost } from '../limits.ts';
import { brandingProblems } from '../members/branding.ts';
import { passwordLength, trustedBrowserDays } from '../members/limits.ts';
import { readOutboundUrl } from '../oidc/client/outbound-url.ts';
import { isHostName } from '../oidc/client/redirect-uri.ts';
import { isWebOrigin } from '../oidc/client/web-origin.ts';
import { type Problem, problem, within } from '../problem.ts';
import type { Tenant } from '../tenant.ts';

/**
 * Everything that is wrong with what a tenant sets for itself; empty if nothing is.
 *
 * @param languages the tags of all languages that there are
 */
export function tenantProblems(tenant: Tenant, languages: readonly string[]): readonly Problem[] {
  const { least, most } = passwordLength;
  const { deletionCoolingOff, pendingDeviceCodes, ...counts } = tenant.limits;
  return [
    ...brandingProblems(tenant, tenant.development),
    tenant.oldSystemUrl !== null &&
      readOutboundUrl(tenant.oldSystemUrl, tenant.development) === null &&
      problem('oldSystemUrl', 'not_callable', { value: tenant.oldSystemUrl }),
    ...within(['invoicing'], invoicingProblems(tenant.invoicing)),
    // Where checkouts may lead back to (decision 40).
    ...tenant.returnOrigins.map(
      (value, index) => !isWebOrigin(value) && problem(['returnOrigins', index], 'not_an_origin', { value }),
    ),
    ...tenant.clientMetadataHosts.map(
      (value, index) => !isHost(value) && problem(['clientMetadataHosts', index], 'not_a_host', { value }),
    ),
    ...tenant.languages.map(
      (tag, index) =>
        !languages.includes(tag) && problem(['languages', index], 'not_one_of', { allowed: languages }),
    ),
    !isWhole(tenant.passwordLength, least, most) &&
      problem('passwordLength', 'out_of_range', { least, most }),
    !isWhole(tenant.trustedBrowserDays, 0, trustedBrowserDays.most) &&
      problem('trustedBrowserDays', 'out_of_range', { least: 0, most: trustedBrowserDays.most }),
    !isWhole(deletionCoolingOff, 0, deletionCoolingOffMost) &&
      problem('deletionCoolingOffSeconds', 'out_of_range', {
        least: 0,
        most: deletionCoolingOffMost / 1_000,
      }),
    !isWhole(pendingDeviceCodes, 1, pendingDeviceCodesMost) &&
      problem(['limits', 'pendingDeviceCodes'], 'out_of_range', { least: 1, most: pendingDeviceCodesMost }),
    ...Object.entries(counts).map(
      ([name, count]) =>
        count !== null &&
        !isWhole(count, 1, Number.MAX_SAFE_INTEGER) &&
        problem(['limits', name], 'not_a_limit'),
    ),
  ].filter((found) => found !== false);
}

/** A host as `URL` writes it, with a port that is not 443. */
function isHost(text: string): boolean {
  const { host, hostname } = URL.canParse(`https://${text}/`)
    ? new URL(`https://${text}/`)
    : { host: '', hostname: '' };
  return host === text && isHostName(hostname);
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}
