/** Pages of a way through the sign-in: each opens the flow that its address or its form carries. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { refuseOtherMethods } from '../answers.ts';
import type { Deps } from '../deps.ts';
import { pageForm, pageQuery } from '../form.ts';
import { type Flow, type FlowPage, flowUrl, openFlow, sealFlow, sendStale } from '../oidc/flow.ts';
import { sendProblem } from '../pages/problem.ts';
import { requireSameOrigin } from '../same-origin.ts';

type Handler = (reply: FastifyReply, flow: Flow) => Promise<FastifyReply> | FastifyReply;

/** @param start begins the flow of a visitor who comes with none; without it the page needs one */
export function flowPage(
  app: FastifyInstance,
  deps: Deps,
  url: FlowPage,
  { show, submit, start }: { readonly show: Handler; readonly submit: Handler; readonly start?: () => Flow },
): void {
  refuseOtherMethods(app, url, ['GET', 'POST']);
  app.get(url, async (request, reply) => {
    const { flow: sealed, ui_locales: chosen } = pageQuery(request, ['flow', 'ui_locales']);
    // The choice of a language goes into the flow, and stays with it through every page after this one.
    const inLanguage: Handler = (_reply, flow) =>
      chosen === undefined
        ? show(reply, flow)
        : reply.redirect(flowUrl(url, sealFlow(reply, { ...flow, language: chosen }, deps)), 303);
    return inFlow(reply, sealed, deps, inLanguage, start);
  });
  app.post(url, { onRequest: requireSameOrigin }, async (request, reply) =>
    inFlow(reply, pageForm(request, ['flow']).flow, deps, submit),
  );
}

/** Goes on in a flow; from one that cannot go on a page leads to where it starts anew. */
function inFlow(
  reply: FastifyReply,
  sealed: string | undefined,
  deps: Deps,
  go: Handler,
  start?: () => Flow,
): Promise<FastifyReply> | FastifyReply {
  const opened = openFlow(reply.request, sealed, deps.clock());
  if (opened.kind === 'stale') return sendStale(reply, opened.flow);
  if (opened.kind === 'flow') return go(reply, opened.flow);
  return start === undefined ? sendProblem(reply, 'noFlow') : go(reply, start());
}
