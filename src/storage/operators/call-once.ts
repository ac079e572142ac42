// Queries of the calls that are made once, by the keys that come with them.
import { deleteRows, findRow, updateRow } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { CallOnceRow } from './schema.ts';

/**
 * Takes a key, in the transaction of what is done with it: if that is rolled back, it is free again. Of any number at once,
 * on all processes of a database, one has it first, and the others wait for that one.
 *
 * @returns the answer that the key has, sealed; null where it was free
 */
export async function takeKey(
  tx: Tx,
  { id, owner, createdAt }: Pick<CallOnceRow, 'id' | 'owner' | 'createdAt'>,
  since: number,
): Promise<Buffer | null> {
  const known = await findRow(tx, 'callsOnce', { id });
  if (known !== null && known.createdAt >= since && known.answer !== null) return known.answer;
  await deleteRows(tx, 'callsOnce', { id });
  const row = { id, owner, memberId: null, answer: null, createdAt };
  await tx.insertInto('callsOnce').values(row).execute();
  return null;
}

/** Keeps the answer of a key that was taken. */
export async function keepAnswer(
  tx: Tx,
  id: string,
  { answer, memberId }: Pick<CallOnceRow, 'answer' | 'memberId'>,
): Promise<void> {
  await updateRow(tx, 'callsOnce', { id }, { answer, memberId });
}
