import { isRefusal } from '../../../core/decision.ts';
import { poll } from '../../../core/device-poll.ts';
import { sha256 } from '../../../core/hash.ts';
import { authenticateClient } from '../../../core/oidc/client-authentication.ts';
import { apply } from '../../../storage/apply.ts';
import { findClient } from '../../../storage/client.ts';
import { findDeviceCode } from '../../../storage/device-code.ts';
import { findMember } from '../../../storage/members/member.ts';
import { findSignIn } from '../../../storage/sign-in.ts';
import { protocolError } from '../../answers.ts';
import type { Grant } from '../token.ts';

/** grant_type=urn:ietf:params:oauth:grant-type:device_code (RFC 8628 §3.4; decisions 20 to 23). */
export const deviceCodeGrant: Grant = async ({ tenant, credentials, fields, deps }) => {
  const { device_code: text } = fields;
  if (text === undefined) throw protocolError('invalid_request', 'device_code is missing');
  const { store, clock, random, pollPace } = deps;
  return store.transaction(async (tx) => {
    const client = authenticateClient(await findClient(tx, tenant.id, credentials.clientId), credentials);
    if (isRefusal(client)) return client;
    const now = clock();
    const code = await findDeviceCode(tx, tenant.id, sha256(text));
    const member = code?.memberId ? await findMember(tx, tenant.id, code.memberId) : null;
    const begun = code?.signInId ? await findSignIn(tx, tenant.id, code.signInId) : null;
    const lastPolledAt = code === null ? null : pollPace.lastPolledAt(code.id);
    const decision = poll(code, { client, member, begun, lastPolledAt, now, signInId: random.id(now) });
    await apply(tx, decision.writes);
    if (code !== null && decision.answer.paced) pollPace.record(code.id, now);
    return decision.answer;
  });
};
