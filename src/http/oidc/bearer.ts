// Checks the access token that a request brings.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Member, maySignIn } from '../../core/members/member.ts';
import { scopeIncludes } from '../../core/oidc/scope.ts';
import { sessionLives } from '../../core/session.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { verifyToken } from '../../secrets/signing.ts';
import { findMember } from '../../storage/members/member.ts';
import { findSession } from '../../storage/session.ts';
import type { Tx } from '../../storage/store.ts';
import { sendJson } from '../answers.ts';
import { noteRefusal } from '../audit.ts';
import type { Bearer, Deps } from '../deps.ts';
import { headerLines } from '../headers.ts';

/** Why a bearer request is refused (RFC 6750 §3.1); `null` means that it brought no token at all. */
type BearerProblem = null | keyof typeof problems;

/** What is said of a call that is denied: to its sender, and to the audit, with whose token it was, once that is known. */
interface Denial {
  /** Says more exactly what is wrong. */
  readonly text?: string;
  readonly reason?: string | undefined;
  readonly bearer?: Bearer;
}

type BearerResult =
  | { readonly ok: true; readonly bearer: Bearer }
  | ({ readonly ok: false; readonly problem: BearerProblem } & Denial);

const refused = (problem: BearerProblem, reason?: string): BearerResult => ({ ok: false, problem, reason });

/** The token of the Authorization header; undefined if there is none of the Bearer scheme, or two headers. */
export function bearerToken(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  return authorization === undefined || headerLines(request, 'authorization') > 1
    ? undefined
    : /^bearer +(\S+)$/i.exec(authorization)?.[1];
}

const wrongToken = 'the access token is expired, of another type, or not signed by the tenant';

/**
 * Checks an access token: signature, issuer, audience, type, times (RFC 9068 §4; M4 to M10).
 *
 * @param tenantOf finds the tenant whose token it must be, given the issuer that it claims
 */
export async function checkBearer(
  token: string | undefined,
  tenantOf: (issuer: string) => OpenTenant | null,
  { config, clock, verifiedTokens }: Deps,
): Promise<BearerResult> {
  if (token === undefined) return refused(null);
  const now = clock();
  const known = verifiedTokens.find(token, tenantOf, now);
  if (known !== null) return { ok: true, bearer: known };
  const tenant = tenantOf(claimedIssuer(token));
  if (tenant === null) return refused('invalid_token', 'the access token is of no tenant that answers here');
  const claims = await verifyToken(tenant.keys, token, {
    type: 'at+jwt',
    issuer: tenant.issuer,
    audience: config.apiAudience,
    now,
  });
  if (claims === null) return refused('invalid_token', wrongToken);
  // What was revoked since a backup was taken, its restored database does not know (security, promise 6).
  if (Number(claims.iat) * 1_000 < tenant.tokensFrom) {
    return refused('invalid_token', 'the access token was issued before a backup was restored');
  }
  const { sub, sid, client_id: clientId, scope } = claims;
  if (typeof sub !== 'string' || typeof sid !== 'string') return refused('invalid_token');
  if (typeof clientId !== 'string' || typeof scope !== 'string') return refused('invalid_token');
  const asked = Array.isArray(claims.claims) ? { claims: claims.claims.map(String) } : {};
  const bearer = { tenant, memberId: sub, sessionId: sid, clientId, scope, ...asked };
  verifiedTokens.keep(token, bearer, Number(claims.exp) * 1_000, now);
  return { ok: true, bearer };
}

/**
 * The member of a checked token, or null if the token has stopped working: its member may no longer sign in,
 * or it came without offline_access and its browser session is over (decisions 27, 28; P24).
 */
export async function bearerMember(tx: Tx, bearer: Bearer, now: number): Promise<Member | null> {
  const { tenant, memberId, sessionId, scope } = bearer;
  const needsSession = !scopeIncludes(scope, 'offline_access');
  const [session, member] = await Promise.all([
    needsSession ? findSession(tx, tenant.id, sessionId) : null,
    findMember(tx, tenant.id, memberId),
  ]);
  if (needsSession && !sessionLives(session, now)) return null;
  return maySignIn(member, now) ? member : null;
}

/** Why a token that was found good gives nothing any more. */
export const stoppedWorking = 'the member may no longer sign in, or the session of the token is over';

const problems = {
  invalid_request: { status: 400, text: 'send the access token once, in the Authorization header' },
  invalid_token: { status: 401, text: 'the access token is expired, revoked or not one of ours' },
  insufficient_scope: { status: 403, text: 'the access token lacks the scope openid' },
} as const;

/** The answer of RFC 6750 §3: the reason is in WWW-Authenticate, and in the body for those who read that. */
export function sendBearerProblem(
  reply: FastifyReply,
  problem: BearerProblem,
  { text, reason, bearer }: Denial = {},
): FastifyReply {
  const realm = 'Bearer realm="memberdoor"';
  // Who brings no token is told to, and nothing was denied.
  if (problem === null) {
    const body = { error_description: 'send an access token' };
    return sendJson(reply.header('www-authenticate', realm), body, 401);
  }
  const told = text ?? problems[problem].text;
  // The admin API has noted it in words of its own.
  if (reply.request.refusals === undefined) {
    const actor = bearer && { actorKind: 'client' as const, actorId: bearer.clientId };
    const whose = bearer && {
      tenantId: bearer.tenant.id,
      clientId: bearer.clientId,
      target: bearer.memberId,
    };
    noteRefusal(reply.request, { event: 'api_denied', ...actor, ...whose, reason: reason ?? told });
  }
  reply.header('www-authenticate', `${realm}, error="${problem}", error_description="${told}"`);
  return sendJson(reply, { error: problem, error_description: told }, problems[problem].status);
}

/** The issuer a token claims, unverified: it only says whose keys to try. */
function claimedIssuer(token: string): string {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const issuer = typeof claims === 'object' && claims !== null && 'iss' in claims ? claims.iss : '';
    return typeof issuer === 'string' ? issuer : '';
  } catch {
    return '';
  }
}
