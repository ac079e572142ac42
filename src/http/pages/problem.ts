// The pages that say what went wrong.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { countingWindow, retryAfterSeconds, wrongUserCodes } from '../../core/limits.ts';
import { linkLength } from '../../core/members/limits.ts';
import { hashEmail } from '../../core/members/member-limits.ts';
import type { Rule } from '../../core/refusals/rule.ts';
import { isOutage } from '../../log/log.ts';
import type { Counted } from '../../storage/memory/rate-limit.ts';
import type { Language } from '../../text/language.ts';
import { notePage, noteRefusal, type RefusalFacts } from '../audit.ts';
import { countedMember, type LimitName, limitWords, noteLimit } from '../limit-reached.ts';
import { type Page, requestLanguage, sendPage } from './pages.ts';

const answered = (status: number, rule: Rule, reason: string, limit: LimitName | null = null) => ({
  status,
  rule,
  reason,
  limit,
});
const tooMany = (limit: LimitName) => answered(429, 'temporarily_unavailable', limitWords(limit), limit);

/**
 * What went wrong, as the page names it (keys `problem.<kind>.title` and `.lead`), in words for an operator, and the
 * limit that it tells of.
 */
const problems = {
  accountRefused: answered(
    403,
    'account_of_provider',
    'an account of another provider whose member may not sign in',
  ),
  accountTaken: answered(
    409,
    'account_of_provider',
    'an account of another provider that is another member’s, or one too many',
  ),
  busy: answered(503, 'server_error', 'the service was busy'),
  checkout: answered(400, 'checkout_address', 'the address of a checkout is not right'),
  crossSite: answered(403, 'form_foreign', 'a form that no page of ours gave to this browser and session'),
  linkUsed: answered(410, 'link_used', 'the link of a mail was used, or is too old'),
  noFlow: answered(400, 'flow_unknown', 'a page of a sign-in that was not begun, or that is over'),
  noSignUp: answered(403, 'sign_up_off', 'no sign-up is offered here'),
  notFound: answered(404, 'request_unreadable', 'there is nothing at this address'),
  providerFailed: answered(502, 'provider_failed', 'another provider did not sign the member in'),
  providerGone: answered(404, 'provider_gone', 'another provider that is off, or there no more'),
  request: answered(400, 'request_unreadable', 'the request cannot be read'),
  stale: answered(403, 'page_stale', 'the page was too old'),
  staleOfApp: answered(403, 'page_stale', 'the page was too old, and its app has to begin again'),
  tooManyAnswers: tooMany('consent_answers'),
  tooManyChanges: tooMany('detail_changes'),
  tooManyCheckouts: tooMany('checkouts'),
  tooManyCodes: tooMany('user_codes'),
  tooManyEmailCodes: tooMany('email_codes'),
  tooManyLinks: tooMany('mail_links'),
  tooManyMails: tooMany('mails'),
  tooManyRecoveries: tooMany('recoveries'),
  tooManySignIns: tooMany('sign_ins'),
  tooManySignUps: tooMany('sign_ups'),
  tooManySteps: tooMany('sign_ins'),
  unexpected: answered(500, 'server_error', 'an error of the service: the log says more under the reference'),
};

type ProblemKind = keyof typeof problems;

/** What the page of a problem says besides to a developer, in English: see `explain`. */
export interface PageReason {
  readonly rule: string;
  readonly mend: string;
  readonly sections: readonly { readonly text: string; readonly href: string }[];
  /** What one click would change; null for nothing. */
  readonly offered: {
    readonly kind: string;
    readonly clientId: string;
    readonly value: string | null;
  } | null;
  /** The page that says all of it, and where the click is sent. */
  readonly url: string;
  readonly mendUrl: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Says more of a refusal to those who build a client; undefined for all others. */
    explain: ((refused: RefusalFacts) => PageReason | null) | undefined;
  }
}

/** A way on from a page: the first is a button, the others are links (pages 7). */
export interface Way {
  readonly href: string;
  /** Key of its text. */
  readonly text: string;
}

export interface Problem {
  readonly language?: Language;
  readonly reason?: string;
  /** What its texts name. */
  readonly values?: Readonly<Record<string, string>>;
  readonly details?: readonly { readonly label: string; readonly values: readonly string[] }[];
  /** Where "Start again" leads. */
  readonly link?: string;
  /** Where else the page leads on. */
  readonly ways?: readonly Way[];
  /** Where the page is found again in another language, where its address is not enough. */
  readonly again?: NonNullable<Page['again']>;
  /** Whom a limit counts, where that is not the address. */
  readonly limitKey?: Counted;
}

/** The page of a problem: what happened, what to do next, and a reference that is in the log (pages 7, 8). */
export function sendProblem(reply: FastifyReply, kind: ProblemKind, problem: Problem = {}) {
  const { request } = reply;
  const language = problem.language ?? requestLanguage(request, []);
  if (kind === 'busy') reply.header('retry-after', retryAfterSeconds);
  if (kind === 'tooManyCodes') reply.header('retry-after', wrongUserCodes.window / 1_000);
  noteProblem(reply, kind, problem.limitKey);
  return sendPage(reply, {
    template: 'problem.eta',
    language,
    title: `problem.${kind}.title`,
    ...(problem.values === undefined ? {} : { titleValues: problem.values }),
    status: problems[kind].status,
    isError: true,
    ...(problem.again === undefined ? {} : { again: problem.again }),
    data: {
      lead: language.t(`problem.${kind}.lead`, problem.values),
      reason: problem.reason ?? null,
      details: problem.details ?? [],
      ways: waysOn(request, kind, problem),
      why: whyOf(request),
    },
  });
}

/** The reason that the audit gives for the request. */
function whyOf({ refusals, refusedPage, explain }: FastifyRequest): PageReason | null {
  const refused = refusals?.[0] ?? refusedPage;
  return refused === undefined ? null : (explain?.(refused) ?? null);
}

const account: Way = { href: '/account', text: 'account.title' };

/** Where a problem leads unless it says otherwise (pages 20): what was asked for may be there a moment later. */
function waysOn(request: FastifyRequest, kind: ProblemKind, { link, ways = [] }: Problem): readonly Way[] {
  const given = link === undefined ? ways : [{ href: link, text: 'problem.restart' }, ...ways];
  if (given.length > 0) return given;
  if (kind === 'noFlow') return [{ href: '/sign-in', text: 'signIn.submit' }];
  const isAgain = (kind === 'busy' || kind === 'unexpected') && request.method === 'GET';
  return isAgain && request.url.length <= linkLength
    ? [{ href: request.url, text: 'problem.again' }]
    : [account];
}

/** A page that says what has been done, and leads on. Its texts are keys. */
export interface Message {
  readonly language: Language;
  readonly title: string;
  readonly lead: string;
  /** What is to be known beside it. */
  readonly note?: string;
  readonly status?: number;
  readonly ways?: readonly Way[];
}

export function sendMessage(reply: FastifyReply, message: Message): Promise<FastifyReply> {
  const { language, title, lead, note, status = 200, ways = [] } = message;
  const data = { lead: language.t(lead), note: note === undefined ? null : language.t(note), ways };
  return sendPage(reply, { template: 'members/message.eta', language, title, status, data });
}

/** The page of a link that was used and has done its work: opened again it is no error (pages 20). */
export function sendLinkDone(reply: FastifyReply, message: Omit<Message, 'lead'>): Promise<FastifyReply> {
  return sendMessage(reply, { ...message, lead: 'problem.linkDone.lead', status: 410 });
}

/** The page of an address that is sent no more mails now: it claims none, and tells nothing of an account (F6). */
export function sendTooManyMails(
  reply: FastifyReply,
  email: string,
  problem: Pick<Problem, 'language' | 'link' | 'ways'>,
): Promise<FastifyReply> {
  reply.header('retry-after', countingWindow.hour / 1_000);
  return sendProblem(reply, 'tooManyMails', {
    ...problem,
    limitKey: { key: hashEmail(email), memberId: null },
  });
}

/** The page of a member who changes details of her own too often (EV27). @param wait seconds */
export function sendTooManyChanges(
  reply: FastifyReply,
  wait: number,
  { memberId, ...problem }: Pick<Problem, 'language' | 'ways'> & { readonly memberId: string },
): Promise<FastifyReply> {
  const limitKey = countedMember(memberId);
  return sendProblem(reply.header('retry-after', wait), 'tooManyChanges', { ...problem, limitKey });
}

/**
 * What the audit tells of a page that says what went wrong: its reader reads the reference out to an operator. That
 * there is nothing at an address is no news, and what is busy is not given more to do.
 */
function noteProblem(reply: FastifyReply, kind: ProblemKind, limitKey: Counted | undefined): void {
  const { rule, reason, limit } = problems[kind];
  if (limit !== null) noteLimit(reply, limit, limitKey);
  if (kind === 'notFound' || kind === 'busy') return;
  if (kind === 'crossSite') noteRefusal(reply.request, { event: 'form_refused', rule, reason });
  else notePage(reply.request, { event: 'page_refused', target: limitKey?.memberId ?? null, rule, reason });
}

/** The problem that a visitor is shown for an error. Errors that are no doing of theirs are logged. */
export function problemOf(error: FastifyError, { log }: FastifyRequest): 'busy' | 'request' | 'unexpected' {
  if (isOutage(error)) {
    log.error({ err: error }, 'storage unavailable');
    return 'busy';
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return 'request';
  log.error({ err: error }, 'unexpected error');
  return 'unexpected';
}

/** The error handler of the pages: a page, or if that fails too, a line. */
export function pageErrorHandler(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  return orLastResort(reply, sendProblem(reply, problemOf(error, request)));
}

/**
 * What is answered when the page of an error fails itself: Fastify would send the error's own words, which are
 * for the log alone (H17).
 */
export async function orLastResort(reply: FastifyReply, page: Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await page;
  } catch (error) {
    reply.request.log.error({ err: error }, 'the page of an error failed');
    return reply
      .status(500)
      .headers({
        'cache-control': 'no-store',
        'content-language': 'en',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      })
      .type('text/plain; charset=utf-8')
      .send('Something went wrong. Try again later.\n');
  }
}
