// Plans the providers of a tenant, whose accounts members sign in with.
import { problem } from '../../../core/problem.ts';
import { secretIdOf } from '../../providers/identity-provider.ts';
import { describeProvider } from '../export.ts';
import type { FileProvider } from '../tenant-file.ts';
import { call, type Kind, type Planning } from './entry.ts';

export const providersOf = ({ tell }: Pick<Planning, 'tell'>): Kind<'identityProviders'> => ({
  noun: 'provider',
  section: 'identityProviders',
  by: 'key',
  describe: describeProvider,
  factsOf: (given) => ({ ...settingsOf(given), preset: given.preset, disabled: given.disabled }),
  moreFields: ({ clientSecret }, { secretId }) => {
    const given = clientSecret === undefined ? secretId : secretIdOf(clientSecret);
    return given === secretId || given === null ? [] : [{ field: 'secret', from: secretId, to: given }];
  },
  add: (given) => {
    // Of one that has a secret, which the file does not hold, there is none to sign in by.
    const isBare = given.clientSecret === undefined && typeof given.secretId === 'string';
    const disabled = given.disabled === true || isBare;
    return [
      call('identityProviders.create', {
        ...settingsOf(given),
        ...secretOf(given),
        preset: given.preset,
        disabled,
      }),
    ];
  },
  change: (given, known, at, fields) => {
    if (given.preset !== known.preset) {
      tell(problem([...at, 'preset'], 'preset_fixed', { preset: known.preset }));
      return [];
    }
    const { key, disabled = false } = given;
    const isSwitched = fields.some(({ field }) => field === 'disabled');
    const isChanged = fields.some(({ field }) => field !== 'disabled');
    return [
      ...(isChanged ? [call('identityProviders.change', { ...settingsOf(given), ...secretOf(given) })] : []),
      ...(isSwitched
        ? [call(disabled ? 'identityProviders.disable' : 'identityProviders.enable', { key })]
        : []),
    ];
  },
  end: {
    note: 'disabled',
    calls: ({ key }) => [call('identityProviders.disable', { key })],
    isOver: ({ disabledAt }) => disabledAt !== null,
  },
});

const secretOf = ({ clientSecret: secret }: FileProvider) => (secret === undefined ? {} : { secret });

/** What a file says of a provider that the operation which changes it takes. */
function settingsOf(provider: FileProvider) {
  const { preset: _preset, disabled: _disabled, secretId: _id, ...rest } = provider;
  const { clientSecret: _secret, clientSecretFile: _file, clientSecretEnv: _env, ...settings } = rest;
  return settings;
}
