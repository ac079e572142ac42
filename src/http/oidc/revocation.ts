// The revocation of what the token endpoint gave.
import type { FastifyInstance } from 'fastify';
import type { Client } from '../../core/client.ts';
import { readRefreshToken, revoke } from '../../core/grants/refresh-token.ts';
import { apply } from '../../storage/apply.ts';
import { findSignIn } from '../../storage/grants/sign-in.ts';
import type { Tx } from '../../storage/store.ts';
import { noStore, protocolError, refuseOtherMethods, sendRefusal } from '../answers.ts';
import { cors, tenantOrigins } from '../cors.ts';
import type { Deps } from '../deps.ts';
import { protocolForm } from '../form.ts';
import { clientParameters } from './client/client-assertion.ts';
import { asClient, clientCredentials } from './client/client-authentication.ts';
import { auditMalformed } from './malformed-request.ts';

const revocationParameters = ['token', 'token_type_hint', ...clientParameters] as const;

/** POST /api/oidc/token/revocation (contract; RFC 7009; decision 35). */
export function revocationEndpoint(app: FastifyInstance, deps: Deps): void {
  const url = '/api/oidc/token/revocation';
  cors(app, url, ['POST'], tenantOrigins);
  refuseOtherMethods(app, url, ['POST', 'OPTIONS']);
  auditMalformed(app, 'token_request_refused', deps);
  app.post(url, async (request, reply) => {
    const { tenant } = request;
    const { token: text, token_type_hint: hint, ...fields } = protocolForm(request, revocationParameters);
    if (text === undefined) throw protocolError('invalid_request', 'token is missing');
    const credentials = clientCredentials(request, fields);
    const revoked = async (tx: Tx, client: Client) => {
      const token = readRefreshToken(tenant.tokenKey, text);
      if (token === null || (hint !== undefined && hint !== 'refresh_token')) return null;
      const signIn = await findSignIn(tx, tenant.id, token.signInId);
      await apply(tx, revoke(signIn, { client, token, now: deps.clock() }));
      return null;
    };
    const refused = await asClient(request, credentials, deps, revoked, { secretIsOptional: true });
    return refused === null ? noStore(reply).status(200).send() : sendRefusal(reply, refused);
  });
}
