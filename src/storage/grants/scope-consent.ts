// Queries of what members allowed to third parties' clients.
import type { ScopeConsent } from '../../core/oidc/scope-consent.ts';
import { lookup } from '../prepared.ts';
import { rowsWith } from '../rows.ts';
import type { Tx } from '../store.ts';

/** What a member allowed a third party's client, or null. */
export async function findScopeConsent(
  tx: Tx,
  memberId: string,
  clientId: string,
): Promise<ScopeConsent | null> {
  return consentOf.first(tx, { memberId, clientId });
}

const consentOf = lookup('scopeConsents', 'memberId', 'clientId');

/** Everything a member allowed to third parties' clients. */
export async function listScopeConsents(tx: Tx, memberId: string): Promise<readonly ScopeConsent[]> {
  return rowsWith(tx, 'scopeConsents', { memberId }).orderBy('clientId').execute();
}

/** Saves a consent; the newest one of a member and client stands. */
export async function saveScopeConsent(tx: Tx, consent: ScopeConsent): Promise<void> {
  const { scope, resources, grantedAt } = consent;
  await tx
    .insertInto('scopeConsents')
    .values(consent)
    .onConflict((conflict) =>
      conflict.columns(['memberId', 'clientId']).doUpdateSet({ scope, resources, grantedAt }),
    )
    .execute();
}
