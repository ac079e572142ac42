// The operation that makes a tenant, and what tenant files and loads of a tenant share with it.

import { pictureBodyBytes } from '../../../core/limits.ts';
import { tenantProblems } from '../../../core/operators/tenant-problems.ts';
import { problem } from '../../../core/problem.ts';
import { readIssuer, type Tenant } from '../../../core/tenant.ts';
import { developmentLimits } from '../../../core/tenant-limits.ts';
import { listTenants } from '../../../storage/tenant.ts';
import { languages } from '../../../text/language.ts';
import * as s from '../../json-schema.ts';
import { conflict, refuseIfAny } from '../../refusal.ts';
import {
  changedTenant,
  type NewTenant,
  plainTenant,
  prepareTenant,
  storeTenant,
} from '../../tenant/tenant.ts';
import { onService } from '../define.ts';
import type { OperationContext, PreparationContext } from '../operation.ts';
import { nameField, type TenantInput, tenantAnswer, tenantFields, tenantSchema } from './tenant.ts';
import { changesOf, demandMembers } from './tenant-changes.ts';

/** What is said of a new tenant; files alone say the last two. */
export interface NewTenantInput extends TenantInput {
  readonly name: string;
  readonly issuer: string;
  readonly development?: boolean;
  readonly disabled?: boolean;
}

export const issuerField = s.text(
  'Its public address: https and a host, without a path; http for this machine alone',
  'https://login.example.org',
);

export const tenantCreated = onService({
  name: 'tenants.create',
  summary: 'Make a tenant with keys of its own',
  portal: {
    page: 'tenants.list',
    lands: 'tenants.read',
    groups: [{ name: 'what', fields: ['name', 'issuer', 'brandColor', 'languages'] }],
  },
  permission: 'tenants:write',
  route: 'POST /tenants',
  fields: { name: nameField, issuer: issuerField },
  optional: tenantFields,
  bodyBytes: pictureBodyBytes,
  output: tenantSchema,
  made: 'id',
  prepare: (input, context) => {
    demandMembers(context, input.oldSystemUrl, null);
    return prepareNew(input, context);
  },
  run: (context, _input, prepared) => storeNew(context, prepared),
});

/** The keys of a new tenant, which are slow to make. @throws OperationRefused with everything that is wrong with it */
export async function prepareNew(input: NewTenantInput, context: PreparationContext): Promise<NewTenant> {
  const tenant = newTenantOf(input, context.random.id(context.now), context.now);
  refuseIfAny([
    ...(tenant.issuer === '' ? [problem('issuer', 'not_an_issuer')] : []),
    ...tenantProblems(tenant, languages),
  ]);
  return prepareTenant(tenant, context.vault, context.now);
}

/** The tenant that an input describes, with the defaults of what it does not say. Its issuer is empty if it cannot be one. */
export function newTenantOf(
  { issuer, development = false, disabled = false, ...given }: NewTenantInput,
  id: string,
  now: number,
): Tenant {
  const limits = development ? developmentLimits : plainTenant.limits;
  const tenant = { ...plainTenant, ...readIssuer(issuer), id, development, limits };
  return changedTenant(tenant, { ...changesOf(given), disabledAt: disabled ? now : null });
}

/** @throws OperationRefused if another tenant has the address */
export async function storeNew({ tx, tenants, now }: OperationContext, prepared: NewTenant): Promise<object> {
  const { host, issuer } = prepared.tenant;
  for (const { tenant } of await listTenants(tx)) {
    if (tenant.host === host || tenant.issuer === issuer)
      throw conflict('issuer', 'issuer_taken', { issuer });
  }
  await storeTenant(tx, prepared, now);
  return tenantAnswer(prepared.tenant, tenants.all());
}
