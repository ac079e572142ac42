// Finds the caller of the admin API by its token: an API token, or one that a client got in its own name (interop 61).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { wrongSecretsPerMinute } from '../../core/limits.ts';
import { type AdminToken, isUsable } from '../../core/operators/admin-token.ts';
import type { Permission } from '../../core/operators/permission.ts';
import type { Call } from '../../operations/admin/call.ts';
import { findMemberAnywhere } from '../../storage/members/member.ts';
import { findAdminTokenBySecret } from '../../storage/operators/admin-token.ts';
import type { Tx } from '../../storage/store.ts';
import { sendTooMany } from '../answers.ts';
import { noteRefusal } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { lookUpSecret } from '../guessed-secrets.ts';
import { sendBearerProblem } from '../oidc/bearer.ts';
import { type SentToken, sendingProblem, sentToken, takesDpop } from '../oidc/dpop/bound-token.ts';
import { checkServiceToken, permissionsNow, type ServiceBearer } from '../oidc/token/service-token.ts';
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
  const sent = sentToken(request);
  if (sent === undefined || (sent.scheme === 'dpop' && !takesDpop(request, deps))) {
    sendBearerProblem(reply, null);
    return null;
  }
  if (isJwt(sent)) return serviceActor(request, reply, sent, deps);
  if (sent.scheme === 'dpop') {
    sendBearerProblem(reply, null);
    return null;
  }
  const hash = sha256(sent.token);
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

/** API tokens have no dots, and JWTs two (RFC 7515 §3.1). */
const isJwt = ({ token }: SentToken): boolean => /^[^.]+\.[^.]+\.[^.]+$/.test(token);

/** The same for a client's own token: wrong ones are counted with wrong API tokens. */
async function serviceActor(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: SentToken,
  deps: Deps,
): Promise<Caller | null> {
  const checked = await checkServiceToken(sent.token, deps);
  const token = checked.ok ? checked.bearer : null;
  const guessed = { kind: 'admin token', hash: sha256(sent.token), limit: wrongSecretsPerMinute };
  const looked = await obeyingChanges(request, deps.tenants, deps.store.transaction, (tx) =>
    lookUpSecret(tx, request, guessed, deps, async () => {
      const permissions = token === null ? null : await permissionsNow(tx, token, deps);
      return token === null || permissions === null ? null : { ...token, permissions };
    }),
  );
  if (looked.kind === 'too-many') {
    sendTooMany(reply, looked.retryAfter, 'admin_tokens');
    return null;
  }
  const { found } = looked;
  if (found === null) {
    const reason =
      'the access token is expired, none that a client got for itself here, or its client gets none now';
    noteWrongServiceToken(request, token, reason);
    sendBearerProblem(reply, 'invalid_token');
    return null;
  }
  const problem = await sendingProblem(request, reply, sent, found, deps);
  if (problem !== null) {
    // A client that gets a nonce was denied nothing.
    if (problem.problem !== 'use_dpop_nonce') {
      const reason = problem.reason ?? problem.text ?? 'the DPoP proof is wrong';
      noteWrongServiceToken(request, found, reason);
    }
    sendBearerProblem(reply, problem.problem, problem);
    return null;
  }
  const { clientId, tenant, permissions } = found;
  return {
    actor: { kind: 'client', clientId, tenantId: tenant.id, permissions },
    demand: (tx) => demandAll(tx, found, permissions, deps),
  };
}

/** @throws TokenOver where a client has lost what it was about to use */
async function demandAll(
  tx: Tx,
  token: ServiceBearer,
  needed: readonly Permission[],
  deps: Deps,
): Promise<void> {
  const now = await permissionsNow(tx, token, deps);
  if (now === null || !needed.every((permission) => now.includes(permission))) throw new TokenOver();
}

function noteWrongServiceToken(request: FastifyRequest, token: ServiceBearer | null, reason: string): void {
  noteRefusal(request, {
    event: 'admin_denied',
    tenantId: token?.tenant.id ?? null,
    ...(token === null ? {} : { actorKind: 'client', actorId: token.clientId, clientId: token.clientId }),
    reason,
  });
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
