import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Language } from '../../../language.ts';
import { seal, unseal } from '../../../secrets/seal.ts';
import { pathOf } from '../../address.ts';
import { refuseOtherMethods } from '../../answers.ts';
import { transactionOf } from '../../audit.ts';
import { browserCookie, ensureBrowserCookie, redirectAfter, takeDone } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { requestLanguage } from '../../pages/language.ts';
import { sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { requireOwnForm } from '../../same-origin.ts';
import { type CurrentSession, currentSession, SessionOver } from '../../session.ts';
import { flowUrl, sealFlow } from '../flow.ts';
import { listLinks } from './list.ts';

/** A signed-in member at a page of the account area. */
export interface Visit extends CurrentSession {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly language: Language;
  readonly deps: Deps;
}

/** Answers a visit. */
export type Answer = (visit: Visit) => Promise<FastifyReply> | FastifyReply;

/**
 * Registers a page of the account area: GET shows it, POST takes its form. Whoever is not signed in goes
 * through the sign-in page and comes back; a form must be of this browser and of this very session (U14).
 */
export function accountPage(
  app: FastifyInstance,
  deps: Deps,
  url: string,
  { show, submit }: { readonly show?: Answer; readonly submit?: Answer },
): void {
  refuseOtherMethods(app, url, [
    ...(show === undefined ? [] : (['GET'] as const)),
    ...(submit === undefined ? [] : (['POST'] as const)),
  ]);
  const returnTo = (request: FastifyRequest) => (show === undefined ? '/account' : pathOf(request));
  if (show !== undefined) {
    app.get(url, (request, reply) => visit(request, reply, returnTo(request), deps, show));
  }
  if (submit !== undefined) {
    app.post(url, { onRequest: requireOwnForm }, (request, reply) =>
      visit(request, reply, returnTo(request), deps, (visitor) =>
        isOwnForm(visitor) ? submit(visitor) : sendProblem(reply, 'crossSite'),
      ),
    );
  }
}

async function visit(
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo: string,
  deps: Deps,
  answer: Answer,
): Promise<FastifyReply> {
  const current = await transactionOf(request, deps, (tx) => currentSession(tx, request, deps.clock()));
  if (current === null) return sendToSignIn(reply, returnTo, deps);
  const language = requestLanguage(request, [current.member.locale]);
  try {
    return await answer({ ...current, request, reply, language, deps });
  } catch (error) {
    if (error instanceof SessionOver) return sendToSignIn(reply, returnTo, deps);
    throw error;
  }
}

/** The member signs in first, and comes back to the page. */
function sendToSignIn(reply: FastifyReply, returnTo: string, deps: Deps): FastifyReply {
  if (returnTo === '/account') return reply.redirect('/sign-in', 303);
  const flow = { startedAt: deps.clock(), parameters: null, returnTo, language: null };
  return reply.redirect(flowUrl('/sign-in', sealFlow(reply, flow, deps)), 303);
}

/** The seal of the forms of one session: no other page, browser or session can send them. */
const tokenOf = ({ session }: Pick<Visit, 'session'>) => `account ${session.id}`;

function isOwnForm(visitor: Visit): boolean {
  const { request } = visitor;
  const { token } = pageForm(request, ['token']);
  if (token === undefined) return false;
  const unsealed = unseal(request.tenant.tokenKey, 'form', browserCookie(request), token);
  return unsealed.kind === 'opened' && unsealed.value === tokenOf(visitor);
}

/** What was wrong with a field of a form. */
export interface FieldProblem {
  readonly field: string;
  readonly text: string;
}

/** A page of the account area, before it is sent. */
export interface AccountPage {
  /** The template below `templates/members/account/`, without its ending. */
  readonly template: string;
  readonly title: string;
  readonly problems?: readonly FieldProblem[];
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Sends a page of the account area, with the token of its forms and what was just done. */
export function sendAccountPage(
  visitor: Visit,
  { template, title, problems = [], data }: AccountPage,
): Promise<FastifyReply> {
  const { request, reply, language, deps } = visitor;
  const browser = ensureBrowserCookie(reply, deps.random);
  return sendPage(reply, {
    template: `members/account/${template}.eta`,
    language,
    title,
    status: problems.length > 0 ? 422 : 200,
    isError: problems.length > 0,
    data: {
      token: seal(request.tenant.tokenKey, 'form', browser, tokenOf(visitor)),
      notice: problems.length > 0 ? null : noticeOf(visitor),
      problems,
      ...data,
    },
  });
}

/** What can have been done before a page is shown; keys `account.done.<name>` of the catalogues. */
const done = [
  'cancelled',
  'consents',
  'details',
  'email',
  'kept',
  'otherSessions',
  'password',
  'renamed',
  'resumed',
  'signedOut',
  'signedOutAll',
] as const;

export type Done = (typeof done)[number];

/** Leads on to a page that says what was done: to the same part of its list. */
export function redirectDone(visitor: Visit, url: string, what: Done): FastifyReply {
  return redirectAfter(visitor.reply, listLinks(visitor, url, null).here, what);
}

function noticeOf({ reply, language }: Visit): string | null {
  const said = takeDone(reply);
  const what = done.find((name) => name === said);
  return what === undefined ? null : language.t(`account.done.${what}`);
}
