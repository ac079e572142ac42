import type { SignInFailures } from '../../core/members/sign-in-limit.ts';
import type { Tx } from '../store.ts';

/** The failed sign-ins of an address since the last good one, or null. */
export async function findSignInFailures(
  tx: Tx,
  tenantId: string,
  emailHash: string,
): Promise<SignInFailures | null> {
  const row = await tx
    .selectFrom('signInFailures')
    .select(['failures', 'lastFailedAt'])
    .where('tenantId', '=', tenantId)
    .where('emailHash', '=', emailHash)
    .executeTakeFirst();
  return row ?? null;
}

export async function saveSignInFailures(
  tx: Tx,
  tenantId: string,
  emailHash: string,
  failed: SignInFailures,
): Promise<void> {
  await tx
    .insertInto('signInFailures')
    .values({ tenantId, emailHash, ...failed })
    .onConflict((conflict) => conflict.columns(['tenantId', 'emailHash']).doUpdateSet(failed))
    .execute();
}

export async function clearSignInFailures(tx: Tx, tenantId: string, emailHash: string): Promise<void> {
  await tx
    .deleteFrom('signInFailures')
    .where('tenantId', '=', tenantId)
    .where('emailHash', '=', emailHash)
    .execute();
}
