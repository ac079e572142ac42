// Queries of pushed authorization requests.
import type { PushedRequest } from '../../core/oidc/request/pushed-request.ts';
import { insertion, lookup } from '../prepared.ts';
import { deleteRows } from '../rows.ts';
import type { Tx } from '../store.ts';

/** The pushed request of a tenant by the SHA-256 of its reference, or null. */
export async function findPushedRequest(
  tx: Tx,
  tenantId: string,
  hash: string,
): Promise<PushedRequest | null> {
  return requestOf.first(tx, { tenantId, hash });
}

const requestOf = lookup('pushedRequests', 'hash', 'tenantId');

export const insertPushedRequest = insertion('pushedRequests');

/** Takes a pushed request away, which the transaction has found. @throws Error if it is not there any more */
export async function takePushedRequest(tx: Tx, hash: string): Promise<void> {
  if ((await deleteRows(tx, 'pushedRequests', { hash })) !== 1)
    throw new Error('a pushed request was taken twice');
}
