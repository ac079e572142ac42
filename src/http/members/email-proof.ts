/** Proofs of an address: who asks for the mail, and which proof its link names. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { equalInConstantTime, hmac, sha256 } from '../../core/hash.ts';
import { wrongSecretsPerMinute } from '../../core/limits.ts';
import type { EmailProof } from '../../core/members/email-proof.ts';
import { mailAgainAfter } from '../../core/members/limits.ts';
import type { Asker } from '../../operations/email-proof/email-proof.ts';
import { findEmailProofByLink } from '../../storage/members/email-proof.ts';
import type { Tx } from '../../storage/store.ts';
import { addressKey } from '../address.ts';
import { transactionOf } from '../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { type LookedUp, lookUpSecret } from '../guessed-secrets.ts';
import { sendProblem } from '../pages/problem.ts';

/** This browser, which gets a cookie if it has none, and its network: hashed, the network by the tenant's own key. */
export function askerOf(reply: FastifyReply, { random }: Pick<Deps, 'random'>): Asker {
  const { tenant, address } = reply.request;
  return {
    askedBy: sha256(ensureBrowserCookie(reply, random)),
    askedFrom: hmac(tenant.tokenKey, 'asker', addressKey(address)).toString('base64url'),
  };
}

/** Whether this is the browser that asked for a mail: it alone goes on with the flow that it asked in (A11, F5). */
export function isBrowserThatAsked(request: FastifyRequest, { askedBy }: Pick<Asker, 'askedBy'>): boolean {
  return equalInConstantTime(sha256(browserCookie(request)), askedBy);
}

/** Seconds until a mail that was asked for is sent once more at its page's asking. */
export function secondsToWait(mailedAt: number | undefined, now: number): number {
  return mailedAt === undefined ? 0 : Math.max(0, Math.ceil((mailedAt + mailAgainAfter - now) / 1_000));
}

/** Finds the proof that the link of a mail names, by the `secret` of the request's path. */
export const findMailLink = (request: FastifyRequest, deps: Deps): Promise<LookedUp<EmailProof>> =>
  transactionOf(request, deps, (tx) => lookUpMailLink(tx, request, deps));

/** The same in a transaction that goes on with it. */
export function lookUpMailLink(
  tx: Tx,
  request: FastifyRequest,
  deps: Pick<Deps, 'rateLimiter' | 'rightSecrets'>,
): Promise<LookedUp<EmailProof>> {
  const { tenant } = request;
  const hash = sha256((request.params as { secret: string }).secret);
  const guessed = { kind: `mail ${tenant.id}`, hash, limit: wrongSecretsPerMinute };
  return lookUpSecret(tx, request, guessed, deps, () => findEmailProofByLink(tx, tenant.id, hash));
}

/** Too many links from this address named nothing. */
export function sendTooManyLinks(reply: FastifyReply, retryAfter: number): Promise<FastifyReply> {
  return sendProblem(reply.header('retry-after', retryAfter), 'tooManyLinks', {
    ways: [{ href: '/sign-in', text: 'recover.back' }],
  });
}
