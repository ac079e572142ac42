// Queries of passkeys.
import type { Passkey } from '../../core/members/passkey.ts';
import { tell } from '../events/event.ts';
import { insertion, lookup } from '../prepared.ts';
import { deleteRows, fromFlag, rowsWith, toFlag, updateRow } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { PasskeyRow } from './schema.ts';

/** The passkey of a tenant by what its authenticator calls it, or null. */
export async function findPasskeyByCredential(
  tx: Tx,
  tenantId: string,
  credentialId: string,
): Promise<Passkey | null> {
  const row = await byCredential.first(tx, { credentialId, tenantId });
  return row === null ? null : passkeyOf(row);
}

const byCredential = lookup('passkeys', 'credentialId', 'tenantId');

/** The passkey of a member by its id, or null. */
export async function findPasskey(tx: Tx, memberId: string, id: string): Promise<Passkey | null> {
  const [row] = await rowsWith(tx, 'passkeys', { memberId, id }).execute();
  return row === undefined ? null : passkeyOf(row);
}

/** The passkeys of a member, the newest first, since the ids tell the time. */
export async function listPasskeys(tx: Tx, memberId: string): Promise<readonly Passkey[]> {
  const rows = await rowsWith(tx, 'passkeys', { memberId }).orderBy('id', 'desc').execute();
  return rows.map(passkeyOf);
}

const insert = insertion('passkeys');

export async function insertPasskey(tx: Tx, passkey: Passkey): Promise<void> {
  await insert(tx, toRow(passkey));
  await tell(tx, { write: 'insertPasskey', passkey });
}

/** Stores what changes of a passkey: its name, and what its use leaves. */
export async function updatePasskey(tx: Tx, passkey: Passkey): Promise<void> {
  const { id, name, counter, isBackedUp, lastUsedAt, userAgent, ipAddress } = toRow(passkey);
  const changes = { name, counter, isBackedUp, lastUsedAt, userAgent, ipAddress };
  await updateRow(tx, 'passkeys', { id }, changes);
}

export async function deletePasskey(tx: Tx, passkey: Passkey): Promise<void> {
  await deleteRows(tx, 'passkeys', { id: passkey.id });
  await tell(tx, { write: 'deletePasskey', passkey });
}

const passkeyOf = (row: PasskeyRow): Passkey => ({
  ...row,
  isSynced: fromFlag(row.isSynced),
  isBackedUp: fromFlag(row.isBackedUp),
});

const toRow = (passkey: Passkey): PasskeyRow => ({
  ...passkey,
  isSynced: toFlag(passkey.isSynced),
  isBackedUp: toFlag(passkey.isBackedUp),
});
