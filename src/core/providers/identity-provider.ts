// Another provider whose accounts members may sign in with: what it is, and what an operator may say of it.
import { lineProblem } from '../members/details.ts';
import { brandNameLength } from '../members/limits.ts';
import { readOutboundUrl } from '../oidc/client/outbound-url.ts';
import { type Problem, problem } from '../problem.ts';
import { providerLimits as limits } from './limits.ts';

/** What is known of some providers beforehand; `oidc` is any other one. */
export const providerPresets = ['google', 'apple', 'microsoft', 'facebook', 'memberdoor', 'oidc'] as const;
export type ProviderPreset = (typeof providerPresets)[number];

/** What a preset fills in. */
interface Preset {
  readonly name: string;
  /** Its issuer; null where each has one of its own. */
  readonly issuer: string | null;
  /** Whether another issuer may be said: of a directory of one's own, for one. */
  readonly mayDiffer: boolean;
  readonly scopes: readonly string[];
}

/** Google, Apple, Microsoft and Facebook as their own documents describe them (docs/providers.md). */
const presets: Readonly<Record<ProviderPreset, Preset>> = {
  google: {
    name: 'Google',
    issuer: 'https://accounts.google.com',
    mayDiffer: false,
    scopes: ['openid', 'email', 'profile'],
  },
  apple: {
    name: 'Apple',
    issuer: 'https://appleid.apple.com',
    mayDiffer: false,
    scopes: ['openid', 'email', 'name'],
  },
  microsoft: {
    name: 'Microsoft',
    issuer: 'https://login.microsoftonline.com/common/v2.0',
    mayDiffer: true,
    scopes: ['openid', 'email', 'profile'],
  },
  facebook: {
    name: 'Facebook',
    issuer: 'https://www.facebook.com',
    mayDiffer: false,
    scopes: ['openid', 'email', 'public_profile'],
  },
  memberdoor: { name: '', issuer: null, mayDiffer: true, scopes: ['openid', 'email', 'profile'] },
  oidc: { name: '', issuer: null, mayDiffer: true, scopes: ['openid', 'email', 'profile'] },
};

export const presetOf = ({ preset }: Pick<IdentityProvider, 'preset'>): Preset => presets[preset];

/** A provider of a tenant. */
export interface IdentityProvider {
  readonly tenantId: string;
  /** What addresses and the audit call it. */
  readonly key: string;
  /** What members read on its button. */
  readonly name: string;
  readonly preset: ProviderPreset;
  readonly issuer: string;
  /** Empty until the provider has given one, as its issuer may be until it is known: then it is off. */
  readonly clientId: string;
  /** Of Apple alone: what its signed client secret names. */
  readonly teamId: string | null;
  readonly keyId: string | null;
  /** The client secret, or the private key that signs one (PEM): sealed; null where it has none. */
  readonly secret: Buffer | null;
  /** The beginning of its hash, which tells one from another. */
  readonly secretId: string | null;
  readonly scopes: readonly string[];
  /** Whether an address that it says it verified counts as proven here (decision 46). */
  readonly trustsVerifiedEmail: boolean;
  /** Whether the tokens that it gives are kept, sealed. */
  readonly keepTokens: boolean;
  /** Where its button stands among the others. */
  readonly position: number;
  /** From when on it is as if it were not there (ms). */
  readonly disabledAt: number | null;
}

/** Whether a text can be the key of a provider: it stands in addresses. */
const isProviderKey = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(text);

/** Whether an answer comes as a form of the provider's own page: Apple's does where more than `openid` is asked for. */
export const answersByForm = ({ preset }: Pick<IdentityProvider, 'preset'>): boolean => preset === 'apple';

/** Whether the client secret is signed anew for each call (Apple, "Creating a client secret"). */
export const signsSecret = ({ preset }: Pick<IdentityProvider, 'preset'>): boolean => preset === 'apple';

/** What an operator may say of a provider. */
export type ProviderFacts = Omit<IdentityProvider, 'tenantId' | 'secret' | 'secretId' | 'disabledAt'>;

/**
 * What is wrong with what is said of a provider; what is not said yet is what it lacks (`missingOf`).
 *
 * @param development whether it is of a development tenant, whose providers may be on one's own machine
 */
export function providerProblems(provider: ProviderFacts, development: boolean): readonly Problem[] {
  const { key, name, clientId, scopes, position } = provider;
  const found = [
    isProviderKey(key) ? null : problem('key', 'not_a_provider_key'),
    lineProblem('name', name, brandNameLength),
    issuerProblem(provider, development),
    clientId === '' || isPlain(clientId, limits.clientId)
      ? null
      : problem('clientId', 'not_a_foreign_client_id'),
    ...appleProblems(provider),
    scopes.length > limits.scopes ? problem('scopes', 'too_many', { most: limits.scopes }) : null,
    scopes.every((scope) => isPlain(scope, limits.scope)) ? null : problem('scopes', 'not_scopes'),
    scopes.includes('openid') ? null : problem('scopes', 'openid_needed'),
    Number.isInteger(position) && position >= 0 && position <= limits.last
      ? null
      : problem('position', 'out_of_range', { least: 0, most: limits.last }),
  ];
  return found.filter((one) => one !== null);
}

/** What a provider lacks to be on, as the fields that say it. */
export function missingOf(provider: ProviderFacts, hasSecret: boolean): readonly string[] {
  const isApple = signsSecret(provider);
  return [
    ...(provider.issuer === '' ? ['issuer'] : []),
    ...(provider.clientId === '' ? ['clientId'] : []),
    ...(isApple && provider.teamId === null ? ['teamId'] : []),
    ...(isApple && provider.keyId === null ? ['keyId'] : []),
    ...(isApple && !hasSecret ? ['secret'] : []),
  ];
}

const isPlain = (text: string, most: number) => text.length <= most && /^[\x21-\x7e]+$/.test(text);

function issuerProblem(
  { issuer, preset }: Pick<IdentityProvider, 'issuer' | 'preset'>,
  development: boolean,
): Problem | null {
  const { issuer: own, mayDiffer } = presets[preset];
  if (own !== null && !mayDiffer && !development && issuer !== own) {
    return problem('issuer', 'issuer_of_preset', { issuer: own });
  }
  if (issuer === '') return null;
  const url = issuer.length > limits.issuer ? null : readOutboundUrl(issuer, development);
  return url === null || url.search !== '' ? problem('issuer', 'not_a_foreign_issuer') : null;
}

function appleProblems({
  teamId,
  keyId,
  preset,
}: Pick<IdentityProvider, 'teamId' | 'keyId' | 'preset'>): readonly (Problem | null)[] {
  const code = signsSecret({ preset }) ? 'not_an_apple_id' : 'of_apple_alone';
  const isRight = (text: string | null) =>
    text === null || (signsSecret({ preset }) && /^[A-Z0-9]{10}$/.test(text));
  return [isRight(teamId) ? null : problem('teamId', code), isRight(keyId) ? null : problem('keyId', code)];
}
