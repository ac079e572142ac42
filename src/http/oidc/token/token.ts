// The token endpoint.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../../../core/client.ts';
import { isRefusal } from '../../../core/decision.ts';
import { type ServiceGrant, serviceTokenClaims } from '../../../core/grants/client-credentials.ts';
import { writeRefreshToken } from '../../../core/grants/refresh-token.ts';
import { type Holder, holderOf } from '../../../core/grants/reuse.ts';
import {
  accessTokenAlgorithm,
  accessTokenClaims,
  idTokenClaims,
  type RefreshToken,
  type TokenGrant,
} from '../../../core/grants/tokens.ts';
import { keyToSign } from '../../../operations/tenant/keys.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { findSigningKey, signingKeyFor, signToken } from '../../../secrets/signing.ts';
import { apply } from '../../../storage/apply.ts';
import type { Tx } from '../../../storage/store.ts';
import { addressKey } from '../../address.ts';
import { protocolError, refuseOtherMethods, sendJson, sendRefusal } from '../../answers.ts';
import { cors, tenantDpop, tenantOrigins } from '../../cors.ts';
import type { Deps } from '../../deps.ts';
import { protocolForm } from '../../form.ts';
import { asClient, clientCredentials, refuseGrant } from '../client/client-authentication.ts';
import { decideWithKey, sentProof, tellNonce } from '../dpop/proof.ts';
import { auditMalformed } from '../malformed-request.ts';
import { tokenUrl } from '../paths.ts';
import { grants, tokenParameters } from './grants.ts';

/** POST /api/oidc/token (contract, "POST /api/oidc/token"; decisions 15 to 28). */
export function tokenEndpoint(app: FastifyInstance, deps: Deps): void {
  cors(app, tokenUrl, ['POST'], tenantOrigins, {}, tenantDpop);
  refuseOtherMethods(app, tokenUrl, ['POST', 'OPTIONS']);
  auditMalformed(app, 'token_request_refused', deps);
  app.post(tokenUrl, async (request, reply) => {
    const { tenant } = request;
    const fields = protocolForm(request, tokenParameters);
    const { grant_type: grantType } = fields;
    if (grantType === undefined) throw protocolError('invalid_request', 'grant_type is missing');
    const grant = Object.hasOwn(grants, grantType) ? grants[grantType] : undefined;
    if (grant === undefined || grant.isOn?.(tenant) === false) {
      throw protocolError('unsupported_grant_type', 'this grant_type is not supported');
    }
    const credentials = clientCredentials(request, fields);
    const value = grant.takes === undefined ? '' : fields[grant.takes];
    if (value === undefined) throw protocolError('invalid_request', `${grant.takes} is missing`);
    const proof = await sentProof(request, null, deps);
    const seen = { code: null, now: null };
    const holder = holderOnce(request);
    const work = async (tx: Tx, client: Client) => {
      const decide = (jkt: string | null) =>
        grant.decide(tx, { tenant, client, value, fields, jkt, seen, holder }, deps);
      const decision = await decideWithKey(tx, { client, tenant, proof }, decide, deps);
      const { reason, rule } = decision.because ?? {};
      const written = await apply(tx, decision.writes, { reason, rule });
      return { ...decision, client, written };
    };
    const decided = await asClient(request, credentials, deps, work, { kind: grant.kind });
    if (isRefusal(decided)) return sendRefusal(reply, decided);
    const { answer, client } = decided;
    tellNonce(reply, client, tenant, proof, deps);
    if (decided.because?.reuse !== undefined) {
      deps.metrics?.refreshReused(tenant.host, client, decided.because.reuse);
    }
    if (isRefusal(answer)) return sendRefusal(reply, await refuseGrant(request, answer, decided, deps));
    if (answer.kind === 'tokens' && answer.refreshToken !== null) {
      noteIfLost(reply, answer.refreshToken, deps);
    }
    const issue =
      answer.kind === 'service' ? issueService(tenant, answer, deps) : issueTokens(tenant, answer, deps);
    return sendJson(reply, await issue);
  });
}

/** Where a request comes from, found once however often its work runs. */
function holderOnce({ tenant, address, headers }: FastifyRequest): () => Holder {
  let found: Holder | undefined;
  return () => {
    found ??= holderOf(tenant.tokenKey, addressKey(address), headers['user-agent'] ?? '');
    return found;
  };
}

/** Remembers that an answer never left, since its connection was closed before. */
function noteIfLost({ raw }: FastifyReply, token: RefreshToken, { lostAnswers }: Deps): void {
  raw.once('close', () => {
    if (!raw.writableFinished) lostAnswers.note(token);
  });
}

/** Signs what a client gets in its own name: an access token and nothing else (RFC 6749 §4.4.3). */
async function issueService(
  tenant: OpenTenant,
  grant: ServiceGrant,
  { config, random }: Deps,
): Promise<object> {
  const { client, api, issuedAt, scope } = grant;
  const { issuer, tokensFrom } = tenant;
  const claims = serviceTokenClaims(grant, issuer, config.apiAudience, random.id(issuedAt), tokensFrom);
  const algorithm = accessTokenAlgorithm(client, api?.accessTokenAlgorithm ?? config.apiAlgorithm);
  return {
    token_type: grant.jkt === null ? 'Bearer' : 'DPoP',
    expires_in: client.accessTokenSeconds,
    access_token: await signToken(signingKeyFor(tenant.keys, algorithm, issuedAt), 'at+jwt', claims),
    scope,
  };
}

/** Signs what was decided and committed (contract, "Token response"; RFC 6749 §5.1, Core §3.1.3.3). */
async function issueTokens(tenant: OpenTenant, grant: TokenGrant, deps: Deps): Promise<object> {
  const { config, random, store } = deps;
  const { client, api, refreshToken, issuedAt } = grant;
  const tokenId = random.id(issuedAt);
  const { issuer, tokensFrom } = tenant;
  const accessClaims = accessTokenClaims(grant, issuer, config.apiAudience, tokenId, tokensFrom);
  const accessAlgorithm = accessTokenAlgorithm(client, api?.accessTokenAlgorithm ?? config.apiAlgorithm);
  const accessKey = signingKeyFor(tenant.keys, accessAlgorithm, issuedAt);
  const accessToken = await signToken(accessKey, 'at+jwt', accessClaims);
  const idClaims = idTokenClaims(grant, issuer, accessToken);
  const algorithm = client.idTokenAlgorithm;
  const idKey =
    findSigningKey(tenant.keys, algorithm, issuedAt) ??
    (await keyToSign(store, tenant, algorithm, { ...deps, now: issuedAt }));
  const idToken = idClaims === null ? undefined : await signToken(idKey, 'JWT', idClaims);
  return {
    token_type: grant.jkt === null ? 'Bearer' : 'DPoP',
    expires_in: client.accessTokenSeconds,
    access_token: accessToken,
    ...(refreshToken === null ? {} : { refresh_token: writeRefreshToken(tenant.tokenKey, refreshToken) }),
    ...(idToken === undefined ? {} : { id_token: idToken }),
    scope: accessClaims.scope,
  };
}
