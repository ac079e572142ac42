// Finds the caller of the admin API by its token.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { wrongSecretsPerMinute } from '../../core/limits.ts';
import { type AdminToken, isUsable } from '../../core/operators/admin-token.ts';
import type { Call } from '../../operations/admin/run.ts';
import { findMemberAnywhere } from '../../storage/members/member.ts';
import { findAdminTokenBySecret } from '../../storage/operators/admin-token.ts';
import type { Tx } from '../../storage/store.ts';
import { sendTooMany } from '../answers.ts';
import { noteRefusal } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { lookUpSecret } from '../guessed-secrets.ts';
import { bearerToken, sendBearerProblem } from '../oidc/bearer.ts';
import { obeyingChanges } from '../tenant.ts';

/** The token was revoked, or came to its end, before what it was sent for was done: nothing was. */
export class TokenOver extends Error {
  override readonly name = 'TokenOver';
}

/**
 * Who calls, by the token in the Authorization header; null where the answer is sent: 401 for none, for one
 * that is unknown, revoked or expired, whose tenant or whose maker's tenant is disabled, or whose maker
 * administers no more, and 429 when there were too many of those.
 * A good token that was used already is not held up by bad ones from the same address.
 */
export async function tokenActor(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<Caller | null> {
  const secret = bearerToken(request);
  if (secret === undefined) {
    sendBearerProblem(reply, null);
    return null;
  }
  const hash = sha256(secret);
  const guessed = { kind: 'admin token', hash, limit: wrongSecretsPerMinute };
  let named: AdminToken | null = null;
  const looked = await obeyingChanges(request, deps.tenants, deps.store.transaction, (tx) =>
    lookUpSecret(tx, request, guessed, deps, async () => {
      named = await findAdminTokenBySecret(tx, hash);
      return named !== null && (await mayCall(tx, named, deps)) ? named : null;
    }),
  );
  if (looked.kind === 'too-many') {
    sendTooMany(reply, looked.retryAfter, 'admin_tokens');
    return null;
  }
  const { found: token } = looked;
  if (token === null) {
    noteWrongToken(request, named);
    sendBearerProblem(reply, 'invalid_token');
    return null;
  }
  const { id: tokenId, tenantId, permissions } = token;
  const demand = async (tx: Tx) => {
    const now = await findAdminTokenBySecret(tx, hash);
    if (now === null || !(await mayCall(tx, now, deps))) throw new TokenOver();
  };
  return { actor: { kind: 'token', tokenId, tenantId, permissions }, demand };
}

/** Who calls, and what makes sure that they still may when it is done. */
export type Caller = Pick<Call, 'actor' | 'demand'>;

/**
 * Whether a token may be used now. A disabled tenant answers as if it were not there, and so do its tokens and those
 * that its administrators made for others: none of its members signs in to administer anything.
 */
async function mayCall(tx: Tx, token: AdminToken, { clock, tenants }: Deps): Promise<boolean> {
  const { makerId, tenantId } = token;
  const maker = makerId === null ? null : await findMemberAnywhere(tx, makerId);
  const answers = (named: string) =>
    tenants.all().some(({ id, disabledAt }) => id === named && disabledAt === null);
  const needed = [tenantId, maker?.tenantId ?? null].filter((id) => id !== null);
  return isUsable(token, maker, clock()) && needed.every(answers);
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
