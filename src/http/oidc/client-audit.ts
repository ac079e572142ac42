import type { FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import { isRefusal, type Refusal } from '../../core/decision.ts';
import { authenticateClient, type ClientCredentials } from '../../core/oidc/client-authentication.ts';
import type { AuditEvent, AuditEventName, AuditFacts } from '../../core/operators/audit-event.ts';
import { findClient } from '../../storage/client.ts';
import { actingAs } from '../../storage/operators/audited.ts';
import type { Tx } from '../../storage/store.ts';
import { noteRefusal, sourceOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { refusedByLimit } from '../limits/limit-reached.ts';
import { once } from '../limits/once.ts';
import { countFailedGrant } from './clients/failures.ts';

/** A client that is who it says it is, and the transaction in which it acts. */
export interface AuthenticatedClient {
  readonly client: Client;
  readonly tx: Tx;
}

/**
 * Finds and authenticates the client of a request; what changes from then on is its doing. A failure is
 * written down, with its client_id only if a client has it: people paste secrets into the wrong field.
 *
 * From an address that failed too often no secret is looked at. Who sends none goes on: TVs do, and the next
 * one may be in the room beside whoever guesses.
 */
export async function clientOfRequest(
  tx: Tx,
  request: FastifyRequest,
  credentials: ClientCredentials,
  deps: Deps,
  secretIsOptional = false,
): Promise<AuthenticatedClient | Refusal> {
  const { tenant, address } = request;
  const hasSecret = credentials.secret !== null;
  const wait = hasSecret
    ? once(request, 'wait of a failed client', () => deps.failedClients.waitOf(tenant, address))
    : null;
  if (wait !== null) return refusedByLimit(request, 'client_authentications', wait);
  const found = await findClient(tx, tenant.id, credentials.clientId);
  const client = authenticateClient(found, credentials, secretIsOptional);
  if (isRefusal(client)) {
    const wait = once(request, 'failed client', () => deps.failedClients.count(tenant, address));
    if (wait !== null) return refusedByLimit(request, 'client_authentications', wait);
    const clientId = found?.clientId ?? null;
    const reason = client.description;
    noteRefusal(request, { event: 'client_authentication_failed', clientId, target: clientId, reason });
    return client;
  }
  request.caller = { tenant, clientId: client.clientId };
  const by = { actorKind: 'client', actorId: client.clientId, clientId: client.clientId } as const;
  return { client, tx: actingAs(tx, { ...sourceOf(request, deps), ...by }) };
}

/** Writes down why a grant was refused, unless what the refusal changed says so already. */
export function noteRefusedGrant(
  request: FastifyRequest,
  { clientId }: Client,
  written: readonly AuditEvent[],
  facts: Pick<AuditFacts, 'reason' | 'target'> & { readonly event: AuditEventName },
): void {
  if (written.some(({ result }) => result === 'refused')) return;
  noteRefusal(request, { ...facts, actorKind: 'client', actorId: clientId, clientId });
}

/** A grant that was refused, after what the refusal changed was written. */
interface RefusedGrant {
  readonly answer: Refusal;
  readonly changed: boolean;
  readonly written: readonly AuditEvent[];
  readonly facts: Parameters<typeof noteRefusedGrant>[3];
}

/** Counts a refused grant and writes it down. @returns what is answered: the limit's refusal beyond the limit */
export function refuseGrant(
  request: FastifyRequest,
  client: Client,
  { answer, changed, written, facts }: RefusedGrant,
  deps: Pick<Deps, 'rateLimiter'>,
): Refusal {
  const limited = once(request, 'failed grant', () =>
    countFailedGrant(request, client, answer, changed, deps),
  );
  if (limited !== null) return limited;
  noteRefusedGrant(request, client, written, facts);
  return answer;
}
