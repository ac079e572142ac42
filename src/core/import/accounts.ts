/** Accounts of other providers in files: what each system calls a provider, and which account is meant. */
import type { IdentityProvider } from '../providers/identity-provider.ts';
import type { ImportedAccount } from './entry.ts';
import { besidesMost } from './limits.ts';
import { partOf } from './values.ts';

/** What systems call the providers that we have presets for. */
const called: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  'google-oauth2': 'google',
  'google.com': 'google',
  'apple.com': 'apple',
  'facebook.com': 'facebook',
  'microsoft.com': 'microsoft',
  windowslive: 'microsoft',
});

/** What is no account elsewhere: a password, or a number, of the very system. */
const ownWays = new Set(['auth0', 'password', 'phone', 'credential', 'email', 'sms']);

/**
 * Accounts in a list of a system's export; what names none is passed over.
 *
 * @param names what the system calls the provider, and the account there
 */
export function accountsIn(
  list: unknown,
  names: { readonly provider: string; readonly subject: string },
): readonly ImportedAccount[] {
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, besidesMost)
    .flatMap((one) => accountOf(partOf(one, names.provider), partOf(one, names.subject)));
}

/** An account by what the system calls its provider. */
export function accountOf(provider: unknown, subject: unknown): readonly ImportedAccount[] {
  const isNamed =
    typeof provider === 'string' && (typeof subject === 'string' || typeof subject === 'number');
  if (!isNamed || provider === '' || subject === '' || ownWays.has(provider)) return [];
  return [{ provider: called[provider] ?? provider, subject: String(subject) }];
}

/** A provider of the tenant that an account is at. */
export type FoundAccount = Pick<IdentityProvider, 'key'> &
  Pick<IdentityProvider, 'issuer'> & { readonly subject: string };

/**
 * Where an account of a file is here: at the provider with that key, or at the only one of that kind. Microsoft calls a person
 * something else in each app, and its issuer is that of a directory: an account there is known only where a file says both.
 *
 * @returns null where the tenant has no such provider
 */
export function foundAccount(
  { provider, issuer, subject }: ImportedAccount,
  providers: readonly Pick<IdentityProvider, 'key' | 'preset' | 'issuer'>[],
): FoundAccount | null {
  const ofKind = providers.filter(({ preset }) => preset === provider);
  const found =
    providers.find(({ key }) => key === provider) ?? (ofKind.length === 1 ? ofKind[0] : undefined);
  if (found === undefined || (found.preset === 'microsoft' && issuer === undefined)) return null;
  return { key: found.key, issuer: issuer ?? found.issuer, subject };
}
