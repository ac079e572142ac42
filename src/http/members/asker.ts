/** Who asks for a mail: the browser, which alone goes on with what it asked for, and the network that it is in. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { equalInConstantTime, hmac, sha256 } from '../../core/hash.ts';
import type { Asker } from '../../operations/sign-up/sign-up.ts';
import { addressKey } from '../address.ts';
import { browserCookie, ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';

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
