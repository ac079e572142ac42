// Reads the request object that an authorization request comes with, before its transaction.
import type { FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import type { SentParameters } from '../../core/oidc/request/authorization-request.ts';
import {
  hasObjectKeysOf,
  type RequestObjectKeys,
  readRequestObject,
  refusedObject,
  refusedRequest,
  requestObjectTypes,
} from '../../core/oidc/request/request-object.ts';
import { readForeignJwt } from '../../secrets/foreign-jwt.ts';
import { findClient } from '../../storage/clients/client.ts';
import type { Deps } from '../deps.ts';
import { verifyByKeysOf } from './client/client-assertion.ts';

/** An authorization request as it is meant. */
export interface MeantRequest {
  readonly sent: SentParameters;
  /** The settings that its request object was verified by; null where none was. */
  readonly keys: RequestObjectKeys | null;
}

/**
 * Reads what a request means: what its client signed, where it may and does (RFC 9101 §6). All that stands beside the
 * object is ignored but the client_id (§5). A client that may not sign its requests is told so later, as ever.
 */
export async function meantRequest(
  request: FastifyRequest,
  sent: SentParameters,
  deps: Deps,
): Promise<MeantRequest> {
  const { store, clock } = deps;
  const asSent = { sent, keys: null };
  const { client_id: clientId, request: object, request_uri: requestUri } = sent.values;
  if (object === undefined || clientId === undefined || requestUri !== undefined) return asSent;
  if (sent.repeated.includes('client_id') || sent.repeated.includes('request')) return asSent;
  const { id, issuer } = request.tenant;
  const client = await store.lookUp((tx) => findClient(tx, id, clientId));
  if (client === null || client.requestObjects === 'off') return asSent;

  const asked = { token: object, types: requestObjectTypes };
  const verified = await verifyByKeysOf(client, asked, request.tenant.development, deps);
  const read = verified.ok
    ? readRequestObject(verified.claims, { clientId, issuer, now: clock() })
    : verified.reason;
  if (typeof read !== 'string') {
    return { sent: { ...sent, values: read, repeated: [], signed: true }, keys: client };
  }
  const unverified = readForeignJwt(object);
  const claims = typeof unverified === 'string' ? {} : unverified.claims;
  return { sent: refusedRequest(sent, claims, refusedObject(read)), keys: null };
}

/** The same in the transaction: the keys of the client may have changed since. */
export function meantBy(client: Client | null, { sent, keys }: MeantRequest): SentParameters {
  if (keys === null || client === null || hasObjectKeysOf(client, keys)) return sent;
  return refusedRequest(sent, {}, refusedObject('the keys of the client changed while it was verified'));
}
