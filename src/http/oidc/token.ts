// The token endpoint.
import type { FastifyInstance } from 'fastify';
import type { Client } from '../../core/client.ts';
import { type Decision, isRefusal, type Refusal } from '../../core/decision.ts';
import type { TokenGrant } from '../../core/grants/tokens.ts';
import type { Write } from '../../core/write.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { apply } from '../../storage/apply.ts';
import type { Tx } from '../../storage/store.ts';
import { protocolError, refuseOtherMethods, sendJson, sendRefusal } from '../answers.ts';
import { cors, tenantOrigins } from '../cors.ts';
import type { Deps } from '../deps.ts';
import { protocolForm } from '../form.ts';
import { asClient, refuseGrant } from './client-authentication.ts';
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

/** A token request of one grant, its client authenticated. */
export interface GrantRequest {
  readonly tenant: OpenTenant;
  readonly client: Client;
  /** What the grant takes. */
  readonly value: string;
  readonly fields: TokenFields;
}

/** A grant: what it takes, and what it loads and decides. The endpoint writes that, and signs or refuses. */
export interface Grant {
  readonly takes: keyof TokenFields;
  decide(tx: Tx, request: GrantRequest, deps: Deps): Promise<Decision<TokenGrant | Refusal, Write>>;
}

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
    const value = fields[grant.takes];
    if (value === undefined) throw protocolError('invalid_request', `${grant.takes} is missing`);
    const decided = await asClient(request, credentials, deps, async (tx, client) => {
      const decision = await grant.decide(tx, { tenant, client, value, fields }, deps);
      const written = await apply(tx, decision.writes, { reason: decision.because?.reason });
      return { ...decision, client, written };
    });
    if (isRefusal(decided)) return sendRefusal(reply, decided);
    const { answer } = decided;
    if (isRefusal(answer)) return sendRefusal(reply, refuseGrant(request, answer, decided, deps));
    return sendJson(reply, await issueTokens(tenant, answer, deps));
  });
}
