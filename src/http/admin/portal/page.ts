// Renders and sends the pages of the portal, and what went wrong.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { retryAfterSeconds } from '../../../core/limits.ts';
import type { Problem } from '../../../core/problem.ts';
import { problemText } from '../../../operations/problem-text.ts';
import { OperationRefused } from '../../../operations/refusal.ts';
import { say } from '../../../text/portal.ts';
import { noteRefusal, type RefusalFacts } from '../../audit.ts';
import { pageHeaders } from '../../headers.ts';
import { noteLimit } from '../../limit-reached.ts';
import { orLastResort, problemOf } from '../../pages/problem.ts';
import { TooManyCalls } from '../call.ts';
import { type Crumb, crumbsOf } from './crumbs.ts';
import { portalScript, portalStyle } from './look.ts';
import { railOf, shownTenant } from './menu.ts';
import type { OperationVisit, Visit } from './visitor.ts';

/** What was wrong with a form; the name of its field, where it is of one. */
export interface FieldProblem {
  readonly field: string | null;
  readonly text: string;
}

/** A page of the portal about to be sent. Its texts are in the portal's catalogue. */
interface PortalPage {
  /** The template below `templates/admin/`, without its ending. */
  readonly template: string;
  readonly title: string;
  /** The title of an error begins with "Error" (pages 6). */
  readonly status?: number;
  /** The administrator who looks at it; null before the sign-in. */
  readonly visit: Visit | null;
  readonly crumbs?: readonly Crumb[];
  /** Whether it shows documents of ours in frames. */
  readonly framesOwn?: boolean | undefined;
  /** Whether its script asks us for what is so now. */
  readonly asksOwn?: boolean;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Sends the page of an operation. */
export async function sendOperationPage(
  visit: OperationVisit,
  page: Omit<PortalPage, 'visit' | 'crumbs'>,
): Promise<FastifyReply> {
  const { name = null } = (page.data?.named ?? {}) as { readonly name?: string };
  return sendPortalPage(visit.reply, { ...page, visit, crumbs: await crumbsOf(visit, page.title, name) });
}

/** Renders a page of the portal, in the colour of the tenant that it is about. */
export async function sendPortalPage(reply: FastifyReply, page: PortalPage): Promise<FastifyReply> {
  const { visit, template, title, status = 200 } = page;
  const tenant = visit === null ? reply.request.tenant : shownTenant(visit);
  const style = portalStyle(template)(tenant);
  reply
    .status(status)
    .headers({
      'cache-control': 'no-store',
      'content-language': 'en',
      ...pageHeaders(style.hash, [], page),
    })
    .type('text/html; charset=utf-8');
  const html = await reply.viewAsync(`admin/${template}.eta`, {
    tenant,
    title: `${status < 400 ? title : say('problem.title', { title })} – ${tenant.name}`,
    heading: title,
    style: style.text,
    scriptUrl: portalScript(template),
    rail: visit === null ? null : await railOf(visit),
    member: visit?.member ?? null,
    token: visit === null ? '' : visit.newToken(),
    crumbs: page.crumbs ?? [],
    reference: reply.request.id,
    address: null,
    reloads: null,
    ...page.data,
  });
  return reply.send(html);
}

interface ProblemPage {
  readonly status: number;
  /** What the audit tells of it; the others change nothing. */
  readonly refusal?: RefusalFacts;
}

/** Problems without a form to say them on; the catalogue has their titles, and the links that lead on. */
const problems = {
  again: {
    status: 409,
  },
  busy: {
    status: 503,
  },
  denied: {
    status: 429,
  },
  notFound: {
    status: 404,
    refusal: { event: 'admin_denied', reason: 'nothing of the portal, or not for this administrator' },
  },
  request: {
    status: 400,
    refusal: { event: 'form_refused', reason: 'a request to the portal that cannot be read' },
  },
  stale: {
    status: 403,
    refusal: { event: 'form_refused', reason: 'a form of the portal that is none of this session' },
  },
  tooMany: {
    status: 429,
  },
  tooLarge: {
    status: 413,
    refusal: { event: 'form_refused', reason: 'a form of the portal that is too large' },
  },
  unexpected: {
    status: 500,
  },
} as const satisfies Readonly<Record<string, ProblemPage>>;

type PortalProblem = keyof typeof problems;

/** The page of a problem, with a reference that is in the log (pages 7, 8). */
export function sendPortalProblem(
  reply: FastifyReply,
  kind: PortalProblem,
  visit: Visit | null = null,
  reasons: readonly Problem[] = [],
): Promise<FastifyReply> {
  const { status, refusal }: ProblemPage = problems[kind];
  const texts = reasons.map((one) => problemText(one));
  // What an operation was denied, running it has written down already.
  if (refusal !== undefined && visit?.denial.isWritten !== true) {
    const { method, routeOptions } = reply.request;
    const by = visit === null ? {} : ({ actorKind: 'admin', actorId: visit.actor.memberId } as const);
    const reason = [`${method} ${routeOptions.url}: ${refusal.reason}`, ...texts].join('; ');
    noteRefusal(reply.request, { ...refusal, ...by, reason });
  }
  if (kind === 'busy') reply.header('retry-after', retryAfterSeconds);
  const title = say(`problem.${kind}.title`);
  const data = { lead: say(`problem.${kind}.lead`), reasons: texts };
  return sendPortalPage(reply, { template: 'problem', title, status, visit, data });
}

/**
 * The page of what an operation refused, where there is no form to say it on: what is out of reach is not there (A17).
 *
 * @throws every error that is not a refusal
 */
export function sendRefused(visit: Visit, error: unknown): Promise<FastifyReply> {
  if (!(error instanceof OperationRefused)) throw error;
  const kind = error.kind === 'invalid' ? 'request' : 'notFound';
  return sendPortalProblem(visit.reply, kind, visit, error.problems);
}

/** Writes down a method that a page of the portal does not serve. */
export function notePortalMethod(request: FastifyRequest, url: string): void {
  const reason = `${request.method} ${url}: a method that is not served`;
  noteRefusal(request, { event: 'admin_denied', reason });
}

/** The error handler of the portal: a page, or if that fails too, a line. */
export function portalErrorHandler(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (error instanceof TooManyCalls) {
    noteLimit(reply.header('retry-after', error.retryAfter), error.limit, error.counted);
    return orLastResort(reply, sendPortalProblem(reply, 'denied'));
  }
  const kind = error.statusCode === 413 ? 'tooLarge' : problemOf(error, request);
  return orLastResort(reply, sendPortalProblem(reply, kind));
}
