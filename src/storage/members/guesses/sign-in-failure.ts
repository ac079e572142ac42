// Queries of failed sign-ins, by address.
import type { SignInFailures } from '../../../core/members/member-limits.ts';
import { deleteRows } from '../../rows.ts';
import type { Tx } from '../../store.ts';

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
  await deleteRows(tx, 'signInFailures', { tenantId, emailHash });
}

/** Stores the count with a guess that is still to be judged. */
export async function saveGuessUnderWay(
  tx: Tx,
  tenantId: string,
  emailHash: string,
  failed: SignInFailures,
): Promise<void> {
  await tx
    .insertInto('signInFailures')
    .values({ tenantId, emailHash, ...failed, underWay: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['tenantId', 'emailHash'])
        .doUpdateSet((eb) => ({ ...failed, underWay: eb('signInFailures.underWay', '+', 1) })),
    )
    .execute();
}

/** Notes that one of the guesses under way was judged; none may be, where the count began anew since. */
export async function endGuessUnderWay(tx: Tx, tenantId: string, emailHash: string): Promise<void> {
  await tx
    .updateTable('signInFailures')
    .set((eb) => ({ underWay: eb('underWay', '-', 1) }))
    .where('tenantId', '=', tenantId)
    .where('emailHash', '=', emailHash)
    .where('underWay', '>', 0)
    .execute();
}

/**
 * Takes all guesses back that were counted and never judged, since the process died: their requests got no answer.
 * To be called by a start, before any request is served.
 *
 * @param before ms; what was guessed later may still be judged, by another process
 */
export async function takeUnjudgedBack(tx: Tx, before = Number.MAX_SAFE_INTEGER): Promise<void> {
  const some = tx.selectFrom('signInFailures').select('underWay').where('underWay', '>', 0).limit(1);
  if ((await some.executeTakeFirst()) === undefined) return;
  const unjudged = tx
    .deleteFrom('signInFailures')
    .where('underWay', '>', 0)
    .where('lastFailedAt', '<', before);
  await unjudged.whereRef('failures', '<=', 'underWay').execute();
  await tx
    .updateTable('signInFailures')
    .set((eb) => ({ failures: eb('failures', '-', eb.ref('underWay')), underWay: 0 }))
    .where('underWay', '>', 0)
    .where('lastFailedAt', '<', before)
    .execute();
}
