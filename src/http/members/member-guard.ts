/** Lets members who are signed in to their own pages. */
import type { FastifyReply } from 'fastify';
import type { Tx } from '../../storage/store.ts';
import type { Language } from '../../text/language.ts';
import type { Deps } from '../deps.ts';
import { sendToSignIn } from '../oidc/flow.ts';
import type { Guard, Visit } from '../pages/guarded-page.ts';
import { requestLanguage } from '../pages/pages.ts';
import { sendProblem } from '../pages/problem.ts';
import { currentSession } from '../session.ts';

/** A signed-in member at a page. */
export interface MemberVisit extends Visit {
  readonly language: Language;
}

/** Where a guard of members leads. */
export interface Way {
  /** What the forms of a visit are for, beside their session. */
  readonly purpose: string;
  /** The page to come back to from the sign-in. */
  readonly returnTo: string;
  /** The language chosen on the way. */
  readonly chosen?: string | null;
}

/** The guard of a page for members. @param wayOf is asked at each request */
export function memberGuard(deps: Deps, wayOf: (reply: FastifyReply) => Way): Guard<MemberVisit> {
  return {
    deps,
    async admit(tx: Tx, reply: FastifyReply) {
      const { request } = reply;
      const current = await currentSession(tx, request, deps.clock());
      if (current === null) return null;
      const { locale, address } = current.member;
      const chosen = requestLanguage(request, [wayOf(reply).chosen], locale);
      const language = { ...chosen, country: address.country };
      return { ...current, request, reply, language, deps };
    },
    signIn(reply) {
      const { returnTo, chosen = null } = wayOf(reply);
      return sendToSignIn(reply, returnTo, chosen, deps);
    },
    purposeOf: ({ reply, session }) => `${wayOf(reply).purpose} ${session.id}`,
    refuseForm: ({ reply, language }) => sendProblem(reply, 'crossSite', { language }),
  };
}
