import type { Consent, ConsentChange } from '../../core/access/consent.ts';
import { fromFlag, toFlag } from '../rows.ts';
import type { Tx } from '../store.ts';

/** What a tenant asks for now, by id; what it no longer asks for is left out. */
export async function listConsents(tx: Tx, tenantId: string): Promise<readonly Consent[]> {
  const rows = await tx
    .selectFrom('consents')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('retiredAt', 'is', null)
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

/** Every answer of a member, oldest first. */
export async function listConsentChanges(tx: Tx, memberId: string): Promise<readonly ConsentChange[]> {
  const rows = await tx
    .selectFrom('consentChanges')
    .selectAll()
    .where('memberId', '=', memberId)
    .orderBy('id')
    .execute();
  return rows.map(({ id: _, ...change }) => change);
}

export async function insertConsentChange(tx: Tx, change: ConsentChange): Promise<void> {
  await tx.insertInto('consentChanges').values(change).execute();
}
