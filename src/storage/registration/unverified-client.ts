// Queries of clients that no operator registered.
import type { Client } from '../../core/client.ts';
import { fromRow, toRow } from '../clients/client.ts';
import type { ClientRow } from '../clients/schema.ts';
import { forgetRemembered } from '../prepared.ts';
import { deleteRows, findRow, type ListPage, rowsWith, updateRow, within } from '../rows.ts';
import type { Tx } from '../store.ts';

/** An unverified client, with what is kept beside it. Times are ms. */
export interface UnverifiedClient
  extends Pick<ClientRow, 'createdAt' | 'lastUsedAt' | 'registrationTokenHash' | 'freshUntil'> {
  readonly client: Client;
}

function ofRow(row: ClientRow): UnverifiedClient {
  const { createdAt, lastUsedAt, registrationTokenHash, freshUntil } = row;
  return { client: fromRow(row), createdAt, lastUsedAt, registrationTokenHash, freshUntil };
}

/** The unverified client of this client_id, disabled or not; or null. */
export async function findUnverifiedClient(
  tx: Tx,
  tenantId: string,
  clientId: string,
): Promise<UnverifiedClient | null> {
  const row = await findRow(tx, 'clients', { tenantId, clientId });
  return row === null || row.origin === 'operator' ? null : ofRow(row);
}

/** The unverified clients of a tenant, by client_id. */
export async function listUnverifiedClients(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly UnverifiedClient[]> {
  const rows = rowsWith(tx, 'clients', { tenantId }).where('origin', '<>', 'operator');
  return (await within(rows, 'clientId', page).execute()).map(ofRow);
}

/** Stores a new one, with what is kept beside it. */
export async function insertUnverifiedClient(
  tx: Tx,
  { client, createdAt, ...beside }: UnverifiedClient,
): Promise<void> {
  // Nothing that is remembered changes: neither what is not there nor such a client is (`findClient`, `openTenants`).
  await tx
    .insertInto('clients')
    .values({ ...toRow(client), ...beside, createdAt })
    .execute();
}

/** Changes what is kept beside a client: none of it is remembered. */
export async function updateBeside(
  tx: Tx,
  { tenantId, clientId }: Pick<Client, 'tenantId' | 'clientId'>,
  beside: Partial<Omit<UnverifiedClient, 'client' | 'createdAt'>>,
): Promise<void> {
  await updateRow(tx, 'clients', { tenantId, clientId }, beside);
}

/** Changes how a client is told apart: a document may say from one day to the next that it has keys. */
export async function updateClientType(
  tx: Tx,
  { tenantId, clientId, type }: Pick<Client, 'tenantId' | 'clientId' | 'type'>,
): Promise<void> {
  await forgetRemembered(tx);
  await updateRow(tx, 'clients', { tenantId, clientId }, { type });
}

/** How many of a tenant no member has used, and which of them is the oldest; null where there is none. */
export async function countUnusedClients(
  tx: Tx,
  tenantId: string,
): Promise<{ readonly count: number; readonly oldest: Pick<ClientRow, 'clientId' | 'createdAt'> | null }> {
  const unused = tx
    .selectFrom('clients')
    .where('tenantId', '=', tenantId)
    .where('origin', '<>', 'operator')
    .where('lastUsedAt', 'is', null);
  const { count } = await unused
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const oldest = await unused
    .select(['clientId', 'createdAt'])
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst();
  return { count: Number(count), oldest: oldest ?? null };
}

/** Deletes an unverified client that nothing refers to. */
export async function deleteUnverifiedClient(tx: Tx, tenantId: string, clientId: string): Promise<void> {
  await forgetRemembered(tx);
  await deleteRows(tx, 'clients', { tenantId, clientId });
}
