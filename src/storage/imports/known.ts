// Finds the members that a batch of lines speaks of and that are there already: all of them at once.
import type { Member } from '../../core/members/member.ts';
import { memberColumns, memberOfRow } from '../members/member-row.ts';
import { type RowOf, rowsWith } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The members of a tenant who have one of these addresses, as they are compared. */
export async function findMembersByEmail(
  tx: Tx,
  tenantId: string,
  emails: readonly string[],
): Promise<readonly Member[]> {
  if (emails.length === 0) return [];
  const rows = await tx
    .selectFrom('members')
    .select(memberColumns)
    .where('tenantId', '=', tenantId)
    .where('normalisedEmail', 'in', emails)
    .where('erasedAt', 'is', null)
    .execute();
  return rows.map(memberOfRow);
}

/** Which of these names and numbers members of a tenant have, by which of them; erased ones too. */
export async function listTaken<Column extends 'externalId' | 'memberNumber'>(
  tx: Tx,
  tenantId: string,
  column: Column,
  values: readonly NonNullable<RowOf<'members'>[Column]>[],
): Promise<ReadonlyMap<NonNullable<RowOf<'members'>[Column]>, string>> {
  if (values.length === 0) return new Map();
  const rows = await tx
    .selectFrom('members')
    .select(['id', 'externalId', 'memberNumber'])
    .where('tenantId', '=', tenantId)
    .where(column as 'externalId', 'in', values as readonly string[])
    .execute();
  return new Map(rows.map((row) => [row[column] as NonNullable<RowOf<'members'>[Column]>, row.id]));
}

/** Which accounts at a provider are linked to any member of a tenant, of those that the provider calls so. */
export async function listTakenSubjects(
  tx: Tx,
  { tenantId, provider, issuer }: Pick<RowOf<'linkedAccounts'>, 'tenantId' | 'provider' | 'issuer'>,
  subjects: readonly string[],
): Promise<readonly string[]> {
  const rows = rowsWith(tx, 'linkedAccounts', { tenantId, provider, issuer });
  return (await rows.where('subject', 'in', subjects).execute()).map(({ subject }) => subject);
}
