/** The pages of the account area: who may open them, how they are sent, and which part of a list they show. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accountListLength } from '../../../core/members/limits.ts';
import { usesPassword } from '../../../core/members/ways-in.ts';
import type { PageOf } from '../../../operations/page.ts';
import type { Tx } from '../../../storage/store.ts';
import { pathOf } from '../../address.ts';
import { redirectAfter, takeDone } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageQuery } from '../../form.ts';
import { sealConfirmation } from '../../oidc/logout.ts';
import {
  type ConfirmedBy,
  type ConfirmedForm,
  takeConfirmedForm,
  type Unconfirmed,
} from '../../pages/confirmed-form.ts';
import { formToken } from '../../pages/form-token.ts';
import { type Act, type GuardedPage, guardedPage } from '../../pages/guarded-page.ts';
import { type FieldProblem, type Page, sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { type MemberVisit, memberGuard } from '../member-guard.ts';
import { dayOf } from '../times.ts';
import { noProofs, type Proofs, proofsOf, proofsShown, signInAnew, signsInFirst } from './proofs.ts';

/** A signed-in member at a page of the account area. */
export type Visit = MemberVisit;

/** A page of the account area. */
export interface AccountPage extends GuardedPage<Visit> {
  /** Where the sign-in leads back to, where that is more than the path of the page. */
  readonly returnTo?: (request: FastifyRequest) => string;
}

/** Registers a page of the account area. A form that has no page of its own comes back to the overview. */
export function accountPage(app: FastifyInstance, deps: Deps, page: AccountPage): void {
  const guard = memberGuard(deps, ({ request }) => ({
    purpose: purposeOfAll,
    returnTo: page.show === undefined ? overview : (page.returnTo?.(request) ?? pathOf(request)),
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

/** What a page of the account area shows; its template is named below `templates/members/account/`, without its ending. */
type AccountView = Pick<Page, 'template' | 'title' | 'titleValues' | 'problems' | 'status' | 'data'>;

/** Sends a page of the account area, with the token of its forms and what was just done. */
export function sendAccountPage(visit: Visit, view: AccountView): Promise<FastifyReply> {
  const { template, data, ...page } = view;
  const { session, member, reply, language, deps } = visit;
  const token = formToken(reply, `${purposeOfAll} ${session.id}`, deps);
  const notice = page.problems?.length ? null : noticeOf(visit);
  const { deletionDueAt } = member;
  return sendPage(reply, {
    template: `members/account/${template}.eta`,
    language,
    ...page,
    data: {
      token,
      notice,
      member,
      confirm: sealConfirmation(reply, deps),
      deletionDay: deletionDueAt === null ? null : dayOf(deletionDueAt, language),
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
  'linked',
  'otherSessions',
  'passkeyAdded',
  'passkeyRemoved',
  'password',
  'passwordRemoved',
  'renamed',
  'resumed',
  'seatBack',
  'seatLeft',
  'seatRemoved',
  'seatSentAgain',
  'seatTaken',
  'seatTakenBack',
  'seatsClosed',
  'seatsClosedTo',
  'seatsInvited',
  'seatsOpened',
  'seatsOpenedTo',
  'signedOut',
  'signedOutAll',
  'twoStepOff',
  'unlinked',
] as const;

type Done = (typeof done)[number];

/** The thing that was changed, and the fields of the form that takes it back (pages 22). */
interface DoneTo {
  readonly name?: string;
  readonly undo?: Readonly<Record<string, string>>;
}

/** Leads on to a page that says what was done: to the same part of its list. */
export function redirectDone(visit: Visit, url: string, what: Done, to: DoneTo | null = null): FastifyReply {
  const about = to === null ? '' : `~${Buffer.from(JSON.stringify(to)).toString('base64url')}`;
  return redirectAfter(visit.reply, listLinks(visit, url, null).here, `${what}${about}`);
}

/** What was done before this page, in words. */
interface AccountNotice {
  readonly text: string;
  readonly undo: NonNullable<DoneTo['undo']> | null;
  /** Key of the text on the button that takes it back. */
  readonly undoText: string;
  /** Where that is sent to. */
  readonly here: string;
}

function noticeOf(visit: Visit): AccountNotice | null {
  const { request, reply, language } = visit;
  const [said, about] = takeDone(reply)?.split('~') ?? [];
  const what = done.find((name) => name === said);
  if (what === undefined) return null;
  const { name = '', undo = null } = about === undefined ? {} : readDoneTo(about);
  return {
    text: language.t(`account.done.${what}`, { name }),
    undo,
    undoText: what === 'cancelled' ? 'account.subscriptions.resume' : 'undo',
    here: listLinks(visit, pathOf(request), null).here,
  };
}

/** It comes from a cookie: what cannot be read says nothing. */
function readDoneTo(about: string): DoneTo {
  try {
    return JSON.parse(Buffer.from(about, 'base64url').toString()) as DoneTo;
  } catch {
    return {};
  }
}

/** A page whose form asks once more who it is. */
export interface PasswordedPage<Sent, Seen extends object = object> {
  readonly url: string;
  /** Reads what the form has beside the proof. */
  read(request: FastifyRequest): Promise<Sent> | Sent;
  /** What the page shows of what is kept. @param sent null where the page is only opened */
  look?(tx: Tx, visit: Visit, sent: Sent | null): Promise<Seen>;
  view(visit: Visit, sent: Sent | null, seen: Partial<Seen> & Proofs): AccountView;
  /** What is wrong with the rest of the form, for which no proof is looked at; null for nothing. */
  check?(visit: Visit, sent: Sent): FieldProblem | null;
  /** Prepares, once it was proven, what is then done. @param sendForm shows the form with what is wrong */
  begin(visit: Visit, sent: Sent, sendForm: SendForm, by: ConfirmedBy): Promise<Act<Visit>> | Act<Visit>;
}

export type SendForm = (visit: Visit, problem: FieldProblem) => Promise<FastifyReply>;

export function passwordedPage<Sent, Seen extends object = object>(
  page: PasswordedPage<Sent, Seen>,
): AccountPage {
  type Whole = Partial<Seen> & Proofs;
  const { url, read, view, check, begin } = page;
  const look = async (tx: Tx, visit: Visit, sent: Sent | null): Promise<Whole> => ({
    ...((await page.look?.(tx, visit, sent)) ?? ({} as Partial<Seen>)),
    ...(await proofsOf(tx, visit)),
  });
  const send = (visit: Visit, sent: Sent | null, seen: Whole, problems: readonly FieldProblem[] = []) => {
    const shown = view(visit, sent, seen);
    const data = { ...proofsShown(visit, seen), ...shown.data };
    return sendAccountPage(visit, { problems, ...shown, data });
  };
  const form: ConfirmedForm<Visit> = async (request) => {
    const sent = await read(request);
    let seen = { ...noProofs } as unknown as Whole;
    const sendForm: SendForm = (visit, problem) => send(visit, sent, seen, [problem]);
    return {
      async look(tx, visit) {
        seen = await look(tx, visit, sent);
      },
      check(visit) {
        const problem = check?.(visit, sent) ?? null;
        return problem === null ? null : () => sendForm(visit, problem);
      },
      begin: (visit, by) => begin(visit, sent, sendForm, by),
      refuse: (visit, why) => sendUnconfirmed(visit, why, sendForm),
    };
  };
  return {
    url,
    async show(tx, visit) {
      const seen = await look(tx, visit, null);
      return () => (signsInFirst(visit, seen) ? signInAnew(visit) : send(visit, null, seen));
    },
    prepared: (request, deps) => takeConfirmedForm(request, form, deps),
  };
}

/** Says why nothing was done: the member has not proven who she is. */
export function sendUnconfirmed(
  visit: Visit,
  why: Unconfirmed,
  sendForm: SendForm,
): Promise<FastifyReply> | FastifyReply {
  const { reply, language } = visit;
  switch (why.kind) {
    case 'missing':
    case 'wrong': {
      const text = language.t(`account.error.currentPassword.${why.kind}`);
      return sendForm(visit, { field: 'currentPassword', text });
    }
    case 'anew':
      return signInAnew(visit);
    case 'passkey':
      return sendForm(visit, { field: 'passkey', text: language.t('account.error.passkey') });
    case 'stale':
      return sendForm(visit, { field: 'passkey', text: language.t('passkey.stale') });
    case 'too-many': {
      const { retryAfter, limitKey } = why;
      // A member who has forgotten it chooses another by mail.
      const ways = [
        { href: overview, text: 'account.title' },
        ...(usesPassword(visit.request.tenant, visit.member)
          ? [{ href: '/recover', text: 'recover.title' }]
          : []),
      ];
      return sendProblem(reply.header('retry-after', retryAfter), 'tooManySignIns', {
        language,
        limitKey,
        ways,
      });
    }
    default:
      throw new Error(`unknown reason ${JSON.stringify(why satisfies never)}`);
  }
}

/** The entry of a list behind which the page that was asked for begins; undefined for the first page. */
export function beforeIn({ request }: Visit): string | undefined {
  const { before = '' } = pageQuery(request, ['before']);
  return /^[A-Za-z0-9_-]{1,64}$/.test(before) ? before : undefined;
}

/** The page of a list that was asked for. */
export function accountPart(visit: Visit): PageOf {
  const before = beforeIn(visit);
  return { limit: accountListLength, ...(before === undefined ? {} : { before }) };
}

/** What a page of a list leads to (`members/parts/pages.eta`): null for nothing. */
export interface ListLinks {
  /** The address of this page, for its forms. */
  readonly here: string;
  readonly newest: string | null;
  readonly older: string | null;
}

/** @param url of the list, with what narrows it @param next the entry behind which the next page begins; null on the last one */
export function listLinks(visit: Visit, url: string, next: string | number | null): ListLinks {
  const before = beforeIn(visit);
  const behind = `${url}${url.includes('?') ? '&' : '?'}before=`;
  return {
    here: before === undefined ? url : `${behind}${before}`,
    newest: before === undefined ? null : url,
    older: next === null ? null : `${behind}${next}`,
  };
}
