// The operations on the providers whose accounts members sign in with.
import { mayGrant } from '../../../core/operators/permission.ts';
import type { IdentityProvider } from '../../../core/providers/identity-provider.ts';
import { listProviders } from '../../../storage/providers/identity-provider.ts';
import { countLinkedAccounts } from '../../../storage/providers/linked-account.ts';
import * as s from '../../json-schema.ts';
import {
  changeProvider,
  registerProvider,
  removeProvider,
  switchProvider,
} from '../../providers/identity-provider.ts';
import { denied, unknown } from '../../refusal.ts';
import type { OpenTenant } from '../../tenant/open-tenants.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { isNotYet, isSince, type Thing } from '../portal-face.ts';
import {
  presetField,
  providerAnswer,
  providerFields,
  providerKeyField,
  providerSchema,
  providerSecretField,
  withoutEmpty,
} from './provider.ts';

const fields = { key: providerKeyField };
const ofProvider = { page: 'identityProviders.read', reads: 'identityProviders.read' } as const;

const listed = onTenant(
  keyedList({
    name: 'identityProviders.list',
    summary: 'List the providers whose accounts members sign in with',
    permission: 'providers:read',
    route: 'GET /identity-providers',
    title: 'Other accounts',
    lead: 'Providers whose accounts members sign in with: “Continue with Google” and the like.',
    columns: ['name', 'key', 'preset', 'trustsVerifiedEmail', 'disabledAt'],
    entry: { field: 'key', key: 'key' },
    bulk: ['identityProviders.disable', 'identityProviders.enable'],
    opens: 'identityProviders.read',
    of: 'identityProviders',
    page: 'A page of providers, by key',
    schema: providerSchema,
    read: async ({ tx, tenant }, page) =>
      (await listProviders(tx, tenant.id, page)).map((one) => providerAnswer(one, tenant)),
  }),
);

/** What a provider of this preset never has. */
const notOfPreset = ({ preset }: Thing) => (preset === 'apple' ? [] : ['teamId', 'keyId']);

const read = onTenant({
  name: 'identityProviders.read',
  summary: 'Show a provider, and how many members have linked an account there',
  portal: { without: notOfPreset },
  permission: 'providers:read',
  route: 'GET /identity-providers/{key}',
  fields,
  output: s.extended(providerSchema, 'IdentityProviderDetails', 'A provider', {
    linkedAccounts: s.wholeNumber('How many accounts there are linked to members', 3),
  }),
  run: async ({ tx, tenant }, { key }) => {
    const [provider] = await listProviders(tx, tenant.id, { only: key });
    if (provider === undefined) throw unknown('provider');
    const linkedAccounts = await countLinkedAccounts(tx, { tenantId: tenant.id, provider: key });
    return { ...providerAnswer(provider, tenant), linkedAccounts };
  },
});

const created = onTenant({
  name: 'identityProviders.create',
  summary: 'Register a provider; it is off until it has all that it needs',
  portal: {
    page: 'identityProviders.list',
    lands: 'identityProviders.read',
    cards: 'preset',
    groups: [
      { name: 'what', fields: ['preset'] },
      { name: 'rest', fields: ['key', 'name'], isFolded: true },
    ],
  },
  permission: 'providers:write',
  route: 'POST /identity-providers',
  fields: { preset: presetField },
  optional: {
    key: providerKeyField,
    ...providerFields,
    secret: providerSecretField,
    disabled: s.flag('Whether it is off'),
  },
  output: providerSchema,
  made: 'key',
  run: async (context, given) => {
    const { tx, tenant, vault, now } = context;
    const provider = await registerProvider(tx, tenant.id, withoutEmpty(given), { vault, now });
    return trustedAnswer(provider, context);
  },
});

/** Facts that a preset knows are not asked for. */
const notForPreset = ({ preset }: Thing) => [
  ...notOfPreset({ preset }),
  ...(['google', 'apple', 'facebook'].includes(String(preset)) ? ['issuer'] : []),
];

const changed = onTenant({
  name: 'identityProviders.change',
  summary: 'Change a provider; its key and its preset stay, and so do the links of members',
  portal: {
    ...ofProvider,
    groups: [
      { name: 'basics', fields: ['issuer', 'clientId', 'teamId', 'keyId', 'secret', 'trustsVerifiedEmail'] },
      { name: 'more', fields: ['name', 'position', 'scopes', 'keepTokens'], isFolded: true },
    ],
    without: notForPreset,
  },
  permission: 'providers:write',
  route: 'PATCH /identity-providers/{key}',
  fields,
  optional: { ...providerFields, secret: providerSecretField },
  output: providerSchema,
  run: async (context, { key, ...given }) => {
    const { tx, tenant, vault, now } = context;
    const provider = await changeProvider(tx, tenant.id, key, withoutEmpty(given), { vault, now });
    return trustedAnswer(provider, context);
  },
});

const disabled = onTenant({
  name: 'identityProviders.disable',
  summary: 'Turn a provider off: it is as if it were not there, and the links of members stay',
  portal: {
    ...ofProvider,
    ends: 'forNow',
    undo: { by: 'identityProviders.enable' },
    fits: isNotYet('disabledAt'),
  },
  permission: 'providers:write',
  route: 'POST /identity-providers/{key}/disable',
  fields,
  output: providerSchema,
  run: async ({ tx, tenant, now }, { key }) =>
    foundAnswer(await switchProvider(tx, tenant.id, key, now), tenant),
});

const enabled = onTenant({
  name: 'identityProviders.enable',
  summary: 'Turn a provider on',
  portal: {
    ...ofProvider,
    atOnce: true,
    undo: { by: 'identityProviders.disable' },
    fits: isSince('disabledAt'),
  },
  permission: 'providers:write',
  route: 'POST /identity-providers/{key}/enable',
  fields,
  output: providerSchema,
  run: async ({ tx, tenant }, { key }) => foundAnswer(await switchProvider(tx, tenant.id, key, null), tenant),
});

const deleted = onTenant({
  name: 'identityProviders.delete',
  summary:
    'Delete a provider and every link to an account there: who has no other way in asks for a password by mail',
  portal: {
    ...ofProvider,
    page: 'identityProviders.list',
    ends: 'forGood',
    endsWith: ({ linkedAccounts }) => ({ linkedAccounts: Number(linkedAccounts) }),
  },
  permission: 'providers:write',
  route: 'DELETE /identity-providers/{key}',
  fields,
  output: s.exactly('What was deleted', fields),
  run: async ({ tx, tenant }, { key }) => {
    if (!(await removeProvider(tx, tenant.id, key))) throw unknown('provider');
    return { key };
  },
});

/**
 * Holds an actor to what they have where a provider is trusted with addresses: an actor who says which one that is can sign in as
 * each member, as who changes members can.
 *
 * @throws OperationRefused
 */
function trustedAnswer(
  provider: IdentityProvider | null,
  { tenant, actor, isTrial }: Pick<OnTenant<OperationContext>, 'tenant' | 'actor' | 'isTrial'>,
): object {
  if (provider?.trustsVerifiedEmail === true && !isTrial && !mayGrant(actor, ['members:write'])) {
    throw denied('trustsVerifiedEmail', 'permission_needed', { permission: 'members:write' });
  }
  return foundAnswer(provider, tenant);
}

/** @throws OperationRefused if there is none */
function foundAnswer(provider: IdentityProvider | null, tenant: OpenTenant): object {
  if (provider === null) throw unknown('provider');
  return providerAnswer(provider, tenant);
}

export const providerOperations: readonly Operation[] = [
  listed,
  read,
  created,
  changed,
  disabled,
  enabled,
  deleted,
];
