// Who may use the rehearsal room: the developer on this machine, and no page of another site in their browser.
import type { FastifyRequest } from 'fastify';
import { comesFromThisMachine } from '../address.ts';

/** The standing of a request: it may use the room, it is of another site's page, or there is no room for it. */
export type Standing = 'ours' | 'foreign' | 'nothing';

/** Hosts that lead to this machine, whatever a name server says. */
const loopbackHost =
  /^(?:localhost|[\w-]+(?:\.[\w-]+)*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/;

/**
 * Whether a request may use what the rehearsal room has. It does not exist but on a development tenant, and even there
 * only for this machine: a request from another one, or through a proxy or a tunnel, finds nothing (404).
 */
export function standingOf(request: FastifyRequest): Standing {
  if (request.tenant?.development !== true || !comesFromThisMachine(request)) return 'nothing';
  // A name that leads here for the moment, as in DNS rebinding, is no tenant's either.
  if (!loopbackHost.test(request.headers.host ?? '')) return 'nothing';
  return isForeign(request) ? 'foreign' : 'ours';
}

/**
 * Whether a page of another site asks. It may lead here by a link, and no more: even who only listens has the TV poll.
 * Browsers say so to a loopback address by Sec-Fetch-Site; other programs send neither header. `null` is the Origin of our
 * own forms, and of a page in a sandbox.
 */
function isForeign({ method, headers, tenant }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if ((method === 'GET' || method === 'HEAD') && mode === 'navigate') return false;
  if (site !== undefined && site !== 'none' && site !== 'same-origin') return true;
  if (origin === undefined || origin === tenant.issuer) return false;
  return !(origin === 'null' && site === 'same-origin');
}
