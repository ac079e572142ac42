// Remembers the addresses of members who were here, so that the old system brings none of them back (decision 55).
import { createHmac } from 'node:crypto';
import { type Member, normaliseEmail } from '../../core/members/member.ts';
import { insertMovedAddress } from '../../storage/imports/old-system.ts';
import { listFormerAddresses } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { deleteMember } from './member.ts';

/** How an address is remembered: without the key of the tenant no one can tell which it was. */
export const addressHash = ({ tokenKey }: Pick<OpenTenant, 'tokenKey'>, email: string) =>
  createHmac('sha256', tokenKey)
    .update(`moved in ${normaliseEmail(email)}`)
    .digest('base64url');

/**
 * To be called before a member is deleted: the old system may still know those too who came by a file or signed up here. Where
 * the tenant asks none, nothing is remembered.
 */
export async function keepFromComingBack(
  tx: Tx,
  tenant: Pick<OpenTenant, 'id' | 'tokenKey' | 'oldSystemUrl'>,
  { id, email }: Pick<Member, 'id' | 'email'>,
  now: number,
): Promise<void> {
  if (tenant.oldSystemUrl === null) return;
  for (const address of new Set([email, ...(await listFormerAddresses(tx, id))])) {
    await insertMovedAddress(tx, tenant.id, addressHash(tenant, address), now);
  }
}

/** Deletes a member for good, whom the old system does not bring back either. */
export async function deleteForGood(
  tx: Tx,
  tenant: Parameters<typeof keepFromComingBack>[1],
  member: Member,
  now: number,
): Promise<void> {
  await keepFromComingBack(tx, tenant, member, now);
  await deleteMember(tx, tenant.id, member.id, now);
}
