// Refuses forms that were sent from other sites.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './pages/problem.ts';

/**
 * Whether a form was sent from a page of ours. Browsers that know Sec-Fetch-Site say so themselves; for the
 * others Origin speaks, which our own forms send as "null", since no referrer leaves our pages. The seal that
 * each form carries is the second lock (U14, A10).
 */
export function isSameOrigin({ headers, tenant }: FastifyRequest): boolean {
  const { origin } = headers;
  // While the service is set up there may be no tenant.
  const issuer = (tenant as typeof tenant | undefined)?.issuer;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && origin !== 'null' && origin !== issuer) return false;
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** A hook for routes that take our own forms: a form of another site gets 403 and does nothing. */
export async function requireSameOrigin(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  return isSameOrigin(request) ? undefined : sendProblem(reply, 'crossSite');
}

/**
 * The same before the body is read: what is not form-encoded comes from no page of ours. A form of another
 * site can be text/plain or multipart, and a script needs no preflight for those (U14).
 */
export const requireOwnForm = ownForm(/^application\/x-www-form-urlencoded *(?:;|$)/i);

/** The same for a page with a form of ours that carries files: that is multipart. */
export const requireOwnFiles = ownForm(
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data) *(?:;|$)/i,
);

function ownForm(type: RegExp) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const isForm = type.test(request.headers['content-type'] ?? '');
    return isForm ? requireSameOrigin(request, reply) : sendProblem(reply, 'crossSite');
  };
}

/** Whether a page of another site led here, as far as the browser says so. */
export function isFromAnotherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** Whether another site's page posted this: it comes without our Lax cookies; sent on as a GET it brings them along. */
export function isCrossSitePost(request: FastifyRequest): boolean {
  return request.method === 'POST' && isFromAnotherSite(request);
}
