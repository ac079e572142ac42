// The refresh token grant.
import { readRefreshToken, refresh } from '../../../core/grants/refresh-token.ts';
import { findMember } from '../../../storage/members/member.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import type { Grant } from '../token.ts';

/** grant_type=refresh_token (RFC 6749 §6; decisions 24, 25, 28). */
export const refreshTokenGrant: Grant = {
  takes: 'refresh_token',
  async decide(tx, { client, value, fields, tenant }, { clock }) {
    const token = readRefreshToken(tenant.tokenKey, value);
    const signIn = token === null ? null : await findSignIn(tx, tenant.id, token.signInId);
    const member = signIn === null ? null : await findMember(tx, tenant.id, signIn.memberId);
    return refresh(signIn, { client, token, member, scope: fields.scope, now: clock() });
  },
};
