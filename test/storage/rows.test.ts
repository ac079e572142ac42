import { expect, it } from 'vitest';
import { isCountedUserCode } from '../../src/storage/members/guesses/wrong-user-code.ts';
import { deleteRows, findRow, highest, rowsWith, updateRows } from '../../src/storage/rows.ts';
import type { Tx } from '../../src/storage/store.ts';
import { now } from '../support/records/records.ts';
import { storeWithMember } from '../support/records/store.ts';

/** A value that got lost on its way, as only code that misleads the compiler can lose one. */
const lost = undefined as never;

it.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['finds no row', (tx) => findRow(tx, 'members', { tenantId: lost })],
  ['lists no rows', async (tx) => rowsWith(tx, 'members', { tenantId: lost }).execute()],
  ['finds no highest value', (tx) => highest(tx, 'members', 'userId', { tenantId: lost })],
  ['changes no row', (tx) => updateRows(tx, 'members', { tenantId: lost }, { status: 'disabled' })],
  ['deletes no row', (tx) => deleteRows(tx, 'memberWords', { memberId: lost })],
  [
    'counts no wrong code',
    (tx) =>
      isCountedUserCode(
        tx,
        { tenantId: lost, memberId: 'member-1', address: '' },
        { userCodeHash: '', browserHash: '' },
        now,
      ),
  ],
])('X1: a condition without its value %s, instead of dropping out', async (_what, ask) => {
  const store = await storeWithMember();
  await expect(store.transaction(ask)).rejects.toThrow('a condition has no value');
});
