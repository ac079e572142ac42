// What a member allowed to a third party's client.
import { type Resources, resourcesCover } from './request/resource.ts';
import { type Scope, scopeCovers } from './scope.ts';

/** A member's "allow" for a third party's client (decision 14). Times are ms since the epoch. */
export interface ScopeConsent {
  readonly tenantId: string;
  readonly memberId: string;
  readonly clientId: string;
  readonly scope: Scope;
  /** The APIs that it was allowed for. */
  readonly resources: Resources;
  readonly grantedAt: number;
}

export interface ScopeConsentWrite {
  readonly write: 'saveScopeConsent';
  readonly consent: ScopeConsent;
}

/** Whether an earlier consent covers this request; `since` demands one given in this very flow. */
export function consentCovers(
  consent: ScopeConsent | null,
  scope: Scope,
  since: number,
  resources: Resources = '',
): boolean {
  if (consent === null || consent.grantedAt < since) return false;
  return scopeCovers(consent.scope, scope) && resourcesCover(consent.resources, resources);
}
