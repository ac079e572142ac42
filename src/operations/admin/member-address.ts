/** Lets callers name a member by the sign-in address wherever an id is asked for. */
import { mayGrant } from '../../core/operators/permission.ts';
import { findMemberByEmail } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { denied, invalid, unknown } from '../refusal.ts';
import type { Operation, PreparationContext } from './operation.ts';

type Input = Readonly<Record<string, unknown>>;

/** The fields of inputs that hold the id of a member. */
const memberFields = ['memberId', 'actorId', 'target'];

/** Whether a field names a member by address. No id has an `@`. */
export function isMemberAddress(name: string, value: unknown): value is string {
  return memberFields.includes(name) && typeof value === 'string' && value.includes('@');
}

/**
 * The input with the id of each member that it names by address.
 *
 * @throws OperationRefused if no member of the tenant has the address, or who asks may not read members
 */
export async function withMemberIds(
  tx: Tx,
  { actor, tenant }: Pick<PreparationContext, 'actor' | 'tenant'>,
  { path }: Pick<Operation, 'path'>,
  input: Input,
): Promise<Input> {
  const ids: Record<string, string> = {};
  for (const [name, value] of Object.entries(input)) {
    if (!isMemberAddress(name, value)) continue;
    // Whether an address has an account is not told to who may not read members.
    if (!mayGrant(actor, ['members:read'])) {
      throw denied(name, 'permission_needed_for_address', { permission: 'members:read' });
    }
    if (tenant === null) {
      throw invalid(name, 'tenant_needed');
    }
    const found = await findMemberByEmail(tx, tenant.id, value);
    if (found === null && path.includes(`{${name}}`)) throw unknown('member');
    if (found === null) throw invalid(name, 'no_member_of_address');
    ids[name] = found.member.id;
  }
  return { ...input, ...ids };
}
