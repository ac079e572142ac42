// Queries of the ids that may be used once.
import { sha256 } from '../../core/hash.ts';
import { mayChange, prepared, query } from '../prepared.ts';
import type { UsedIdRow } from '../schema.ts';
import type { Tx } from '../store.ts';

/** An id that may be used once. */
export interface OnceUsedId {
  readonly tenantId: string;
  readonly purpose: UsedIdRow['purpose'];
  /** Who made the id, such as a client_id or the thumbprint of a key: another may make the same. */
  readonly issuer: string;
  readonly id: string;
  /** From when on what bears it is refused anyway, whatever its id (ms). It is remembered until then. */
  readonly expiresAt: number;
}

/**
 * Uses an id up, in the transaction of what it guards: if that is rolled back, the id may be used again. Of any number
 * at once, on all processes of a database, one is the first.
 *
 * @returns whether it is used for the first time
 */
export async function useOnce(
  tx: Tx,
  { tenantId, purpose, issuer, id, expiresAt }: OnceUsedId,
): Promise<boolean> {
  mayChange(tx);
  // An issuer and an id cannot run into each other.
  const hash = sha256(JSON.stringify([issuer, id]));
  return (await use.run(tx, { tenantId, purpose, hash, expiresAt })) === 1;
}

const use = prepared(({ tenantId, purpose, hash, expiresAt }: UsedIdRow) =>
  query
    .insertInto('usedIds')
    .values({ tenantId, purpose, hash, expiresAt })
    .onConflict((conflict) => conflict.columns(['tenantId', 'purpose', 'hash']).doNothing()),
);
