// The introspection endpoint: what a token says, and whether it lives.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRefusal, type Refusal, refusal } from '../../core/decision.ts';
import { readServiceToken, servicePermissions } from '../../core/grants/client-credentials.ts';
import { isLiveRefreshToken, readRefreshToken } from '../../core/grants/refresh-token.ts';
import {
  type Asker,
  accessTokenAnswer,
  type Introspected,
  inactive,
  mayAskAbout,
  refreshTokenAnswer,
} from '../../core/oidc/introspection.ts';
import { type Actor, permit } from '../../core/operators/permission.ts';
import type { SigningAlgorithm } from '../../core/tenant.ts';
import { keyToSign } from '../../operations/tenant/keys.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { signToken, verifyToken } from '../../secrets/signing.ts';
import { findClient } from '../../storage/clients/client.ts';
import { findSignInWithMember } from '../../storage/grants/sign-in.ts';
import type { Tx } from '../../storage/store.ts';
import { noStore, protocolError, refuseOtherMethods, sendJson, sendRefusal } from '../answers.ts';
import type { Deps } from '../deps.ts';
import { protocolForm } from '../form.ts';
import { obeyingChanges } from '../tenant.ts';
import { bearerMember, sendBearerProblem } from './bearer.ts';
import { clientParameters } from './client/client-assertion.ts';
import { asClient, clientCredentials } from './client/client-authentication.ts';
import { auditMalformed } from './malformed-request.ts';

const parameters = ['token', 'token_type_hint', ...clientParameters] as const;
const signedType = 'application/token-introspection+jwt';

/** Finds who calls by a token of the admin API; null where the answer is sent (`http/admin/api-token.ts`). */
export type FindOperator = (
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
) => Promise<{ readonly actor: Actor; readonly demand?: (tx: Tx) => Promise<void> } | null>;

type Claims = Readonly<Record<string, unknown>>;

/** What came, verified as far as that needs no transaction. */
interface Sent {
  readonly token: string;
  /** What an access token of the tenant says that has not expired; null for anything else. */
  readonly claims: Claims | null;
}

/** POST /api/oidc/introspect (RFC 7662 §2; RFC 9701; interop 52; decision 52). */
export function introspectionEndpoint(app: FastifyInstance, deps: Deps, findOperator: FindOperator): void {
  const url = '/api/oidc/introspect';
  refuseOtherMethods(app, url, ['POST']);
  auditMalformed(app, 'token_request_refused', deps);
  app.post(url, async (request, reply) => {
    const { tenant } = request;
    const { token, token_type_hint: _hint, ...fields } = protocolForm(request, parameters);
    if (token === undefined) throw protocolError('invalid_request', 'token is missing');
    const sent: Sent = { token, claims: await claimsOf(tenant, token, deps) };

    if (/^bearer /i.test(request.headers.authorization ?? '')) {
      const answer = await askedByOperator(request, reply, sent, deps, findOperator);
      return answer === null ? reply : send(reply, answer.introspected, answer.asker, 'RS256', deps);
    }
    const credentials = clientCredentials(request, fields);
    const asked = await asClient(
      request,
      credentials,
      deps,
      async (tx, client): Promise<{ answer: Introspected; algorithm: SigningAlgorithm } | Refusal> => {
        if (!client.introspection) return notAllowed;
        return {
          answer: await introspect(tx, tenant, client, sent, deps),
          algorithm: client.idTokenAlgorithm,
        };
      },
      { kind: 'lookUp' },
    );
    if (isRefusal(asked)) return sendRefusal(reply, asked);
    return send(reply, asked.answer, credentials.clientId, asked.algorithm, deps);
  });
}

const notAllowed = refusal('unauthorized_client', 'this client may not introspect tokens');

/** @returns null where the answer is sent */
async function askedByOperator(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: Sent,
  deps: Deps,
  findOperator: FindOperator,
): Promise<{ readonly introspected: Introspected; readonly asker: string } | null> {
  const { tenant } = request;
  const caller = await findOperator(request, reply, deps);
  if (caller === null) return null;
  const { actor } = caller;
  const demand = { permission: 'tokens:introspect', reach: 'tenant', tenantId: tenant.id } as const;
  const isPerson = actor.kind !== 'token' && actor.kind !== 'client';
  if (isPerson || permit(actor, demand) !== 'granted') {
    const text = 'the token lacks the permission tokens:introspect';
    sendBearerProblem(reply, 'insufficient_scope', { text });
    return null;
  }
  const introspected = await obeyingChanges(request, deps.tenants, deps.store.lookUp, (tx) =>
    introspect(tx, tenant, 'operator', sent, deps),
  );
  return { introspected, asker: actor.kind === 'token' ? actor.tokenId : actor.clientId };
}

/** Whether a token lives is asked live, as by UserInfo; nothing is written, and an old refresh token is no reuse here. */
async function introspect(
  tx: Tx,
  tenant: OpenTenant,
  asker: Asker,
  { token, claims }: Sent,
  deps: Deps,
): Promise<Introspected> {
  if (claims !== null) return accessToken(tx, tenant, asker, claims, deps);
  const refreshToken = readRefreshToken(tenant.tokenKey, token);
  if (refreshToken === null) return inactive;
  const found = await findSignInWithMember(tx, tenant.id, refreshToken.signInId);
  if (found === null) return inactive;
  const { signIn, member } = found;
  if (asker !== 'operator' && asker.clientId !== signIn.clientId) return inactive;
  const client = await findClient(tx, tenant.id, signIn.clientId);
  if (client === null) return inactive;
  const of = { client, token: refreshToken, member, now: deps.clock() };
  return isLiveRefreshToken(signIn, of)
    ? refreshTokenAnswer(signIn, client, tenant.issuer, refreshToken)
    : inactive;
}

/**
 * It lives until its expiry, as long as its member may sign in, and its session where it needs one (decisions 27, 28, 52);
 * one that a client has in its own name, as long as that client is there.
 */
async function accessToken(
  tx: Tx,
  tenant: OpenTenant,
  asker: Asker,
  claims: Claims,
  { clock, config }: Deps,
): Promise<Introspected> {
  if (!mayAskAbout(asker, claims, config.apiAudience)) return inactive;
  const [memberId, sessionId, clientId, scope] = [claims.sub, claims.sid, claims.client_id, claims.scope].map(
    String,
  ) as [string, string, string, string];
  const service = readServiceToken(claims);
  if (service !== null) {
    const client = await findClient(tx, tenant.id, clientId);
    // Our own APIs take it as long as its client gets such tokens (interop 61).
    const isOver = claims.aud === config.apiAudience && servicePermissions(service, client) === null;
    return client === null || isOver ? inactive : accessTokenAnswer(claims);
  }
  const bearer = { tenant, memberId, sessionId, clientId, scope };
  return (await bearerMember(tx, bearer, clock())) === null ? inactive : accessTokenAnswer(claims);
}

async function claimsOf(tenant: OpenTenant, token: string, { clock }: Deps): Promise<Claims | null> {
  const { keys, issuer, tokensFrom } = tenant;
  const claims = await verifyToken(keys, token, { type: 'at+jwt', issuer, now: clock() });
  // What was revoked since a backup was taken, its restored database does not know (security, promise 6).
  return claims === null || Number(claims.iat) * 1_000 < tokensFrom ? null : { ...claims };
}

/** As JSON, or signed where that alone is asked for by its name (RFC 9701 §4, §5). */
async function send(
  reply: FastifyReply,
  answer: Introspected,
  asker: string,
  algorithm: SigningAlgorithm,
  deps: Deps,
): Promise<FastifyReply> {
  const { tenant, headers } = reply.request;
  if (!wantsSigned(headers.accept)) return sendJson(reply, answer);
  const now = deps.clock();
  const key = await keyToSign(deps.store, tenant, algorithm, { ...deps, now });
  const about = { iss: tenant.issuer, aud: asker, iat: Math.floor(now / 1_000) };
  const signed = await signToken(key, 'token-introspection+jwt', { ...about, token_introspection: answer });
  return noStore(reply).type(signedType).send(signed);
}

const wantsSigned = (accept = ''): boolean =>
  accept.split(',').some((range) => {
    const [type, ...rest] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === signedType && !rest.some((part) => /^q=0(?:\.0*)?$/.test(part));
  });
