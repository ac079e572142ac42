// The device code grant.
import { isRefusal } from '../../../core/decision.ts';
import { poll } from '../../../core/grants/device-poll.ts';
import { sha256 } from '../../../core/hash.ts';
import { makeRoomForSignIn } from '../../../operations/sign-in/sign-in.ts';
import { findDeviceCode } from '../../../storage/device-code.ts';
import { findMember } from '../../../storage/members/member.ts';
import { ifRunAgain } from '../../../storage/operators/audited.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import type { Grant } from '../token.ts';

/** grant_type=urn:ietf:params:oauth:grant-type:device_code (RFC 8628 §3.4; decisions 20 to 23). */
export const deviceCodeGrant: Grant = {
  takes: 'device_code',
  async decide(tx, { client, value, tenant }, { clock, random, pollPace }) {
    const now = clock();
    const code = await findDeviceCode(tx, tenant.id, sha256(value));
    const member = code?.memberId ? await findMember(tx, tenant.id, code.memberId) : null;
    const begun = code?.signInId ? await findSignIn(tx, tenant.id, code.signInId) : null;
    const lastPolledAt = code === null ? null : pollPace.lastPolledAt(code.id);
    const signInId = random.id(now);
    const decision = poll(code, { client, member, begun, lastPolledAt, now, signInId });
    if (!isRefusal(decision.answer)) await makeRoomForSignIn(tx, decision.answer);
    if (code !== null && decision.answer.paced) {
      pollPace.record(code.id, now);
      ifRunAgain(tx, () => pollPace.record(code.id, lastPolledAt));
    }
    return decision;
  },
};
