// Finds out where a delivery to a webhook goes.
import { webhook as limits } from '../../core/events/limits.ts';
import {
  type DeliveryRow,
  holdDeliveries,
  postponeDeliveries,
} from '../../storage/events/webhook-delivery.ts';
import { findEndpoint } from '../../storage/events/webhook-endpoint.ts';
import type { Tx } from '../../storage/store.ts';
import type { Clock } from '../../system/clock.ts';
import type { OpenTenant, Tenants } from '../tenant/open-tenants.ts';

/** Where a delivery goes, and what signs it. */
export interface Recipient {
  readonly tenant: OpenTenant;
  readonly url: string;
  /** Sealed. */
  readonly secrets: readonly Buffer[];
}

/** The recipient of a delivery; null where its endpoint or its tenant is off, and what waits is held. */
export async function recipientOf(
  tx: Tx,
  { tenantId, endpointId }: DeliveryRow,
  { tenants, clock }: { readonly tenants: Tenants; readonly clock: Clock },
): Promise<Recipient | null> {
  await tenants.follow(tx);
  const tenant = tenants.all().find(({ id }) => id === tenantId);
  const endpoint = await findEndpoint(tx, tenantId, endpointId);
  if (endpoint === null) return null;
  const { secret, previousSecret, previousUntil, url } = endpoint;
  if (endpoint.disabledAt !== null || secret === null) {
    await holdDeliveries(tx, endpointId);
    return null;
  }
  if (tenant === undefined || tenant.disabledAt !== null) {
    const to = clock() + limits.longestWait;
    await postponeDeliveries(tx, endpointId, { ids: [], from: Number.MAX_SAFE_INTEGER, to });
    return null;
  }
  const isBoth = previousSecret !== null && previousUntil !== null && clock() < previousUntil;
  return { tenant, url, secrets: isBoth ? [secret, previousSecret] : [secret] };
}
