/** What an app sees of a member in the member API (decision 41). */
import { type MemberScope, memberScopes, type Scope, scopeIncludes } from '../oidc/scope.ts';

/** Each part of a member that an app sees or does not see. */
export interface Sight extends Readonly<Record<MemberScope, boolean>> {
  /** Whether the member administers the tenant: the tenant's own business. */
  readonly role: boolean;
}

/**
 * What an app sees: a client of the tenant itself sees everything, as the contract says; a third party's client
 * sees what its member allowed, which is what the scope of its token names.
 */
export function sightOf(isFirstParty: boolean, scope: Scope): Sight {
  const seen = memberScopes.map((part) => [part, isFirstParty || scopeIncludes(scope, part)] as const);
  return { ...(Object.fromEntries(seen) as Record<MemberScope, boolean>), role: isFirstParty };
}
