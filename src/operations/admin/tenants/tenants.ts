// The operations on tenants.

import { pictureBodyBytes } from '../../../core/limits.ts';
import { tenantPictures } from '../../../core/members/picture.ts';
import { hasAllTenants } from '../../../core/operators/permission.ts';
import * as s from '../../json-schema.ts';
import { invalid, unknown } from '../../refusal.ts';
import type { OpenTenant } from '../../tenant/open-tenants.ts';
import { changeTenant, type TenantChanges } from '../../tenant/tenant.ts';
import { forceField, onService, onTenant, textOrNone } from '../define.ts';
import { limitField, pageOf } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { type FieldGroup, isNotYet, isSince } from '../portal-face.ts';
import { tenantCreated } from './new-tenant.ts';
import { nameField, tenantAnswer, tenantFields, tenantSchema } from './tenant.ts';
import { changesOf, demandMembers } from './tenant-changes.ts';

const ofTenant = { page: 'tenants.read', reads: 'tenants.read' } as const;

/** The settings of a tenant as people look for them, each on a page of its own. */
const tenantGroups: readonly FieldGroup[] = [
  {
    name: 'look',
    fields: ['name', 'brandColor', 'corners', 'font', ...tenantPictures, 'coverText', 'languages'],
    isPage: true,
  },
  { name: 'links', fields: ['supportAddress', 'termsUrl', 'privacyUrl'], isPage: true },
  {
    name: 'signIn',
    fields: [
      'secondFactor',
      'adminSecondFactor',
      'trustedBrowserDays',
      'deviceFactor',
      'passwordLength',
      'passkeys',
      'emailCodes',
      'deletionCoolingOffSeconds',
    ],
    isPage: true,
  },
  { name: 'movingIn', fields: ['oldSystemUrl'], isPage: true },
  { name: 'checkout', fields: ['returnOrigins', 'invoicing'], isPage: true },
  {
    name: 'registration',
    fields: [
      'clientRegistration',
      'clientMetadataDocuments',
      'clientMetadataHosts',
      'unverifiedOfflineAccess',
      'revocationListed',
    ],
    isFolded: true,
    isPage: true,
  },
  { name: 'limits', fields: ['limits'], isFolded: true, isPage: true },
];

const listed = onService({
  name: 'tenants.list',
  summary: 'List the tenants',
  portal: {
    list: {
      title: 'Tenants',
      columns: ['name', 'host', 'stageTenant', 'disabledAt'],
      lead: 'Each tenant is an issuer on a domain of its own, with members and clients of its own.',
      entry: { field: 'tenant', key: 'host' },
      opens: 'tenants.read',
    },
  },
  permission: 'tenants:read',
  reach: 'tenant',
  route: 'GET /tenants',
  optional: {
    search: { ...s.text('A part of the name or of the host', 'acme'), maxLength: 200 },
    after: s.text('The id of the last tenant of the page before', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a01'),
    limit: limitField,
  },
  output: s.exactly('A page of the tenants that the caller has, by name', {
    tenants: s.list('Tenants', tenantSchema),
    next: s.textOrNull('What the next page takes as `after`; null on the last one', null),
  }),
  run: async ({ actor, tenants }, { search = '', after, limit }) => {
    const own = (id: string) => hasAllTenants(actor) || ('tenantId' in actor && actor.tenantId === id);
    const all = tenants.all();
    const sought = search.trim().toLowerCase();
    const isFound = ({ name, host }: OpenTenant) =>
      name.toLowerCase().includes(sought) || host.includes(sought);
    const behind = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const { page, last } = pageOf(
      all.slice(behind).filter((one) => own(one.id) && isFound(one)),
      limit,
    );
    return { tenants: page.map((tenant) => tenantAnswer(tenant, all)), next: last?.id ?? null };
  },
});

const read = onTenant({
  name: 'tenants.read',
  summary: 'Show a tenant',
  permission: 'tenants:read',
  route: 'GET',
  output: tenantSchema,
  run: async ({ tenant, tenants }) => tenantAnswer(tenant, tenants.all()),
});

const changed = onTenant({
  name: 'tenants.change',
  summary: 'Change what a tenant sets for itself',
  portal: { ...ofTenant, groups: tenantGroups },
  permission: 'tenants:write',
  route: 'PATCH',
  optional: { name: nameField, ...tenantFields },
  bodyBytes: pictureBodyBytes,
  output: tenantSchema,
  run: ({ tenant, ...context }, input) => {
    demandMembers(context, input.oldSystemUrl, tenant.oldSystemUrl);
    return change(context, tenant.id, changesOf(input));
  },
});

const stageSet = onTenant({
  name: 'tenants.setStage',
  summary: 'Name the tenant on which things are tried before they come to this one',
  portal: { ...ofTenant, choices: { stageTenant: 'tenants.list' }, titledFor: true },
  permission: 'tenants:write',
  reach: 'system',
  route: 'PUT /stage',
  fields: { stageTenant: s.orNull(s.text('That tenant: its id or its host', 'stage.example.com'), 'none') },
  output: tenantSchema,
  run: async ({ tenant, ...context }, input) => {
    const named = textOrNone(input.stageTenant);
    const stage = context.tenants.all().find(({ id, host }) => id === named || host === named);
    if (named !== null && stage === undefined) throw unknown('tenant');
    if (stage?.id === tenant.id) throw invalid('stageTenant', 'own_stage');
    return change(context, tenant.id, { stageTenantId: stage?.id ?? null });
  },
});

const disabled = onTenant({
  name: 'tenants.disable',
  summary: 'Disable a tenant: it answers as if it were not there, and keeps its data',
  portal: {
    ...ofTenant,
    ends: 'forGood',
    undo: { by: 'tenants.enable' },
    fits: isNotYet('disabledAt'),
    homeWarning:
      'You are on the domain of this tenant: its portal closes with it, and the command alone can enable it.',
  },
  permission: 'tenants:write',
  reach: 'system',
  route: 'POST /disable',
  optional: { force: forceField },
  output: tenantSchema,
  run: ({ tenant, ...context }) =>
    change(context, tenant.id, { disabledAt: tenant.disabledAt ?? context.now }),
});

const enabled = onTenant({
  name: 'tenants.enable',
  summary: 'Enable a tenant again',
  portal: { ...ofTenant, atOnce: true, undo: { by: 'tenants.disable' }, fits: isSince('disabledAt') },
  permission: 'tenants:write',
  reach: 'system',
  route: 'POST /enable',
  output: tenantSchema,
  run: ({ tenant, ...context }) => change(context, tenant.id, { disabledAt: null }),
});

async function change(
  { tx, tenants }: Pick<OperationContext, 'tx' | 'tenants'>,
  id: string,
  changes: TenantChanges,
): Promise<object> {
  const tenant = await changeTenant(tx, id, changes);
  if (tenant === null) throw unknown('tenant');
  return tenantAnswer(tenant, tenants.all());
}

export const tenantOperations: readonly Operation[] = [
  listed,
  read,
  tenantCreated,
  changed,
  stageSet,
  disabled,
  enabled,
];
