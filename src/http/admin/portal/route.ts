import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { transactionOf } from '../../audit.ts';
import { sessionCookie } from '../../cookies.ts';
import { requireOwnForm } from '../../same-origin.ts';
import { SessionOver } from '../../session.ts';
import { readReturn, signInAddress } from './addresses.ts';
import { refuseOtherPortalMethods, sendPortalPage, sendPortalProblem } from './page.ts';
import { actorOf, currentAdmin, formOf, type Portal, type Visit } from './visit.ts';

/** Answers a visit. */
export type Answer = (visit: Visit) => Promise<FastifyReply> | FastifyReply;

/**
 * Registers a page of the portal: GET shows it, POST takes its form. Whoever is not signed in as an
 * administrator goes to the portal's own sign-in; a form must be of this browser and this session (U14).
 */
export function portalPage(
  app: FastifyInstance,
  portal: Portal,
  url: string,
  {
    show,
    submit,
    bodyBytes,
  }: { readonly show?: Answer; readonly submit?: Answer; readonly bodyBytes?: number },
): void {
  refuseOtherPortalMethods(app, url, [
    ...(show === undefined ? [] : (['GET'] as const)),
    ...(submit === undefined ? [] : (['POST'] as const)),
  ]);
  if (show !== undefined) {
    app.get(url, (request, reply) => visit(request, reply, portal, request.url, show));
  }
  if (submit !== undefined) {
    const limit = bodyBytes === undefined ? {} : { bodyLimit: bodyBytes };
    app.post(url, { onRequest: requireOwnForm, ...limit }, (request, reply) =>
      visit(request, reply, portal, show === undefined ? '' : request.url, (visitor) =>
        formOf(visitor) === null ? sendPortalProblem(reply, 'stale', visitor) : submit(visitor),
      ),
    );
  }
}

async function visit(
  request: FastifyRequest,
  reply: FastifyReply,
  portal: Portal,
  returnTo: string,
  answer: Answer,
): Promise<FastifyReply> {
  const { deps } = portal;
  const current = await transactionOf(request, deps, (tx) => currentAdmin(tx, request, deps.clock()));
  if (current === null && isArrival(request)) return sendArrival(reply, returnTo);
  if (current === null) return reply.redirect(signInAddress(returnTo), 303);
  const actor = actorOf(current.member);
  try {
    return await answer({ ...portal, ...current, request, reply, actor, denial: { isWritten: false } });
  } catch (error) {
    if (error instanceof SessionOver) return reply.redirect(signInAddress(returnTo), 303);
    throw error;
  }
}

/**
 * Whether a link of another site led here: our Strict cookie stays behind then (W3), so that nobody knows yet
 * whether the browser is signed in.
 */
function isArrival(request: FastifyRequest): boolean {
  const isLink = request.method !== 'POST' && request.headers['sec-fetch-site'] === 'cross-site';
  return isLink && sessionCookie(request, 'admin') === undefined;
}

/** A page that opens the same address once more, by itself: now the cookie comes along. */
function sendArrival(reply: FastifyReply, address: string): Promise<FastifyReply> {
  const data = { address: readReturn(address) };
  return sendPortalPage(reply, { template: 'arrival', title: 'One moment', visit: null, data });
}
