// Checks the access token that a request brings.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Member, maySignIn } from '../../core/members/member.ts';
import { dpopAlgorithms, nonceNeeded } from '../../core/oidc/dpop.ts';
import { scopeIncludes } from '../../core/oidc/scope.ts';
import { sessionLives } from '../../core/session.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { verifyToken } from '../../secrets/signing.ts';
import { findSession } from '../../storage/grants/session.ts';
import { findMember } from '../../storage/members/member.ts';
import type { Tx } from '../../storage/store.ts';
import { sendJson } from '../answers.ts';
import { noteRefusal } from '../audit.ts';
import type { Bearer, Deps } from '../deps.ts';
import { headerLines } from '../headers.ts';

/** Why a bearer request is refused (RFC 6750 §3.1); `null` means that it brought no token at all. */
type BearerProblem = null | keyof typeof problems;

/** What the sender and the audit are told of a call that is denied; the audit also gets the owner of the token, once known. */
interface Denial {
  /** Says more exactly what is wrong. */
  readonly text?: string;
  readonly reason?: string | undefined;
  readonly bearer?: Bearer;
  /** Whether it was sent by the scheme DPoP, and is answered in it (RFC 9449 §7.1). */
  readonly isDpop?: boolean;
  /** Whether the scheme DPoP is served where it was sent to. */
  readonly takesDpop?: boolean;
}

export type RefusedToken = { readonly ok: false; readonly problem: BearerProblem } & Denial;

export type BearerResult = { readonly ok: true; readonly bearer: Bearer } | RefusedToken;

/** A token that is refused. @param reason in words for the audit */
export const refusedToken = (problem: BearerProblem, reason?: string): RefusedToken => ({
  ok: false,
  problem,
  reason,
});

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
  deps: Deps,
): Promise<BearerResult> {
  if (token === undefined) return refusedToken(null);
  const { clock, verifiedTokens } = deps;
  const now = clock();
  const known = verifiedTokens.find(token, tenantOf, now);
  if (known !== null) return { ok: true, bearer: known };
  const verified = await verifyAccessToken(token, tenantOf, deps, now);
  if (!verified.ok) return verified;
  const { tenant, claims } = verified;
  const { sub, sid, client_id: clientId, scope } = claims;
  if (typeof sub !== 'string' || typeof sid !== 'string') return refusedToken('invalid_token');
  if (typeof clientId !== 'string' || typeof scope !== 'string') return refusedToken('invalid_token');
  const asked = Array.isArray(claims.claims) ? { claims: claims.claims.map(String) } : {};
  const bearer = { tenant, memberId: sub, sessionId: sid, clientId, scope, ...asked, ...keyOf(claims.cnf) };
  verifiedTokens.keep(token, bearer, Number(claims.exp) * 1_000, now);
  return { ok: true, bearer };
}

/** An access token for our own APIs that is genuine and has not expired; what it is good for its claims say. */
interface VerifiedToken {
  readonly ok: true;
  readonly tenant: OpenTenant;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Verifies a token as `checkBearer` does, a member's or a client's own. */
export async function verifyAccessToken(
  token: string,
  tenantOf: (issuer: string) => OpenTenant | null,
  { config }: Pick<Deps, 'config'>,
  now: number,
): Promise<VerifiedToken | RefusedToken> {
  const tenant = tenantOf(claimedIssuer(token));
  if (tenant === null)
    return refusedToken('invalid_token', 'the access token is of no tenant that answers here');
  const claims = await verifyToken(tenant.keys, token, {
    type: 'at+jwt',
    issuer: tenant.issuer,
    audience: config.apiAudience,
    now,
  });
  if (claims === null) return refusedToken('invalid_token', wrongToken);
  // What was revoked since a backup was taken, its restored database does not know (security, promise 6).
  if (Number(claims.iat) * 1_000 < tenant.tokensFrom) {
    return refusedToken('invalid_token', 'the access token was issued before a backup was restored');
  }
  return { ok: true, tenant, claims };
}

/** The thumbprint of the key that a token is bound to, if it is (RFC 9449 §6.1). */
export function keyOf(cnf: unknown): { readonly jkt?: string } {
  if (typeof cnf !== 'object' || cnf === null || !('jkt' in cnf)) return {};
  return { jkt: String(cnf.jkt) };
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
  invalid_dpop_proof: { status: 401, text: 'the DPoP proof is missing, wrong or was sent before' },
  use_dpop_nonce: { status: 401, text: nonceNeeded.description },
} as const;

const algorithms = `algs="${dpopAlgorithms.join(' ')}"`;

/** The answer of RFC 6750 §3: the reason is in WWW-Authenticate, and in the body for those who read that. */
export function sendBearerProblem(
  reply: FastifyReply,
  problem: BearerProblem,
  { text, reason, bearer, ...denial }: Denial = {},
): FastifyReply {
  const isDpop = denial.isDpop === true || bearer?.jkt !== undefined;
  const realm = `${isDpop ? 'DPoP' : 'Bearer'} realm="memberdoor"`;
  // Where tokens may be bound, clients learn so (RFC 9449 §7.1).
  const isOffered = denial.takesDpop === true && (bearer?.tenant ?? reply.request.tenant)?.dpop === true;
  const offer = isOffered ? `, DPoP ${algorithms}` : '';
  const also = isDpop ? `, ${algorithms}` : offer;
  // A request without a token is asked for one, and nothing was denied.
  if (problem === null) {
    const body = { error_description: 'send an access token' };
    return sendJson(reply.header('www-authenticate', `${realm}${also}`), body, 401);
  }
  const told = text ?? problems[problem].text;
  // The admin API has noted it in words of its own; and a client that gets a nonce was denied nothing.
  if (reply.request.refusals === undefined && problem !== 'use_dpop_nonce') {
    const actor = bearer && { actorKind: 'client' as const, actorId: bearer.clientId };
    const whose = bearer && {
      tenantId: bearer.tenant.id,
      clientId: bearer.clientId,
      target: bearer.memberId,
    };
    const why = { rule: problem, reason: reason ?? told };
    noteRefusal(reply.request, { event: 'api_denied', ...actor, ...whose, ...why });
  }
  reply.header('www-authenticate', `${realm}, error="${problem}", error_description="${told}"${also}`);
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
