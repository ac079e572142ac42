// The endpoint at which clients push their authorization requests.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import { isRefusal, type Refusal } from '../../core/decision.ts';
import { countingWindow } from '../../core/limits.ts';
import { pushedRequestLifetime, pushedRequestsPerMinute } from '../../core/oidc/limits.ts';
import {
  authorizationParameters,
  type SentParameters,
} from '../../core/oidc/request/authorization-request.ts';
import { pushProblem } from '../../core/oidc/request/pushed-request.ts';
import { keepPushedRequest } from '../../operations/authorization/pushed-request.ts';
import { audiencesFor } from '../../operations/client/audiences.ts';
import { takeIn } from '../../storage/memory/rate-limit.ts';
import type { Tx } from '../../storage/store.ts';
import { addressKey } from '../address.ts';
import { refuseOtherMethods, sendJson, sendRefusal } from '../answers.ts';
import { cors, tenantOrigins } from '../cors.ts';
import type { Deps } from '../deps.ts';
import { protocolForm } from '../form.ts';
import { refusedByLimit } from '../limit-reached.ts';
import { clientParameters } from './client/client-assertion.ts';
import { asClient, becauseOf, clientCredentials, noteRefusedClient } from './client/client-authentication.ts';
import { boundToKey, sentProof, tellNonce } from './dpop/proof.ts';
import { auditMalformed } from './malformed-request.ts';
import { meantBy, meantRequest } from './request-object.ts';

const parameters = [...authorizationParameters, ...clientParameters] as const;

/** POST /api/oidc/par (RFC 9126 §2; interop 48). */
export function pushedRequestEndpoint(app: FastifyInstance, deps: Deps): void {
  const url = '/api/oidc/par';
  // Where no client of the tenant may push, the endpoint does not exist.
  app.addHook('onRequest', async ({ tenant }, reply) => {
    return tenant.pushedRequests === 'off' ? reply.status(404).send() : undefined;
  });
  cors(app, url, ['POST'], tenantOrigins);
  refuseOtherMethods(app, url, ['POST', 'OPTIONS']);
  auditMalformed(app, 'authorization_refused', deps);
  app.post(url, async (request, reply) => {
    const fields = protocolForm(request, parameters);
    const credentials = clientCredentials(request, fields);
    const { client_secret: _, client_assertion: _signed, client_assertion_type: _type, ...values } = fields;
    const sent = { values: { ...values, client_id: credentials.clientId }, repeated: [], pushed: true };
    const meant = await meantRequest(request, sent, deps);
    const proof = await sentProof(request, null, deps);
    const answer = await asClient(request, credentials, deps, async (tx, client) => {
      const { tenant } = request;
      tellNonce(reply, client, tenant, proof, deps);
      const bound = await boundToKey(tx, { client, tenant, proof }, meantBy(client, meant), deps);
      return isRefusal(bound) ? { client, refused: bound } : push(tx, request, client, bound, deps);
    });
    if (isRefusal(answer)) return sendRefusal(reply, answer);
    if ('requestUri' in answer) {
      const { requestUri } = answer;
      return sendJson(reply, { request_uri: requestUri, expires_in: pushedRequestLifetime / 1_000 }, 201);
    }
    const { client, refused } = answer;
    if (refused.error !== 'use_dpop_nonce') {
      noteRefusedClient(request, client, becauseOf('authorization_refused', refused));
    }
    return sendRefusal(reply, refused);
  });
}

/** What became of a request that an authenticated client pushes; a refusal by itself is a limit's. */
type Pushed =
  | { readonly requestUri: string }
  | { readonly client: Client; readonly refused: Refusal }
  | Refusal;

async function push(
  tx: Tx,
  request: FastifyRequest,
  client: Client,
  sent: SentParameters,
  deps: Deps,
): Promise<Pushed> {
  const audiences = await audiencesFor(tx, request.tenant, sent.values.resource);
  const refused = pushProblem(sent, client, audiences);
  if (refused !== null) return { client, refused };
  return (
    (await limitReached(tx, request, client, deps)) ?? {
      requestUri: await keepPushedRequest(tx, client, sent, deps.clock(), deps),
    }
  );
}

/** Anyone can push in the name of a client without a secret, so its requests are counted by address too. */
async function limitReached(
  tx: Tx,
  request: FastifyRequest,
  { tenantId, clientId, type }: Client,
  { rateLimiter }: Deps,
): Promise<Refusal | null> {
  const { minute } = countingWindow;
  if (type === 'public' && !request.tenant.development) {
    const key = `pushed ${tenantId} ${addressKey(request.address)}`;
    const wait = await takeIn(tx, rateLimiter, key, pushedRequestsPerMinute.address, minute);
    if (wait !== null) return refusedByLimit(request, 'pushed_requests', wait);
  }
  const key = `pushed ${tenantId} client ${clientId}`;
  const wait = await takeIn(tx, rateLimiter.shared, key, pushedRequestsPerMinute.client, minute);
  return wait === null ? null : refusedByLimit(request, 'pushed_requests_of_client', wait, clientId);
}
