import { isRefusal } from '../../../core/decision.ts';
import { authenticateClient } from '../../../core/oidc/client-authentication.ts';
import { readRefreshToken, refresh, unknownToken } from '../../../core/refresh-token.ts';
import { apply } from '../../../storage/apply.ts';
import { findClient } from '../../../storage/client.ts';
import { findMember } from '../../../storage/members/member.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import { protocolError } from '../../answers.ts';
import type { Grant } from '../token.ts';

/** grant_type=refresh_token (RFC 6749 §6; decisions 24, 25, 28). */
export const refreshTokenGrant: Grant = async ({ tenant, credentials, fields, deps }) => {
  const { refresh_token: text, scope } = fields;
  if (text === undefined) throw protocolError('invalid_request', 'refresh_token is missing');
  const { store, clock } = deps;
  return store.transaction(async (tx) => {
    const client = authenticateClient(await findClient(tx, tenant.id, credentials.clientId), credentials);
    if (isRefusal(client)) return client;
    const token = readRefreshToken(tenant.tokenKey, text);
    if (token === null) return unknownToken;
    const signIn = await findSignIn(tx, tenant.id, token.signInId);
    const member = signIn === null ? null : await findMember(tx, tenant.id, signIn.memberId);
    const decision = refresh(signIn, { client, token, member, scope, now: clock() });
    await apply(tx, decision.writes);
    return decision.answer;
  });
};
