/** The client of a request: who it is, and what it was refused. */
import type { FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import { type Because, isRefusal, type Refusal } from '../../core/decision.ts';
import { authenticateClient, type ClientCredentials } from '../../core/oidc/client-authentication.ts';
import type { AuditEvent } from '../../core/operators/audit-event.ts';
import type { Write } from '../../core/write.ts';
import { findClient } from '../../storage/client.ts';
import { actingAs } from '../../storage/operators/audited.ts';
import type { Tx } from '../../storage/store.ts';
import { noteRefusal, sourceOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { refusedByLimit } from '../limits/limit-reached.ts';
import { countFailedGrant } from './clients/failures.ts';

/**
 * Runs work in a transaction, as the client of the request if it is who it says it is: what changes is its doing.
 * A failure is written down, with its client_id only if a client has it: people paste secrets into the wrong field.
 *
 * From an address that failed too often no secret is looked at. A client that sends none goes on: TVs do, and the
 * next one may be in the room beside an attacker.
 *
 * @returns what the work returned, or why the client is refused
 */
export async function asClient<T>(
  request: FastifyRequest,
  credentials: ClientCredentials,
  deps: Deps,
  work: (tx: Tx, client: Client) => Promise<T>,
  secretIsOptional = false,
): Promise<T | Refusal> {
  const { tenant, address } = request;
  const done = await deps.store.transaction(async (tx) => {
    const wait = credentials.secret === null ? null : deps.failedClients.waitOf(tenant, address);
    if (wait !== null) return { wait };
    const found = await findClient(tx, tenant.id, credentials.clientId);
    const client = authenticateClient(found, credentials, secretIsOptional);
    if (isRefusal(client)) {
      const clientId = found?.clientId ?? null;
      return { wait: deps.failedClients.count(tx, tenant, address), refused: client, clientId };
    }
    const { clientId } = client;
    request.caller = { tenant, clientId };
    const by = { actorKind: 'client', actorId: clientId, clientId } as const;
    const own = actingAs(tx, () => ({ ...sourceOf(request, deps), ...by }));
    return { result: await work(own, client) };
  });
  if ('result' in done) return done.result;
  if (done.wait !== null) return refusedByLimit(request, 'client_authentications', done.wait);
  const { refused, clientId } = done;
  const reason = refused.description;
  noteRefusal(request, { event: 'client_authentication_failed', clientId, target: clientId, reason });
  return refused;
}

/** What a client asked for, decided and committed. */
interface Decided {
  readonly client: Client;
  readonly writes: readonly Write[];
  /** Left out where the client is told to wait, and was refused nothing. */
  readonly because?: Because;
  /** What the audit has of it already. */
  readonly written: readonly AuditEvent[];
}

/**
 * Counts a refused grant and writes down why, unless what the refusal changed says so already.
 *
 * @returns what is answered: the limit's refusal beyond the limit
 */
export function refuseGrant(
  request: FastifyRequest,
  refused: Refusal,
  { client, writes, because, written }: Decided,
  deps: Pick<Deps, 'rateLimiter'>,
): Refusal {
  if (because === undefined) return refused;
  const limited = countFailedGrant(request, client, refused, writes.length > 0, deps);
  if (limited !== null) return limited;
  if (!written.some(({ result }) => result === 'refused')) noteRefusedClient(request, client, because);
  return refused;
}

/** Writes down what a client was refused. */
export function noteRefusedClient(request: FastifyRequest, { clientId }: Client, because: Because): void {
  noteRefusal(request, { ...because, actorKind: 'client', actorId: clientId, clientId });
}
