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

/** Deletes failures that were the last before a time (ms), at most so many. @returns how many were deleted */
export async function deleteSignInFailures(tx: Tx, before: number, atMost: number): Promise<number> {
  const over = await tx
    .selectFrom('signInFailures')
    .select(['tenantId', 'emailHash'])
    .where('lastFailedAt', '<', before)
    .limit(atMost)
    .execute();
  for (const { tenantId, emailHash } of over) await clearSignInFailures(tx, tenantId, emailHash);
  return over.length;
}
