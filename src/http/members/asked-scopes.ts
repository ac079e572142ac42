// What a third party's client asks for, as its member reads it.
import type { Api } from '../../core/oidc/api.ts';
import type { Scope } from '../../core/oidc/scope.ts';
import type { Language } from '../../text/language.ts';

/** The drawings beside the lines (`parts/icon.eta`). */
const drawings: Readonly<Record<string, string>> = {
  address: 'home',
  email: 'mail',
  offline_access: 'clock',
  phone: 'phone',
  profile: 'person',
  subscriptions: 'card',
};

/** A line for each scope: in our words, or in those of its API (decision 14; interop 54). What lasts comes last. */
export function askedScopes(language: Language, scope: Scope, apis: readonly Api[]) {
  const last = (one: string) => Number(one === 'offline_access');
  return scope
    .split(' ')
    .toSorted((a, b) => last(a) - last(b))
    .map((one) => {
      const own = apis.find(({ scopes }) => Object.hasOwn(scopes, one))?.scopes[one];
      const text = own ?? language.t(`consent.scope.${one}`);
      const drawing = own === undefined ? (drawings[one] ?? 'check') : 'check';
      return { text, drawing };
    });
}
