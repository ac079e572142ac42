import type { Consent, ConsentChange } from '../../core/access/consent.ts';
import type { Member } from '../../core/members/member.ts';
import { fromFlag, toFlag } from '../rows.ts';
import type { Tx } from '../store.ts';

/** What a tenant asks for now, by id; what it no longer asks for is left out. */
export async function listConsents(tx: Tx, tenantId: string): Promise<readonly Consent[]> {
  return (await listEveryConsent(tx, tenantId)).filter(({ retiredAt }) => retiredAt === null);
}

/** What a tenant asks for or ever asked for, by id. */
export async function listEveryConsent(tx: Tx, tenantId: string): Promise<readonly Consent[]> {
  const rows = await tx
    .selectFrom('consents')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...row,
    atSignUp: fromFlag(row.atSignUp),
    atCheckout: fromFlag(row.atCheckout),
  }));
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

/** The last answer of a member to each consent of the tenant, in as many steps as there are consents. */
export async function listLastConsentChanges(
  tx: Tx,
  { tenantId, id: memberId }: Pick<Member, 'tenantId' | 'id'>,
): Promise<readonly ConsentChange[]> {
  const rows = await tx
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
    .orderBy('consents.id')
    .execute();
  return rows.map(({ id: _, ...change }) => change);
}

export async function insertConsentChange(tx: Tx, change: ConsentChange): Promise<void> {
  await tx.insertInto('consentChanges').values(change).execute();
}
