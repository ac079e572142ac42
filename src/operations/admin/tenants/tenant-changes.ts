// What an input changes of a tenant, and who may set the system that its members come from.

import { tenantPictures } from '../../../core/members/picture.ts';
import { mayGrant } from '../../../core/operators/permission.ts';
import { denied } from '../../refusal.ts';
import type { TenantChanges } from '../../tenant/tenant.ts';
import { textOrNone } from '../define.ts';
import type { OperationContext } from '../operation.ts';
import type { TenantInput } from './tenant.ts';

/** Settings that a tenant may leave out: an empty text does so, too. */
const mayBeNone = [
  ...tenantPictures,
  'coverText',
  'supportAddress',
  'termsUrl',
  'privacyUrl',
  'oldSystemUrl',
] as const;

/** What an input changes of a tenant: an empty text is none, and seconds become milliseconds. */
export function changesOf({
  deletionCoolingOffSeconds: seconds,
  limits,
  invoicing,
  ...rest
}: TenantInput): TenantChanges {
  const said = mayBeNone.flatMap((name) => {
    const text = rest[name];
    return text === undefined ? [] : [[name, textOrNone(text)] as const];
  });
  return {
    ...rest,
    ...Object.fromEntries(said),
    ...(invoicing === undefined ? {} : { invoicing: invoicingOf(invoicing) }),
    limits: { ...limits, ...(seconds === undefined ? {} : { deletionCoolingOff: seconds * 1_000 }) },
  };
}

/** An empty account is no account. */
function invoicingOf({ account, bic, ...rest }: NonNullable<TenantInput['invoicing']>) {
  return {
    ...rest,
    ...(account === undefined ? {} : { account: textOrNone(account) }),
    ...(bic === undefined ? {} : { bic: textOrNone(bic) }),
  };
}

/**
 * What is asked there learns passwords that are typed here, and says who is a member: it takes what changing members takes.
 *
 * @throws OperationRefused
 */
export function demandMembers(
  { actor, isTrial }: Pick<OperationContext, 'actor' | 'isTrial'>,
  said: string | null | undefined,
  before: string | null,
): void {
  if (said === undefined || textOrNone(said) === before || isTrial) return;
  if (!mayGrant(actor, ['members:write'])) {
    throw denied('oldSystemUrl', 'permission_needed', { permission: 'members:write' });
  }
}
