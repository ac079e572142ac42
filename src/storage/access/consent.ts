// Queries of consents and of members' answers to them.
import type { Consent, ConsentChange } from '../../core/access/consent.ts';
import type { Member } from '../../core/members/member.ts';
import { type ListPage, within } from '../list-page.ts';
import { fromFlag, toFlag } from '../rows.ts';
import type { ConsentRow } from '../schema.ts';
import type { Tx } from '../store.ts';

/** What a tenant asks for now, by id; what it no longer asks for is left out. */
export async function listConsents(tx: Tx, tenantId: string): Promise<readonly Consent[]> {
  return (await listEveryConsent(tx, tenantId)).filter(({ retiredAt }) => retiredAt === null);
}

/** A page of what a tenant asks for now, by id. @param after the last of the page before */
export async function listSomeConsents(
  tx: Tx,
  tenantId: string,
  { after, limit }: { readonly after?: string; readonly limit: number },
): Promise<readonly Consent[]> {
  let query = tx
    .selectFrom('consents')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('retiredAt', 'is', null)
    .orderBy('id')
    .limit(limit);
  if (after !== undefined) query = query.where('id', '>', after);
  return (await query.execute()).map(consentOf);
}

/** Those of what a tenant asks for now that are named, by id. */
export async function findConsents(
  tx: Tx,
  tenantId: string,
  ids: readonly string[],
): Promise<readonly Consent[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('consents')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', 'in', ids)
    .where('retiredAt', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(consentOf);
}

const consentOf = (row: ConsentRow): Consent => ({
  ...row,
  atSignUp: fromFlag(row.atSignUp),
  atCheckout: fromFlag(row.atCheckout),
});

/** What a tenant asks for or ever asked for, by id. */
export async function listEveryConsent(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly Consent[]> {
  const all = tx.selectFrom('consents').selectAll().where('tenantId', '=', tenantId).orderBy('id');
  return (await within(all, 'id', page).execute()).map(consentOf);
}

/** Stores a consent, or changes the one of that id; answers given before keep the words they answered. */
export async function saveConsent(tx: Tx, consent: Consent): Promise<void> {
  const { tenantId, id, name, description, retiredAt } = consent;
  const changes = {
    name,
    description,
    retiredAt,
    atSignUp: toFlag(consent.atSignUp),
    atCheckout: toFlag(consent.atCheckout),
  };
  await tx
    .insertInto('consents')
    .values({ tenantId, id, ...changes })
    .onConflict((conflict) => conflict.columns(['tenantId', 'id']).doUpdateSet(changes))
    .execute();
}

/** Every answer of a member, oldest first: for the file of the member's data, since it may be long. */
export async function listConsentChanges(tx: Tx, memberId: string): Promise<readonly ConsentChange[]> {
  const rows = await tx
    .selectFrom('consentChanges')
    .selectAll()
    .where('memberId', '=', memberId)
    .orderBy('id')
    .execute();
  return rows.map(({ id: _, ...change }) => change);
}

/** The newest answers of a member, newest first. */
export async function listNewestConsentChanges(
  tx: Tx,
  memberId: string,
  most: number,
): Promise<readonly ConsentChange[]> {
  const rows = await tx
    .selectFrom('consentChanges')
    .selectAll()
    .where('memberId', '=', memberId)
    .orderBy('id', 'desc')
    .limit(most)
    .execute();
  return rows.map(({ id: _, ...change }) => change);
}

/**
 * The last answer of a member to each consent of the tenant, or to those that are named, in as many steps as there are
 * consents.
 */
export async function listLastConsentChanges(
  tx: Tx,
  { tenantId, id: memberId }: Pick<Member, 'tenantId' | 'id'>,
  ids?: readonly string[],
): Promise<readonly ConsentChange[]> {
  if (ids?.length === 0) return [];
  let query = tx
    .selectFrom('consents')
    .innerJoin('consentChanges', (join) =>
      join.on('consentChanges.id', '=', (eb) =>
        eb
          .selectFrom('consentChanges as given')
          .select(({ fn }) => fn.max('given.id').as('last'))
          .where('given.memberId', '=', memberId)
          .whereRef('given.consentId', '=', 'consents.id'),
      ),
    )
    .selectAll('consentChanges')
    .where('consents.tenantId', '=', tenantId)
    .orderBy('consents.id');
  if (ids !== undefined) query = query.where('consents.id', 'in', ids);
  return (await query.execute()).map(({ id: _, ...change }) => change);
}

export async function insertConsentChange(tx: Tx, change: ConsentChange): Promise<void> {
  await tx.insertInto('consentChanges').values(change).execute();
}
