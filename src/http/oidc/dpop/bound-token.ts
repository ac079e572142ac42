// Checks an access token that may be bound to a key, with the proof of that key which the request brings.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRefusal } from '../../../core/decision.ts';
import {
  currentNonce,
  type DpopProof,
  isLiveNonce,
  nonceNeeded,
  proofReplayed,
} from '../../../core/oidc/dpop.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import type { Bearer, Deps } from '../../deps.ts';
import { headerLines } from '../../headers.ts';
import { type BearerResult, checkBearer, type RefusedToken, refusedToken } from '../bearer.ts';
import { readProof, useProof } from './proof.ts';

/** An access token as it was sent. */
export interface SentToken {
  readonly scheme: 'bearer' | 'dpop';
  readonly token: string;
}

/** The token of the Authorization header; undefined if there is none of a scheme that is served, or two headers. */
export function sentToken(request: FastifyRequest): SentToken | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined || headerLines(request, 'authorization') > 1) return undefined;
  const [, scheme = '', token] = /^(bearer|dpop) +(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) return undefined;
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'dpop' : 'bearer', token };
}

/**
 * Checks an access token (`checkBearer`). One that is bound to a key needs the scheme DPoP and a proof of that key, for
 * this request and this token, which was not sent before; one that is not is a bearer token (RFC 9449 §7.1, §7.2).
 *
 * @param tenantOf finds the tenant whose token it must be, given the issuer that it claims
 */
export async function checkToken(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: SentToken | undefined,
  tenantOf: (issuer: string) => OpenTenant | null,
  deps: Deps,
): Promise<BearerResult> {
  const result = await checkBearer(sent?.token, tenantOf, deps);
  const { jkt } = result.ok ? result.bearer : {};
  if (sent?.scheme !== 'dpop') {
    if (!result.ok) return { ...result, takesDpop: true };
    return jkt === undefined ? result : { ...boundToKey, bearer: result.bearer };
  }
  // Where no client may have bound tokens, the scheme is one like any other that is not served.
  if (jkt === undefined && !takesDpop(request, deps)) return refusedToken(null);
  if (!result.ok) return { ...result, isDpop: true };
  const { bearer } = result;
  const denied = await proofProblem(request, reply, bearer, sent.token, deps);
  return denied === null ? result : { ...denied, bearer, isDpop: true };
}

const boundToKey = refusedToken('invalid_token', 'the access token is bound to a key');

/**
 * Why a token that is genuine does not work as it was sent: by the wrong scheme, or without a proof of the key that it is
 * bound to (RFC 9449 §7.1, §7.2).
 *
 * @returns null where it works
 */
export async function sendingProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { scheme, token }: SentToken,
  bearer: BoundToken,
  deps: Deps,
): Promise<RefusedToken | null> {
  if (scheme === 'bearer') return bearer.jkt === undefined ? null : { ...boundToKey, isDpop: true };
  const denied = await proofProblem(request, reply, bearer, token, deps);
  return denied === null ? null : { ...denied, isDpop: true };
}

/** What is asked of a token that may be bound to a key: its owner, and the key. */
type BoundToken = Pick<Bearer, 'tenant' | 'clientId' | 'jkt'>;

/** Whether a client may have bound tokens, of any tenant where the API's own host is asked. */
export const takesDpop = ({ tenant }: FastifyRequest, { tenants }: Pick<Deps, 'tenants'>): boolean =>
  (tenant as OpenTenant | undefined)?.dpop ?? tenants.all().some(({ dpop }) => dpop);

/** Why a token does not work with the proof that came with it; null where it does. */
async function proofProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  { tenant, clientId, jkt }: BoundToken,
  token: string,
  deps: Deps,
): Promise<RefusedToken | null> {
  if (jkt === undefined) return refusedToken('invalid_token', 'the access token is bound to no key');
  const now = deps.clock();
  const proof = await readProof(request, originOf(request, deps), token, now);
  if (proof === null) return refusedToken('invalid_dpop_proof', 'no DPoP proof was sent');
  if (isRefusal(proof)) return { ...refusedToken('invalid_dpop_proof'), text: proof.description };
  if (proof.jkt !== jkt) return refusedToken('invalid_token', 'the access token is bound to another key');
  if (tenant.nonceClients.has(clientId)) {
    const nonce = currentNonce(tenant.tokenKey, now);
    if (proof.nonce !== nonce) reply.header('dpop-nonce', nonce);
    if (!isLiveNonce(tenant.tokenKey, proof.nonce, now)) {
      return refusedToken('use_dpop_nonce', nonceNeeded.description);
    }
  }
  if (await isUsedFirst(request, tenant, proof, deps)) return null;
  return { ...refusedToken('invalid_dpop_proof'), text: proofReplayed.description };
}

/** Where the request was sent, as its client knows it: never as a proxy in between calls us. */
const originOf = ({ tenant }: FastifyRequest, { config: { apiHost } }: Deps): string =>
  (tenant as OpenTenant | undefined)?.issuer ?? `https://${apiHost}`;

/** Requests whose proof is used up: one that begins anew, since another process changed something, goes on with it. */
const proven = new WeakSet<FastifyRequest>();

/**
 * Uses up the proof of a call, before what it asks for: what reads alone goes on in a snapshot that it shares. Where
 * processes share the database it is committed by itself, and waits for no disk: `docs/scale.md`.
 */
async function isUsedFirst(
  request: FastifyRequest,
  tenant: OpenTenant,
  proof: DpopProof,
  { store }: Deps,
): Promise<boolean> {
  if (proven.has(request)) return true;
  const { autocommit } = store;
  const isFirst =
    autocommit === null
      ? await store.transaction((tx) => useProof(tx, tenant, proof))
      : await useProof(autocommit, tenant, proof);
  if (isFirst) proven.add(request);
  return isFirst;
}
