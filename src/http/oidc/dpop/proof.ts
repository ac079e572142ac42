// Reads the DPoP proof that a request brings, and uses it up.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../../../core/client.ts';
import { type Decision, isRefusal, type Refusal, ruleOf } from '../../../core/decision.ts';
import {
  currentNonce,
  type DpopProof,
  dpopAlgorithms,
  invalidProof,
  judgeProof,
  nonceNeeded,
  proofFor,
  proofReplayed,
} from '../../../core/oidc/dpop.ts';
import type { SentParameters } from '../../../core/oidc/request/authorization-request.ts';
import type { Write } from '../../../core/write.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { verifyForeignJwt } from '../../../secrets/foreign-jwt.ts';
import { useOnce } from '../../../storage/grants/used-id.ts';
import type { Awaitable } from '../../../storage/prepared.ts';
import type { Tx } from '../../../storage/store.ts';
import type { Deps } from '../../deps.ts';
import { headerLines } from '../../headers.ts';

/** What a request brought in its DPoP header: a proof, one that is refused, or none. */
export type SentProof = DpopProof | Refusal | null;

/**
 * Reads and judges the proof of a request to a tenant, before its transaction (RFC 9449 §4.3). What of it depends on
 * the client is judged there (`proofFor`), and there it is used up.
 *
 * @param accessToken what the proof must have the hash of, at a resource; null elsewhere
 * @returns null where it brings none, or no client of the tenant may have tokens that are bound to a key
 */
export function sentProof(
  request: FastifyRequest,
  accessToken: string | null,
  { clock }: Pick<Deps, 'clock'>,
): Awaitable<SentProof> {
  const { tenant } = request;
  return tenant.dpop ? readProof(request, tenant.issuer, accessToken, clock()) : null;
}

/** The same wherever the request came in. @param origin of the address that the request was sent to */
export async function readProof(
  request: FastifyRequest,
  origin: string,
  accessToken: string | null,
  now: number,
): Promise<SentProof> {
  const { dpop: sent } = request.headers;
  if (sent === undefined) return null;
  // Node joins several into one.
  if (headerLines(request, 'dpop') > 1) return invalidProof('one DPoP header may be sent');
  const verified = await verifyForeignJwt(String(sent), {
    types: ['dpop+jwt'],
    algorithms: dpopAlgorithms,
    keys: 'in-header',
  });
  if (!verified.ok) return invalidProof(verified.reason);
  const [path = ''] = (request.raw.url ?? '').split('?');
  const { claims, thumbprint: jkt } = verified;
  return judgeProof({ jkt, claims }, { method: request.method, url: `${origin}${path}`, accessToken, now });
}

/** Uses up a proof. @returns whether it was sent for the first time */
export function useProof(tx: Tx, { id }: Pick<OpenTenant, 'id'>, proof: DpopProof): Promise<boolean> {
  const { jkt, jti, expiresAt } = proof;
  return useOnce(tx, { tenantId: id, purpose: 'DPoP proof', issuer: jkt, id: jti, expiresAt });
}

/**
 * Decides what a client asks for with the key that it proved to hold. Where the proof is refused, or was sent before,
 * nothing else is used up; where nothing is given and nothing changes, as while a device waits, neither is the proof.
 *
 * @param decide is given the key's thumbprint; null for bearer tokens
 */
export async function decideWithKey<Answer extends object, W extends Write>(
  tx: Tx,
  { client, tenant, proof }: { client: Client; tenant: OpenTenant; proof: SentProof },
  decide: (jkt: string | null) => Promise<Decision<Answer | Refusal, W>>,
  { clock }: Pick<Deps, 'clock'>,
): Promise<Decision<Answer | Refusal, W>> {
  if (client.dpop === 'off') return decide(null);
  const judged = proofFor(client, proof, tenant.tokenKey, clock());
  if (judged === null) return decide(null);
  if (isRefusal(judged)) return refusedProof(judged);
  const decision = await decide(judged.jkt);
  if (isRefusal(decision.answer) && decision.writes.length === 0) return decision;
  return (await useProof(tx, tenant, judged)) ? decision : refusedProof(proofReplayed);
}

/**
 * A pushed request, bound to the key of the proof that came with it as if `dpop_jkt` named it (RFC 9449 §10.1). The
 * proof is used up.
 */
export async function boundToKey(
  tx: Tx,
  { client, tenant, proof }: { client: Client; tenant: OpenTenant; proof: SentProof },
  sent: SentParameters,
  { clock }: Pick<Deps, 'clock'>,
): Promise<SentParameters | Refusal> {
  if (client.dpop === 'off' || proof === null) return sent;
  const judged = proofFor(client, proof, tenant.tokenKey, clock());
  if (judged === null || isRefusal(judged)) return judged ?? sent;
  const { dpop_jkt: named = judged.jkt } = sent.values;
  if (named !== judged.jkt) return invalidProof('its key is not the one that dpop_jkt names');
  if (!(await useProof(tx, tenant, judged))) return proofReplayed;
  return { ...sent, values: { ...sent.values, dpop_jkt: named } };
}

/** A client that gets a nonce was refused nothing. */
function refusedProof(answer: Refusal): Decision<Refusal, never> {
  if (answer === nonceNeeded) return { answer, writes: [] };
  return {
    answer,
    writes: [],
    because: { event: 'token_request_refused', rule: ruleOf(answer), reason: answer.description },
  };
}

/** Tells a client the nonce that its next proof shall carry, before the one that it has ends (RFC 9449 §8.2). */
export function tellNonce(
  reply: FastifyReply,
  { dpop, dpopNonce }: Pick<Client, 'dpop' | 'dpopNonce'>,
  tenant: Pick<OpenTenant, 'tokenKey'>,
  proof: SentProof,
  { clock }: Pick<Deps, 'clock'>,
): void {
  if (dpop === 'off' || !dpopNonce || proof === null) return;
  const nonce = currentNonce(tenant.tokenKey, clock());
  if (isRefusal(proof) || proof.nonce !== nonce) reply.header('dpop-nonce', nonce);
}
