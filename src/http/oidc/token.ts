import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isRefusal, type Refusal } from '../../core/decision.ts';
import type { ClientCredentials } from '../../core/oidc/client-authentication.ts';
import type { TokenGrant } from '../../core/tokens.ts';
import { protocolError, refuseOtherMethods, sendJson, sendRefusal } from '../answers.ts';
import { cors, tenantOrigins } from '../cors.ts';
import type { Deps } from '../deps.ts';
import { protocolForm } from '../form.ts';
import { clientCredentials } from './client-credentials.ts';
import { authorizationCodeGrant } from './grants/authorization-code.ts';
import { deviceCodeGrant } from './grants/device-code.ts';
import { refreshTokenGrant } from './grants/refresh-token.ts';
import { issueTokens } from './issue-tokens.ts';
import { auditMalformed } from './malformed-request.ts';

const parameters = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'code_verifier',
  'redirect_uri',
  'refresh_token',
  'scope',
  'device_code',
] as const;

export type TokenFields = Partial<Record<(typeof parameters)[number], string>>;

/** A token request of one grant, its client not yet authenticated. */
export interface GrantRequest {
  readonly request: FastifyRequest;
  readonly credentials: ClientCredentials;
  readonly fields: TokenFields;
  readonly deps: Deps;
}

/** A grant: load, decide, apply; what it returns is signed or refused by the endpoint. */
export type Grant = (request: GrantRequest) => Promise<TokenGrant | Refusal>;

const grants: Readonly<Record<string, Grant>> = {
  authorization_code: authorizationCodeGrant,
  refresh_token: refreshTokenGrant,
  'urn:ietf:params:oauth:grant-type:device_code': deviceCodeGrant,
};

export const tokenUrl = '/api/oidc/token';

/** POST /api/oidc/token (contract, "POST /api/oidc/token"; decisions 15 to 28). */
export function tokenEndpoint(app: FastifyInstance, deps: Deps): void {
  cors(app, tokenUrl, ['POST'], tenantOrigins);
  refuseOtherMethods(app, tokenUrl, ['POST', 'OPTIONS']);
  auditMalformed(app, 'token_request_refused', deps);
  app.post(tokenUrl, async (request, reply) => {
    const { tenant } = request;
    const fields = protocolForm(request, parameters);
    const { grant_type: grantType } = fields;
    if (grantType === undefined) throw protocolError('invalid_request', 'grant_type is missing');
    const grant = Object.hasOwn(grants, grantType) ? grants[grantType] : undefined;
    if (grant === undefined) {
      throw protocolError('unsupported_grant_type', 'this grant_type is not supported');
    }
    const credentials = clientCredentials(request, fields);
    const answer = await grant({ request, credentials, fields, deps });
    if (isRefusal(answer)) return sendRefusal(reply, answer);
    return sendJson(reply, await issueTokens(tenant, answer, deps));
  });
}
