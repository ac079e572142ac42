/** The pages of the account area: who may open them, and how they are sent. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pathOf } from '../../address.ts';
import { redirectAfter, takeDone } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { formToken } from '../../pages/form-token.ts';
import { type Act, type GuardedPage, guardedPage, type Unconfirmed } from '../../pages/guarded-page.ts';
import { type FieldProblem, type Page, sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { type MemberVisit, memberGuard } from '../member-guard.ts';
import { listLinks } from './list.ts';

/** A signed-in member at a page of the account area. */
export type Visit = MemberVisit;

/** A page of the account area, and what it does in the transaction that lets its member in. */
export type AccountPage = GuardedPage<Visit>;
export type AccountAct = Act<Visit>;

/** Registers a page of the account area. A form that has no page of its own comes back to the overview. */
export function accountPage(app: FastifyInstance, deps: Deps, page: AccountPage): void {
  const guard = memberGuard(deps, ({ request }) => ({
    purpose: purposeOfAll,
    returnTo: page.show === undefined ? overview : pathOf(request),
  }));
  const signIn: typeof guard.signIn = (reply) => {
    // The sign-in leads to the overview by itself.
    const isDirect = page.show === undefined || pathOf(reply.request) === overview;
    return isDirect ? reply.redirect('/sign-in', 303) : guard.signIn(reply);
  };
  guardedPage(app, { ...guard, signIn }, page);
}

const overview = '/account';

/** The forms of every page here are sealed alike. */
const purposeOfAll = 'account';

/** What a page of the account area shows. */
export interface AccountView extends Pick<Page, 'title' | 'problems' | 'data'> {
  /** The template below `templates/members/account/`, without its ending. */
  readonly template: string;
}

/** Sends a page of the account area, with the token of its forms and what was just done. */
export function sendAccountPage(
  visitor: Visit,
  { template, title, problems = [], data }: AccountView,
): Promise<FastifyReply> {
  const { session, reply, language, deps } = visitor;
  return sendPage(reply, {
    template: `members/account/${template}.eta`,
    language,
    title,
    problems,
    data: {
      token: formToken(reply, `${purposeOfAll} ${session.id}`, deps),
      notice: problems.length > 0 ? null : noticeOf(visitor),
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

/** Says why nothing was done without the current password. @param sendForm sends the form again, with what was wrong */
export function sendUnconfirmed(
  { reply, language }: Visit,
  why: Unconfirmed,
  sendForm: (problem: FieldProblem) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  if (why.kind !== 'too-many') {
    const text = language.t(`account.error.currentPassword.${why.kind}`);
    return sendForm({ field: 'currentPassword', text });
  }
  const { retryAfter, limitKey } = why;
  // A member who has forgotten it chooses another by mail.
  const ways = [
    { href: overview, text: 'account.title' },
    { href: '/recover', text: 'recover.title' },
  ];
  return sendProblem(reply.header('retry-after', retryAfter), 'tooManySignIns', { language, limitKey, ways });
}
