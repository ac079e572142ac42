// The endpoints at which clients register themselves.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRefusal, type Refusal, ruleOf } from '../../../core/decision.ts';
import { countingWindow, wrongSecretsPerMinute } from '../../../core/limits.ts';
import { registrationBytes } from '../../../core/registration/limits.ts';
import {
  changeRegistration,
  endRegistration,
  findRegistration,
  type Registered,
  register,
} from '../../../operations/registration/register.ts';
import { takeIn } from '../../../storage/memory/rate-limit.ts';
import type { Tx } from '../../../storage/store.ts';
import { addressKey } from '../../address.ts';
import { apiErrorHandler, refuseOtherMethods, sendJson, sendRefusal } from '../../answers.ts';
import { noteRefusal, transactionOf } from '../../audit.ts';
import { cors } from '../../cors.ts';
import type { Deps } from '../../deps.ts';
import { jsonBody } from '../../form.ts';
import { refusedByLimit } from '../../limit-reached.ts';
import { bearerToken } from '../bearer.ts';

/** Where clients register; an address of each registration stands below it. */
export const registrationUrl = '/api/oidc/register';

/**
 * POST /api/oidc/register (RFC 7591 §3), and GET, PUT and DELETE of a registration (RFC 7592 §2); interop 63. Any origin
 * may call them: what they ask for is a token, not a cookie.
 */
export function registrationEndpoints(app: FastifyInstance, deps: Deps): void {
  const oneUrl = `${registrationUrl}/:clientId`;
  // On a tenant that lets no client register itself, the endpoints do not exist.
  app.addHook('onRequest', async ({ tenant }, reply) => {
    return tenant.clientRegistration === 'off' ? reply.status(404).send() : undefined;
  });
  app.setErrorHandler(apiErrorHandler);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json(?:; *charset="?utf-8"?)?$/i,
    { parseAs: 'buffer', bodyLimit: registrationBytes },
    async (_request: unknown, bytes: Buffer) => jsonBody(bytes),
  );
  cors(app, registrationUrl, ['POST'], () => true);
  cors(app, oneUrl, ['GET', 'PUT', 'DELETE'], () => true);
  refuseOtherMethods(app, registrationUrl, ['POST', 'OPTIONS']);
  refuseOtherMethods(app, oneUrl, ['GET', 'PUT', 'DELETE', 'OPTIONS']);
  app.post(registrationUrl, { bodyLimit: registrationBytes }, (request, reply) => make(request, reply, deps));
  app.route({
    method: ['GET', 'PUT', 'DELETE'],
    url: oneUrl,
    bodyLimit: registrationBytes,
    handler: (request, reply) => manage(request, reply, deps),
  });
}

async function make(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { tenant, body } = request;
  const { registrationsPerAddressAndHour } = tenant.limits;
  const key = `registration ${tenant.id} ${addressKey(request.address)}`;
  const wait = await deps.rateLimiter.take(key, registrationsPerAddressAndHour, countingWindow.hour);
  if (wait !== null) return sendRefusal(reply, refusedByLimit(request, 'registrations', wait));
  const answer = await transactionOf(request, deps, async (tx) => {
    const now = deps.clock();
    const full = await limitOfTenant(tx, request, deps);
    return full ?? register(tx, body, bearerToken(request), { tenant, now }, deps);
  });
  if (isRefusal(answer)) return refuse(request, reply, answer);
  return sendJson(reply, described(answer, tenant.issuer), 201);
}

/** Counted for all addresses together: many networks do not fill the database either. */
async function limitOfTenant(
  tx: Tx,
  request: FastifyRequest,
  { rateLimiter }: Deps,
): Promise<Refusal | null> {
  const { id, limits } = request.tenant;
  const { hour } = countingWindow;
  const wait = await takeIn(tx, rateLimiter.shared, `registration ${id}`, limits.registrationsPerHour, hour);
  return wait === null ? null : refusedByLimit(request, 'registrations', wait, id);
}

async function manage(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { tenant, method, body } = request;
  const { clientId } = request.params as { readonly clientId: string };
  const token = bearerToken(request);
  const key = `registration token ${tenant.id} ${addressKey(request.address)}`;
  const wait = await deps.rateLimiter.look(key, wrongSecretsPerMinute, countingWindow.minute);
  if (wait !== null) return sendRefusal(reply, refusedByLimit(request, 'registrations', wait));
  const answer = await transactionOf(request, deps, (tx) => {
    const asking = { tenant, now: deps.clock() };
    if (method === 'PUT') return changeRegistration(tx, clientId, token, body, asking);
    if (method === 'DELETE') return endRegistration(tx, clientId, token, asking);
    return findRegistration(tx, clientId, token, asking);
  });
  if (answer === null) return reply.header('cache-control', 'no-store').status(204).send();
  if (!isRefusal(answer)) return sendJson(reply, described(answer, tenant.issuer));
  if (answer.error === 'invalid_token') {
    await deps.rateLimiter.take(key, wrongSecretsPerMinute, countingWindow.minute);
  }
  return refuse(request, reply, answer);
}

function refuse(request: FastifyRequest, reply: FastifyReply, refused: Refusal): FastifyReply {
  const { error, description } = refused;
  noteRefusal(request, { event: 'registration_refused', rule: ruleOf(refused), reason: description });
  if (error === 'invalid_token') reply.header('www-authenticate', `Bearer error="${error}"`);
  return sendRefusal(reply, refused);
}

/** What is registered, with all that was replaced or left out (RFC 7591 §3.2.1, RFC 7592 §3). */
function described({ client, createdAt, token }: Registered, issuer: string): object {
  const { clientId, claimedName, redirectUris, authenticationMethod, jwks, jwksUri } = client;
  const isSigned = authenticationMethod === 'private_key_jwt';
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(createdAt / 1_000),
    registration_access_token: token,
    registration_client_uri: `${issuer}${registrationUrl}/${encodeURIComponent(clientId)}`,
    ...(claimedName === null ? {} : { client_name: claimedName }),
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: isSigned ? authenticationMethod : 'none',
    ...(jwks === null ? {} : { jwks: JSON.parse(jwks) }),
    ...(jwksUri === null ? {} : { jwks_uri: jwksUri }),
    id_token_signed_response_alg: client.idTokenAlgorithm,
  };
}
