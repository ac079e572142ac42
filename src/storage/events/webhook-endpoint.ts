// Queries of the endpoints that a business is told of events at.
import type { WebhookEndpoint } from '../../core/events/webhook.ts';
import { lookup, prepared, query } from '../prepared.ts';
import { deleteRows, type ListPage, type RowOf, rowsWith, updateRow, within } from '../rows.ts';
import type { Tx } from '../store.ts';

type EndpointRow = RowOf<'webhookEndpoints'>;
export type SealedSecrets = Pick<EndpointRow, 'secret' | 'previousSecret' | 'previousUntil'>;

export async function listEndpoints(
  tx: Tx,
  tenantId: string,
  page: ListPage<string> = {},
): Promise<readonly WebhookEndpoint[]> {
  return (await within(rowsWith(tx, 'webhookEndpoints', { tenantId }), 'id', page).execute()).map(fromRow);
}

/** The endpoint of a tenant, with its sealed secrets; or null. */
export async function findEndpoint(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<(WebhookEndpoint & SealedSecrets) | null> {
  const row = await byId.first(tx, { tenantId, id });
  if (row === null) return null;
  const { secret, previousSecret, previousUntil } = row;
  return { ...fromRow(row), secret, previousSecret, previousUntil };
}

const byId = lookup('webhookEndpoints', 'tenantId', 'id');

/** Those of all tenants that are on and have not looked at every event. */
export async function listBehind(tx: Tx): Promise<readonly WebhookEndpoint[]> {
  return (await behind.all(tx, {})).map(fromRow);
}

const behind = prepared(() =>
  query
    .selectFrom('webhookEndpoints')
    .innerJoin('eventNumbers', 'eventNumbers.tenantId', 'webhookEndpoints.tenantId')
    .selectAll('webhookEndpoints')
    .where('webhookEndpoints.disabledAt', 'is', null)
    .whereRef('webhookEndpoints.position', '<', 'eventNumbers.last')
    .orderBy('webhookEndpoints.id'),
);

export async function insertEndpoint(
  tx: Tx,
  { types, ...endpoint }: WebhookEndpoint,
  secret: Buffer,
): Promise<void> {
  const row = { ...endpoint, types: types === null ? null : JSON.stringify(types) };
  await tx
    .insertInto('webhookEndpoints')
    .values({ ...row, secret, previousSecret: null })
    .execute();
}

/** Changes what is said of an endpoint. */
export async function updateEndpoint(
  tx: Tx,
  { tenantId, id }: Pick<WebhookEndpoint, 'tenantId' | 'id'>,
  { types, ...changes }: Partial<Omit<WebhookEndpoint, 'id' | 'tenantId'>> & Partial<SealedSecrets>,
): Promise<void> {
  const listed = types === undefined ? {} : { types: types === null ? null : JSON.stringify(types) };
  await updateRow(tx, 'webhookEndpoints', { tenantId, id }, { ...changes, ...listed });
}

/** An endpoint was told of all events up to a number. */
export async function moveEndpoint(
  tx: Tx,
  { id }: Pick<WebhookEndpoint, 'id'>,
  position: number,
): Promise<void> {
  await movement.changeOne(tx, { id, position });
}

const movement = prepared(({ id, position }: Pick<WebhookEndpoint, 'id' | 'position'>) =>
  query.updateTable('webhookEndpoints').set({ position }).where('id', '=', id),
);

/** Deletes an endpoint, with all that it was told. */
export async function deleteEndpoint(
  tx: Tx,
  { tenantId, id }: Pick<WebhookEndpoint, 'tenantId' | 'id'>,
): Promise<void> {
  await deleteRows(tx, 'webhookAttempts', { endpointId: id });
  await deleteRows(tx, 'webhookDeliveries', { endpointId: id });
  await deleteRows(tx, 'webhookEndpoints', { tenantId, id });
}

function fromRow({ secret: _, previousSecret: __, types, ...row }: EndpointRow): WebhookEndpoint {
  return { ...row, types: types === null ? null : (JSON.parse(types) as WebhookEndpoint['types']) };
}
