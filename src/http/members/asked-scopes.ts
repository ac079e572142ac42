// What a third party's client asks for, as its member reads it.
import type { Api } from '../../core/oidc/api.ts';
import type { Scope } from '../../core/oidc/scope.ts';
import type { Language } from '../../text/language.ts';

/** A line for each scope: in our words, or in those of its API (decision 14; interop 54). What lasts comes last. */
export function askedScopes(language: Language, scope: Scope, apis: readonly Api[]): readonly string[] {
  const last = (one: string) => Number(one === 'offline_access');
  return scope
    .split(' ')
    .toSorted((a, b) => last(a) - last(b))
    .map(
      (one) =>
        apis.find(({ scopes }) => Object.hasOwn(scopes, one))?.scopes[one] ??
        language.t(`consent.scope.${one}`),
    );
}
