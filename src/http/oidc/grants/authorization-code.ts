// The authorization code grant.
import { isRefusal } from '../../../core/decision.ts';
import { exchange } from '../../../core/grants/authorization-code.ts';
import { sha256 } from '../../../core/hash.ts';
import { makeRoomForSignIn } from '../../../operations/sign-in/sign-in.ts';
import { findAuthorizationCode } from '../../../storage/authorization-code.ts';
import { findMember } from '../../../storage/members/member.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import type { Grant } from '../token.ts';

/** grant_type=authorization_code (RFC 6749 §4.1.3, RFC 7636 §4.5; decisions 17 to 19). */
export const authorizationCodeGrant: Grant = {
  takes: 'code',
  async decide(tx, { client, value, fields, tenant }, { clock, random }) {
    const { code_verifier: codeVerifier, redirect_uri: redirectUri } = fields;
    const now = clock();
    const code = await findAuthorizationCode(tx, tenant.id, sha256(value));
    const member = code === null ? null : await findMember(tx, tenant.id, code.memberId);
    const begun = code?.signInId ? await findSignIn(tx, tenant.id, code.signInId) : null;
    const signInId = random.id(now);
    const decision = exchange(code, { client, member, begun, codeVerifier, redirectUri, now, signInId });
    if (!isRefusal(decision.answer)) await makeRoomForSignIn(tx, decision.answer);
    return decision;
  },
};
