import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sessionCookie } from '../../cookies.ts';
import { type Act, type Guard, guardedPage } from '../../pages/guarded-page.ts';
import { readReturn, signInAddress } from './addresses.ts';
import { notePortalMethod, sendPortalPage, sendPortalProblem } from './page.ts';
import { actorOf, currentAdmin, type Portal, purposeOf, type Visit } from './visit.ts';

/** Answers a visit that was let in: what it reads and changes are operations, which look again (`demandAdmin`). */
export type Answer = (visit: Visit) => Promise<FastifyReply> | FastifyReply;

/** Registers a page of the portal whose answer calls operations. */
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
  const after =
    (answer: Answer): Act<Visit> =>
    (_tx, visit) =>
    () =>
      answer(visit);
  guardedPage(app, adminGuard(portal, show !== undefined), {
    url,
    ...(show === undefined ? {} : { show: after(show) }),
    ...(submit === undefined ? {} : { submit: after(submit) }),
    ...(bodyBytes === undefined ? {} : { bodyBytes }),
  });
}

/**
 * Lets administrators in; others go to the portal's own sign-in.
 *
 * @param isPage whether there is a page to come back to
 */
export function adminGuard(portal: Portal, isPage: boolean): Guard<Visit> {
  const { deps } = portal;
  return {
    deps,
    async admit(tx, reply) {
      const { request } = reply;
      const current = await currentAdmin(tx, request, deps.clock());
      if (current === null) return null;
      const actor = actorOf(current.member);
      return { ...portal, ...current, request, reply, actor, denial: { isWritten: false } };
    },
    signIn(reply) {
      const { request } = reply;
      const returnTo = isPage ? request.url : '';
      return isArrival(request) ? sendArrival(reply, returnTo) : reply.redirect(signInAddress(returnTo), 303);
    },
    purposeOf,
    refuseForm: (visit) => sendPortalProblem(visit.reply, 'stale', visit),
    noteMethod: notePortalMethod,
  };
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
