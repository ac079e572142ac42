// Registers, changes and deletes the other providers of a tenant.
import { sha256 } from '../../core/hash.ts';
import { type Problem, problem } from '../../core/problem.ts';
import {
  type IdentityProvider,
  missingOf,
  type ProviderFacts,
  presetOf,
  providerProblems,
  signsSecret,
} from '../../core/providers/identity-provider.ts';
import { providerLimits } from '../../core/providers/limits.ts';
import { readSecretKey } from '../../secrets/signed-secret.ts';
import type { Vault } from '../../secrets/vault.ts';
import {
  deleteProvider,
  insertProvider,
  listProviders,
  updateProvider,
} from '../../storage/providers/identity-provider.ts';
import type { Tx } from '../../storage/store.ts';
import { isDevelopment } from '../client/client.ts';
import { conflict, OperationRefused, refuseIfAny } from '../refusal.ts';

/** A provider as an operator registers it; what is left out follows from the preset. */
export type ProviderRegistration = Pick<ProviderFacts, 'preset'> &
  Partial<ProviderFacts> & {
    /** In clear; it is kept sealed. */
    readonly secret?: string;
    /** Whether it is to be off; it is anyway while it lacks something. */
    readonly disabled?: boolean;
  };

/** What can be changed of a provider; what is left out stays. */
export type ProviderChanges = Partial<Omit<ProviderFacts, 'key' | 'preset'>> &
  Pick<ProviderRegistration, 'secret'>;

/** What seals secrets, and when. */
interface Sealing {
  readonly vault: Pick<Vault, 'encrypt'>;
  readonly now: number;
}

/** What follows from a preset. */
export function providerDefaults(
  preset: IdentityProvider['preset'],
): Omit<ProviderFacts, 'key' | 'position'> {
  const { name, issuer, scopes } = presetOf({ preset });
  return {
    name,
    preset,
    issuer: issuer ?? '',
    clientId: '',
    teamId: null,
    keyId: null,
    scopes,
    trustsVerifiedEmail: false,
    keepTokens: false,
  };
}

/** Registers a provider of a tenant. @throws OperationRefused with every problem at once */
export async function registerProvider(
  tx: Tx,
  tenantId: string,
  { secret, disabled = false, ...given }: ProviderRegistration,
  deps: Sealing,
): Promise<IdentityProvider> {
  const others = await listProviders(tx, tenantId);
  const key = given.key ?? given.preset;
  if (others.some((one) => one.key === key)) throw conflict('key', 'provider_exists', { key });
  const most = providerLimits.ofTenant;
  if (others.length >= most) throw conflict([], 'too_many_providers', { most });
  const position = Math.max(0, ...others.map((one) => one.position + 1));
  const { name, ...defaults } = providerDefaults(given.preset);
  const facts = { ...defaults, name: name || key, position, ...given, key };
  refuseIfAny([
    ...providerProblems(facts, await isDevelopment(tx, tenantId)),
    ...secretProblems(facts, secret),
  ]);
  const isOff = disabled || missingOf(facts, secret !== undefined).length > 0;
  const sealed = sealedSecret(tenantId, secret, deps) ?? { secret: null, secretId: null };
  const provider = { ...facts, tenantId, ...sealed, disabledAt: isOff ? deps.now : null };
  await insertProvider(tx, provider);
  return provider;
}

/**
 * Changes a provider. Links to accounts there are of its issuer: where that becomes another one, they are good for
 * nothing until it is as it was.
 *
 * @returns the provider as it is now, or null if there is none
 * @throws OperationRefused with every problem at once
 */
export async function changeProvider(
  tx: Tx,
  tenantId: string,
  key: string,
  { secret, ...changes }: ProviderChanges,
  deps: Sealing,
): Promise<IdentityProvider | null> {
  const [before] = await listProviders(tx, tenantId, { only: key });
  if (before === undefined) return null;
  const provider = { ...before, ...changes, ...sealedSecret(tenantId, secret, deps) };
  refuseIfAny([
    ...providerProblems(provider, await isDevelopment(tx, tenantId)),
    ...secretProblems(provider, secret),
    ...(provider.disabledAt === null ? lacking(provider) : []),
  ]);
  await updateProvider(tx, provider);
  return provider;
}

/**
 * Turns a provider off or on again: while it is off it is as if it were not there, and the links to accounts there stay.
 *
 * @param disabledAt ms; null to turn it on
 * @returns the provider as it is now, or null if there is none
 * @throws OperationRefused if it lacks something
 */
export async function switchProvider(
  tx: Tx,
  tenantId: string,
  key: string,
  disabledAt: number | null,
): Promise<IdentityProvider | null> {
  const [before] = await listProviders(tx, tenantId, { only: key });
  if (before === undefined) return null;
  if ((before.disabledAt === null) === (disabledAt === null)) return before;
  const problems = disabledAt === null ? lacking(before) : [];
  if (problems.length > 0) throw new OperationRefused('conflict', problems);
  const changed = { ...before, disabledAt };
  await updateProvider(tx, changed);
  return changed;
}

/** Deletes a provider, and the links to accounts there. @returns whether the tenant had it */
export async function removeProvider(tx: Tx, tenantId: string, key: string): Promise<boolean> {
  const [provider] = await listProviders(tx, tenantId, { only: key });
  if (provider === undefined) return false;
  await deleteProvider(tx, provider);
  return true;
}

const lacking = (provider: IdentityProvider): readonly Problem[] =>
  missingOf(provider, provider.secret !== null).map((field) => problem(field, 'provider_lacks'));

/** What is wrong with a secret in clear. */
function secretProblems(
  provider: Pick<ProviderFacts, 'preset'>,
  secret: string | undefined,
): readonly Problem[] {
  if (secret === undefined) return [];
  const { secret: most } = providerLimits;
  if (secret === '') return [problem('secret', 'empty')];
  if (secret.length > most) return [problem('secret', 'too_long', { most })];
  const isWrong = signsSecret(provider) && readSecretKey(secret) === null;
  return isWrong ? [problem('secret', 'not_an_apple_key')] : [];
}

/** A mark that tells one secret from another without telling the secret. */
export const secretIdOf = (secret: string): string => sha256(secret).slice(0, 8);

const sealedSecret = (tenantId: string, secret: string | undefined, { vault }: Sealing) =>
  secret === undefined
    ? undefined
    : { secret: vault.encrypt(Buffer.from(secret), tenantId), secretId: secretIdOf(secret) };
