// Queries of the accounts of other providers that members sign in with.
import { sql } from 'kysely';
import type { LinkedAccount } from '../../core/providers/linked-account.ts';
import { insertEvents, tell } from '../events/event.ts';
import { sourceIn } from '../operators/audited.ts';
import { deleteRows, findRow, type ListPage, rowsWith, updateRow, within } from '../rows.ts';
import type { Tx } from '../store.ts';
import type { LinkedAccountRow } from './schema.ts';

/** Which account at a provider is meant. */
type Named = Pick<LinkedAccount, 'tenantId' | 'provider' | 'issuer' | 'subject'>;

/** An account as it is linked, or null. */
export async function findLinkedAccount(
  tx: Tx,
  { tenantId, provider, issuer, subject }: Named,
): Promise<LinkedAccount | null> {
  const row = await findRow(tx, 'linkedAccounts', { tenantId, provider, issuer, subject });
  return row === null ? null : fromRow(row);
}

/** The accounts that a member has linked, in the order of that. */
export async function listLinkedAccounts(
  tx: Tx,
  memberId: string,
  page: ListPage<string> = {},
): Promise<readonly LinkedAccount[]> {
  return (await within(rowsWith(tx, 'linkedAccounts', { memberId }), 'id', page).execute()).map(fromRow);
}

/** How many accounts of a provider are linked. */
export async function countLinkedAccounts(
  tx: Tx,
  { tenantId, provider }: Pick<LinkedAccount, 'tenantId' | 'provider'>,
): Promise<number> {
  const rows = tx.selectFrom('linkedAccounts').where('tenantId', '=', tenantId);
  const { count } = await rows
    .where('provider', '=', provider)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertLinkedAccount(tx: Tx, account: LinkedAccount): Promise<void> {
  await tx
    .insertInto('linkedAccounts')
    .values({ ...account, tokens: null })
    .execute();
  await tell(tx, { write: 'insertLinkedAccount', account });
}

/** An account was used to sign in. @param tokens sealed; null where none are kept */
export async function updateLinkedAccount(
  tx: Tx,
  { id, tenantId }: Pick<LinkedAccount, 'id' | 'tenantId'>,
  used: Pick<LinkedAccountRow, 'lastUsedAt' | 'tokens'>,
): Promise<void> {
  await updateRow(tx, 'linkedAccounts', { id, tenantId }, used);
}

/** The tokens of an account that are kept, sealed; null where none are. */
export async function findKeptTokens(
  tx: Tx,
  { id, tenantId }: Pick<LinkedAccount, 'id' | 'tenantId'>,
): Promise<Buffer | null> {
  return (await findRow(tx, 'linkedAccounts', { id, tenantId }))?.tokens ?? null;
}

export async function deleteLinkedAccount(tx: Tx, account: LinkedAccount): Promise<void> {
  const { id, tenantId } = account;
  await deleteRows(tx, 'linkedAccounts', { id, tenantId });
  await tell(tx, { write: 'deleteLinkedAccount', account });
}

/** Ends all links to a provider. */
export async function deleteLinkedAccounts(
  tx: Tx,
  of: Pick<LinkedAccount, 'tenantId' | 'provider'>,
): Promise<void> {
  const source = sourceIn(tx);
  if (source !== null) {
    const accounts = tx
      .selectFrom('linkedAccounts')
      .select(['tenantId', 'memberId', 'provider as subject', sql<null>`null`.as('clientId')])
      .where('tenantId', '=', of.tenantId)
      .where('provider', '=', of.provider);
    await insertEvents(tx, { type: 'account.unlinked', detail: null, at: source.at }, accounts);
  }
  await deleteRows(tx, 'linkedAccounts', of);
}

const fromRow = ({ tokens: _, ...account }: LinkedAccountRow): LinkedAccount => account;
