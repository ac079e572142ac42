// How operations take and answer a provider.
import { isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { brandNameLength } from '../../../core/members/limits.ts';
import { type IdentityProvider, providerPresets } from '../../../core/providers/identity-provider.ts';
import { providerLimits as limits } from '../../../core/providers/limits.ts';
import * as s from '../../json-schema.ts';
import type { OpenTenant } from '../../tenant/open-tenants.ts';

export const providerKeyField = s.named(
  'ProviderKey',
  s.held(s.text('What addresses and the audit call it: small letters, digits and hyphens', 'google'), {
    pattern: '^[a-z0-9-]{1,32}$',
  }),
);

export const presetField = s.oneOf(
  'ProviderPreset',
  'Whose accounts they are: what is left out follows from it',
  providerPresets,
);

/** What can be said of a provider when it is registered, and later. */
export const providerFields = {
  name: s.held(s.text('What members read on its button', 'Google'), s.nameRule(brandNameLength)),
  clientId: s.held(
    s.text(
      'The client ID that the provider gave; of Apple the Services ID',
      '1234.apps.googleusercontent.com',
    ),
    s.lineRule(limits.clientId),
  ),
  issuer: s.held(
    s.text('Its address, as it calls itself; of Microsoft that of a directory', 'https://login.example.net'),
    s.lineRule(limits.issuer),
  ),
  teamId: s.textOrNull('Of Apple: the Team ID', null),
  keyId: s.textOrNull('Of Apple: the Key ID of the private key', null),
  trustsVerifiedEmail: s.flag('Whether an address that it says it verified counts as proven here'),
  scopes: s.texts('What it is asked for', 'openid', 'email', 'profile'),
  keepTokens: s.flag('Whether the tokens that it gives are kept, sealed'),
  position: s.numberFrom(0, limits.last, 'Where its button stands: the lowest comes first', 0),
};

export const providerSecretField = s.asSecret(
  s.text(
    'The client secret that the provider gave; of Apple the private key, as its .p8 file has it',
    'cHJvYmFibHktbm90LWEtcmVhbC1zZWNyZXQtYXQtYWxs',
  ),
);

/** The fields of a provider that every face shows; its secret by its id alone (A18). */
export const providerSchema = s.resource(
  'IdentityProvider',
  'A provider whose accounts members sign in with',
  {
    key: providerKeyField,
    preset: presetField,
    redirectUri: s.text(
      'The redirect URI that the provider asks for',
      'https://login.example.com/sign-in/from/google',
    ),
    ...providerFields,
    secretId: s.textOrNull('The id of its secret; null without one', null),
    disabledAt: s.timeOrNull('From when on it is as if it were not there', null),
  },
);

/** Where a provider sends members back to. */
export const redirectUriOf = ({ issuer }: Pick<OpenTenant, 'issuer'>, key: string): string =>
  `${issuer}/sign-in/from/${key}`;

export function providerAnswer(provider: IdentityProvider, tenant: Pick<OpenTenant, 'issuer'>) {
  return s.pick(providerSchema, {
    ...provider,
    redirectUri: redirectUriOf(tenant, provider.key),
    disabledAt: isoTimeOrNull(provider.disabledAt),
  });
}

/** What an input says of a provider, where an empty text says nothing. */
export function withoutEmpty<
  Input extends { readonly teamId?: string | null; readonly keyId?: string | null },
>({ teamId, keyId, ...same }: Input) {
  return {
    ...same,
    ...(teamId === undefined ? {} : { teamId: teamId?.trim() || null }),
    ...(keyId === undefined ? {} : { keyId: keyId?.trim() || null }),
  };
}
