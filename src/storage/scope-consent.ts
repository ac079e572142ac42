// Queries of what members allowed to third parties' clients.
import type { ScopeConsent } from '../core/oidc/scope-consent.ts';
import { prepared, query } from './prepared.ts';
import type { Tx } from './store.ts';

/** What a member allowed a third party's client, or null. */
export async function findScopeConsent(
  tx: Tx,
  memberId: string,
  clientId: string,
): Promise<ScopeConsent | null> {
  return consentOf.first(tx, { memberId, clientId }) ?? null;
}

const consentOf = prepared(({ memberId, clientId }: Pick<ScopeConsent, 'memberId' | 'clientId'>) =>
  query
    .selectFrom('scopeConsents')
    .selectAll()
    .where('memberId', '=', memberId)
    .where('clientId', '=', clientId),
);

/** Everything a member allowed to third parties' clients. */
export async function listScopeConsents(tx: Tx, memberId: string): Promise<readonly ScopeConsent[]> {
  return tx
    .selectFrom('scopeConsents')
    .selectAll()
    .where('memberId', '=', memberId)
    .orderBy('clientId')
    .execute();
}

/** Saves a consent; the newest one of a member and client stands. */
export async function saveScopeConsent(tx: Tx, consent: ScopeConsent): Promise<void> {
  const { scope, grantedAt } = consent;
  await tx
    .insertInto('scopeConsents')
    .values(consent)
    .onConflict((conflict) => conflict.columns(['memberId', 'clientId']).doUpdateSet({ scope, grantedAt }))
    .execute();
}
