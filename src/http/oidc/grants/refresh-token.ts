import { isRefusal, type Write } from '../../../core/decision.ts';
import { ageOfReused, whyNotRefreshed } from '../../../core/operators/refused-grant.ts';
import { readRefreshToken, refresh, unknownToken } from '../../../core/refresh-token.ts';
import { apply } from '../../../storage/apply.ts';
import { findMember } from '../../../storage/members/member.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import { protocolError } from '../../answers.ts';
import { once } from '../../limits/once.ts';
import { clientOfRequest, refuseGrant } from '../client-audit.ts';
import type { Grant } from '../token.ts';

const event = 'refresh_refused';

/** grant_type=refresh_token (RFC 6749 §6; decisions 24, 25, 28). */
export const refreshTokenGrant: Grant = async ({ request, credentials, fields, deps }) => {
  const { refresh_token: text, scope } = fields;
  if (text === undefined) throw protocolError('invalid_request', 'refresh_token is missing');
  const { tenant } = request;
  const { store, clock, metrics } = deps;
  return store.transaction(async (shared) => {
    const authenticated = await clientOfRequest(shared, request, credentials, deps);
    if (isRefusal(authenticated)) return authenticated;
    const { client, tx } = authenticated;
    const token = readRefreshToken(tenant.tokenKey, text);
    if (token === null) {
      const facts = { event, reason: 'this is no refresh token of the tenant' } as const;
      return refuseGrant(request, client, { answer: unknownToken, changed: false, written: [], facts }, deps);
    }
    const now = clock();
    const signIn = await findSignIn(tx, tenant.id, token.signInId);
    const member = signIn === null ? null : await findMember(tx, tenant.id, signIn.memberId);
    const { answer, writes } = refresh(signIn, { client, token, member, scope, now });
    const isReused = writes.some(isReuse);
    const age = signIn !== null && isReused ? { reason: ageOfReused(token.generation, signIn, now) } : {};
    const written = await apply(tx, writes, age);
    if (isReused) once(request, 'refresh reused', () => metrics?.refreshReused(tenant.host));
    if (isRefusal(answer)) {
      const reason = whyNotRefreshed(signIn, client, member, now);
      const facts = { event, target: signIn?.id ?? null, reason } as const;
      return refuseGrant(request, client, { answer, changed: writes.length > 0, written, facts }, deps);
    }
    return answer;
  });
};

const isReuse = (write: Write) => write.write === 'endSignIn' && write.reason === 'refresh_token_reused';
