import { exchange } from '../../../core/authorization-code.ts';
import { isRefusal } from '../../../core/decision.ts';
import { sha256 } from '../../../core/hash.ts';
import { whyNotExchanged } from '../../../core/operators/refused-grant.ts';
import { makeRoomForSignIn } from '../../../operations/sign-in/sign-in.ts';
import { apply } from '../../../storage/apply.ts';
import { findAuthorizationCode } from '../../../storage/authorization-code.ts';
import { findMember } from '../../../storage/members/member.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import { protocolError } from '../../answers.ts';
import { clientOfRequest, refuseGrant } from '../client-audit.ts';
import type { Grant } from '../token.ts';

/** grant_type=authorization_code (RFC 6749 §4.1.3, RFC 7636 §4.5; decisions 17 to 19). */
export const authorizationCodeGrant: Grant = async ({ request, credentials, fields, deps }) => {
  const { code, code_verifier: codeVerifier, redirect_uri: redirectUri } = fields;
  if (code === undefined) throw protocolError('invalid_request', 'code is missing');
  const { tenant } = request;
  const { store, clock, random } = deps;
  return store.transaction(async (shared) => {
    const authenticated = await clientOfRequest(shared, request, credentials, deps);
    if (isRefusal(authenticated)) return authenticated;
    const { client, tx } = authenticated;
    const now = clock();
    const stored = await findAuthorizationCode(tx, tenant.id, sha256(code));
    const member = stored === null ? null : await findMember(tx, tenant.id, stored.memberId);
    const begun = stored?.signInId ? await findSignIn(tx, tenant.id, stored.signInId) : null;
    const signInId = random.id(now);
    const sent = { client, member, begun, codeVerifier, redirectUri, now, signInId };
    const { answer, writes } = exchange(stored, sent);
    // The end of a sign-in by a code that came twice has its own words.
    const isOver = writes.some(({ write }) => write === 'endSignIn');
    const refused = isRefusal(answer) && !isOver ? { reason: whyNotExchanged(stored, sent) } : {};
    if (!isRefusal(answer)) await makeRoomForSignIn(tx, answer);
    const written = await apply(tx, writes, refused);
    if (isRefusal(answer)) {
      const isReuse = stored?.state === 'used' && stored.clientId === client.clientId;
      const event = isReuse ? 'code_reused' : 'code_refused';
      const facts = { event, ...refused } as const;
      return refuseGrant(request, client, { answer, changed: writes.length > 0, written, facts }, deps);
    }
    return answer;
  });
};
