import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { countingWindow, wrongAdminTokensPerMinute } from '../../core/limits.ts';
import type { Member } from '../../core/members/member.ts';
import { type AdminToken, isUsable } from '../../core/operators/admin-token.ts';
import type { Actor } from '../../core/operators/permission.ts';
import { findMemberAnywhere } from '../../storage/members/member.ts';
import { findAdminTokenBySecret } from '../../storage/operators/admin-token.ts';
import { addressKey } from '../address.ts';
import { sendTooMany } from '../answers.ts';
import { noteRefusal } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { bearerToken, sendBearerProblem } from '../oidc/bearer.ts';

/**
 * Who calls, by the token in the Authorization header; null where the answer is sent: 401 for none, for one
 * that is unknown, revoked or expired, whose tenant or whose maker's tenant is disabled, or whose maker
 * administers no more, and 429 when there were too many of those.
 * A good token is never held up by bad ones from the same address.
 */
export async function tokenActor(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<Actor | null> {
  const secret = bearerToken(request);
  if (secret === undefined) {
    sendBearerProblem(reply, null);
    return null;
  }
  const { token, maker } = await deps.store.transaction(async (tx) => {
    const token = await findAdminTokenBySecret(tx, sha256(secret));
    return { token, maker: token?.makerId ? await findMemberAnywhere(tx, token.makerId) : null };
  });
  if (token !== null && isUsable(token, maker, deps.clock()) && tenantsAnswer(token, maker, deps)) {
    return { kind: 'token', tokenId: token.id, tenantId: token.tenantId, permissions: token.permissions };
  }
  const key = `admin token ${addressKey(request.address)}`;
  const wait = deps.rateLimiter.take(key, wrongAdminTokensPerMinute, countingWindow.minute);
  if (wait !== null) {
    sendTooMany(reply, wait, 'admin_tokens');
    return null;
  }
  noteWrongToken(request, token);
  sendBearerProblem(reply, 'invalid_token');
  return null;
}

/**
 * A disabled tenant answers as if it were not there, and so do its tokens, and those that its administrators
 * made for others: nobody of it signs in to administer anything.
 */
function tenantsAnswer(
  { tenantId }: AdminToken,
  maker: Member | null,
  { tenants }: Pick<Deps, 'tenants'>,
): boolean {
  const answers = (named: string) =>
    tenants.all().some(({ id, disabledAt }) => id === named && disabledAt === null);
  return (tenantId === null || answers(tenantId)) && (maker === null || answers(maker.tenantId));
}

function noteWrongToken(request: FastifyRequest, token: AdminToken | null): void {
  noteRefusal(request, {
    event: 'admin_denied',
    tenantId: token?.tenantId ?? null,
    ...(token === null ? {} : { actorKind: 'token', actorId: token.id }),
    reason:
      token === null
        ? 'the token is unknown'
        : 'the token is revoked or expired, its tenant or its maker’s disabled, or its maker no administrator any more',
  });
}
