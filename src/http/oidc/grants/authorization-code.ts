import { exchange } from '../../../core/authorization-code.ts';
import { isRefusal } from '../../../core/decision.ts';
import { sha256 } from '../../../core/hash.ts';
import { authenticateClient } from '../../../core/oidc/client-authentication.ts';
import { apply } from '../../../storage/apply.ts';
import { findAuthorizationCode } from '../../../storage/authorization-code.ts';
import { findClient } from '../../../storage/client.ts';
import { findMember } from '../../../storage/members/member.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import { protocolError } from '../../answers.ts';
import type { Grant } from '../token.ts';

/** grant_type=authorization_code (RFC 6749 §4.1.3, RFC 7636 §4.5; decisions 17 to 19). */
export const authorizationCodeGrant: Grant = async ({ tenant, credentials, fields, deps }) => {
  const { code, code_verifier: codeVerifier, redirect_uri: redirectUri } = fields;
  if (code === undefined) throw protocolError('invalid_request', 'code is missing');
  const { store, clock, random } = deps;
  return store.transaction(async (tx) => {
    const client = authenticateClient(await findClient(tx, tenant.id, credentials.clientId), credentials);
    if (isRefusal(client)) return client;
    const now = clock();
    const stored = await findAuthorizationCode(tx, tenant.id, sha256(code));
    const member = stored === null ? null : await findMember(tx, tenant.id, stored.memberId);
    const begun = stored?.signInId ? await findSignIn(tx, tenant.id, stored.signInId) : null;
    const signInId = random.id(now);
    const decision = exchange(stored, { client, member, begun, codeVerifier, redirectUri, now, signInId });
    await apply(tx, decision.writes);
    return decision.answer;
  });
};
