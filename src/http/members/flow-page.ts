/** Pages of a way through the sign-in: each opens the flow that its address or its form carries, and leads on in it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { takeStep } from '../../operations/authorization/authorization.ts';
import { linkAccount } from '../../operations/providers/linked-account.ts';
import type { Proven } from '../../operations/sign-in/enter.ts';
import type { Tx } from '../../storage/store.ts';
import { setSessionCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { pageForm, pageQuery } from '../form.ts';
import { answerAuthorization } from '../oidc/authorize.ts';
import {
  contextOf,
  type Flow,
  type FlowPage,
  type FlowStep,
  flowUrl,
  languageOf,
  type OpenedFlow,
  openFlow,
  sealFlow,
  sendStale,
} from '../oidc/flow.ts';
import { refuseByDocument } from '../oidc/registration/document.ts';
import { sendProblem } from '../pages/problem.ts';
import { requireSameOrigin } from '../same-origin.ts';
import { enterHere } from '../session.ts';
import { pendingAccount } from './providers/buttons.ts';

type Handler = (reply: FastifyReply, flow: Flow, deps: Deps) => Promise<FastifyReply> | FastifyReply;

/** What a page of a flow shows, and what it does with its form. */
interface FlowHandlers {
  readonly show: Handler;
  readonly submit: Handler;
  /** Answers a visitor who comes with no flow, in the language chosen; without it the page needs one. */
  readonly none?: (reply: FastifyReply, chosen: string | undefined) => ReturnType<Handler>;
}

export function flowPage(app: FastifyInstance, deps: Deps, url: FlowPage, handlers: FlowHandlers): void {
  const { show, submit, none } = handlers;
  // From a flow that cannot go on a page leads to where it starts anew.
  const goOn = async (reply: FastifyReply, opened: OpenedFlow, go: Handler) => {
    if (opened.kind === 'none') return sendProblem(reply, 'noFlow');
    const { kind, flow } = opened;
    if (kind === 'stale') return sendStale(reply, flow);
    const { request } = reply;
    const named = { clientId: flow.parameters?.client_id, language: () => languageOf(request, flow) };
    return (await refuseByDocument(request, reply, named, deps)) ?? go(reply, flow, deps);
  };
  app.refuseOthers(app, url, ['GET', 'POST']);
  app.get(url, async (request, reply) => {
    const { flow: sealed, ui_locales: chosen } = pageQuery(request, ['flow', 'ui_locales']);
    const opened = openFlow(request, sealed, deps.clock());
    if (opened.kind === 'none' && none !== undefined) return none(reply, chosen);
    // The choice of a language goes into the flow, and stays with it through every page after this one.
    const choose: Handler = (_, flow) => goToFlow(reply, url, { ...flow, language: chosen ?? null }, deps);
    return goOn(reply, opened, chosen === undefined ? show : choose);
  });
  app.post(url, { onRequest: requireSameOrigin }, async (request, reply) =>
    goOn(reply, openFlow(request, pageForm(request, ['flow']).flow, deps.clock()), submit),
  );
}

/** Leads to a page of a flow. */
export function goToFlow(reply: FastifyReply, page: FlowPage, flow: Flow, deps: Deps): FastifyReply {
  return reply.redirect(flowUrl(page, sealFlow(reply, flow, deps)), 303);
}

/**
 * What comes of a first factor that was right, or of both: a session that began, with what comes of the flow's request –
 * null where it has none –, or what waits for the second factor.
 */
export type SignedIn = NonNullable<Awaited<ReturnType<typeof signInTo>>>;

/**
 * Signs a member in who proved who she is, and takes the flow on, in one transaction: every way of signing in ends here,
 * and answers by `answerSignedIn`. Where a second factor is asked for, nothing begins, and the answer leads to its page.
 *
 * @param step where the flow stands (`stepOf`)
 * @returns null if the account changed meanwhile
 */
export async function signInTo(
  tx: Tx,
  request: FastifyRequest,
  { flow, step }: { readonly flow: Flow; readonly step: FlowStep | null },
  proven: Proven,
  deps: Deps,
) {
  const entered = await enterHere(tx, request, proven, deps);
  if (entered === null) return null;
  if (entered.kind === 'waiting') return { flow, waiting: entered.waiting } as const;
  const { session, secret } = entered;
  const account = pendingAccount(flow, deps.clock());
  // Both were proven in this flow. One that became another member's meanwhile is left out, and she comes in.
  if (account !== null) await linkAccount(tx, request.tenant, entered.member, account, deps);
  const outcome = step === null ? null : await takeStep(tx, { ...step, now: deps.clock() }, session, deps);
  return { flow, secret, outcome } as const;
}

/** Leads on, signed in or to the second factor. */
export function answerSignedIn(reply: FastifyReply, signedIn: SignedIn, deps: Deps) {
  const { flow } = signedIn;
  if ('waiting' in signedIn)
    return goToFlow(reply, '/second-factor', { ...flow, waiting: signedIn.waiting }, deps);
  setSignedIn(reply, signedIn);
  const { outcome } = signedIn;
  if (outcome === null) return reply.redirect(flow.returnTo, 303);
  return answerAuthorization(reply, outcome, contextOf(flow), deps);
}

/** Gives the browser the cookie of a session that began. */
export function setSignedIn(reply: FastifyReply, signedIn: SignedIn): void {
  if ('secret' in signedIn) setSessionCookie(reply, signedIn.secret);
}
