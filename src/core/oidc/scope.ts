/** Scope values joined by single spaces, each once, in the order of `knownScopes`. */
export type Scope = string;

/** The scopes that each name a part of what is known of the member (Core §5.4; decision 41). */
export const memberScopes = ['profile', 'email', 'phone', 'address', 'subscriptions'] as const;
export type MemberScope = (typeof memberScopes)[number];

/** The scopes we know (decisions 10 and 41); unknown ones are dropped. */
export const knownScopes = ['openid', 'offline_access', ...memberScopes] as const;
export type KnownScope = (typeof knownScopes)[number];

/** Reads a requested scope: known values only, in our order, so that equal scopes are equal strings. */
export function readScope(requested: string): Scope {
  const values = new Set(requested.split(' '));
  return knownScopes.filter((scope) => values.has(scope)).join(' ');
}

export function scopeIncludes(scope: Scope, wanted: KnownScope): boolean {
  return scope.split(' ').includes(wanted);
}

/** Whether every value of `narrower` is in `wider` (RFC 6749 §6: a refresh may not widen). */
export function scopeCovers(wider: Scope, narrower: Scope): boolean {
  const values = new Set(wider.split(' '));
  return narrower.split(' ').every((scope) => scope === '' || values.has(scope));
}
