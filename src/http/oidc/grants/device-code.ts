import { isRefusal } from '../../../core/decision.ts';
import { poll } from '../../../core/device-poll.ts';
import { sha256 } from '../../../core/hash.ts';
import { whyNotPolled } from '../../../core/operators/refused-grant.ts';
import { makeRoomForSignIn } from '../../../operations/sign-in/sign-in.ts';
import { apply } from '../../../storage/apply.ts';
import { findDeviceCode } from '../../../storage/device-code.ts';
import { findMember } from '../../../storage/members/member.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import { protocolError } from '../../answers.ts';
import { once } from '../../limits/once.ts';
import { clientOfRequest, refuseGrant } from '../client-audit.ts';
import type { Grant } from '../token.ts';

/** grant_type=urn:ietf:params:oauth:grant-type:device_code (RFC 8628 §3.4; decisions 20 to 23). */
export const deviceCodeGrant: Grant = async ({ request, credentials, fields, deps }) => {
  const { device_code: text } = fields;
  if (text === undefined) throw protocolError('invalid_request', 'device_code is missing');
  const { tenant } = request;
  const { store, clock, random, pollPace } = deps;
  return store.transaction(async (shared) => {
    const authenticated = await clientOfRequest(shared, request, credentials, deps);
    if (isRefusal(authenticated)) return authenticated;
    const { client, tx } = authenticated;
    const now = clock();
    const code = await findDeviceCode(tx, tenant.id, sha256(text));
    const member = code?.memberId ? await findMember(tx, tenant.id, code.memberId) : null;
    const begun = code?.signInId ? await findSignIn(tx, tenant.id, code.signInId) : null;
    const lastPolledAt =
      code === null ? null : once(request, 'last polled', () => pollPace.lastPolledAt(code.id));
    const { answer, writes } = poll(code, {
      client,
      member,
      begun,
      lastPolledAt,
      now,
      drawSignInId: () => random.id(now),
    });
    if (!isRefusal(answer)) await makeRoomForSignIn(tx, answer);
    const written = await apply(tx, writes);
    if (code !== null && answer.paced) pollPace.record(code.id, now);
    // Who is told to wait, or to wait longer, was refused nothing.
    if (isRefusal(answer) && !answer.paced) {
      const isReuse = code?.state === 'used' && code.clientId === client.clientId;
      const facts = {
        event: isReuse ? 'device_code_reused' : 'device_code_refused',
        target: code?.id ?? null,
        reason: whyNotPolled(code, client, now),
      } as const;
      return refuseGrant(request, client, { answer, changed: writes.length > 0, written, facts }, deps);
    }
    return answer;
  });
};
