/** Scope values joined by single spaces, each once, in the order of `knownScopes`; those of APIs behind them. */
export type Scope = string;

/** The scopes that each name a part of what is known of the member (Core §5.4; decision 41). */
export const memberScopes = ['profile', 'email', 'phone', 'address', 'subscriptions'] as const;
type MemberScope = (typeof memberScopes)[number];

/** The scopes we know (decisions 10 and 41); unknown ones are dropped. */
export const knownScopes = ['openid', 'offline_access', ...memberScopes] as const;
type KnownScope = (typeof knownScopes)[number];

/**
 * Reads a requested scope: known values only, in our order, so that equal scopes are equal strings.
 *
 * @param more the scopes of the APIs that the request names; they come last
 */
export function readScope(requested: string, more: readonly string[] = []): Scope {
  const values = new Set(requested.split(' '));
  return [...knownScopes, ...more].filter((scope) => values.has(scope)).join(' ');
}

/** The part of a scope that is asked for, in its order. */
export const narrowScope = (scope: Scope, asked: string): Scope => partOf(scope, new Set(asked.split(' ')));

/** The values of a scope that are among others, in its order. */
export function partOf(scope: Scope, values: ReadonlySet<string>): Scope {
  return scope
    .split(' ')
    .filter((one) => values.has(one))
    .join(' ');
}

export function scopeIncludes(scope: Scope, wanted: KnownScope): boolean {
  return scope.split(' ').includes(wanted);
}

/** Whether every value of `narrower` is in `wider` (RFC 6749 §6: a refresh may not widen). */
export function scopeCovers(wider: Scope, narrower: Scope): boolean {
  const values = new Set(wider.split(' '));
  return narrower.split(' ').every((scope) => scope === '' || values.has(scope));
}

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
