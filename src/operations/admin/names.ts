// What lists say beside the ids of members, clients and packages: what those are called, as far as the caller may know.
import { mayGrant } from '../../core/operators/permission.ts';
import { type NamedMember, nameClients, nameMembers, namePackages } from '../../storage/names.ts';
import * as s from '../json-schema.ts';
import type { OnTenant } from './define.ts';
import type { OperationContext } from './operation.ts';

const unknownWords = 'null where there is no such any more, or where the caller may not read it';

/** What stands beside `memberId`. */
export const memberNameFields = {
  memberName: s.textOrNull(`The name of the member; ${unknownWords}`, 'Ada Nilsen'),
  memberEmail: s.textOrNull(`The address of the member; ${unknownWords}`, 'ada.nilsen@example.com'),
};

/** What stands beside `clientId`. */
export const clientNameField = s.textOrNull(`The name of the client; ${unknownWords}`, 'Example TV');

/** What stands beside `packageId`. */
export const packageNameField = s.textOrNull(`The name of the package; ${unknownWords}`, 'Everything');

type Context = OnTenant<OperationContext>;

const each = <Id>(ids: readonly Id[]): readonly Id[] => [...new Set(ids)];

/** A page of a list with the name of each member in it. */
export async function withMemberNames<Item extends { readonly memberId: string | null }>(
  items: readonly Item[],
  { tx, tenant, actor }: Context,
) {
  const mayRead = mayGrant(actor, ['members:read']);
  const named = mayRead ? items : [];
  const ids = each(named.flatMap(({ memberId }) => memberId ?? []));
  const found = new Map((await nameMembers(tx, tenant.id, ids)).map((one) => [one.id, one]));
  return items.map((item) => ({ ...item, ...namesOf(found.get(item.memberId ?? '')) }));
}

const namesOf = (member: NamedMember | undefined) => ({
  memberName: member?.fullName ?? null,
  memberEmail: member?.email ?? null,
});

/** A page of a list with the name of each client in it. */
export async function withClientNames<Item extends { readonly clientId: string }>(
  items: readonly Item[],
  { tx, tenant }: Context,
) {
  const ids = each(items.map(({ clientId }) => clientId));
  const found = new Map((await nameClients(tx, tenant.id, ids)).map(({ id, name }) => [id, name]));
  return items.map((item) => ({ ...item, clientName: found.get(item.clientId) ?? null }));
}

/** A page of a list with the name of each package in it. */
export async function withPackageNames<Item extends { readonly packageId: number }>(
  items: readonly Item[],
  { tx, tenant }: Context,
) {
  const ids = each(items.map(({ packageId }) => packageId));
  const found = new Map((await namePackages(tx, tenant.id, ids)).map(({ id, name }) => [id, name]));
  return items.map((item) => ({ ...item, packageName: found.get(item.packageId) ?? null }));
}
