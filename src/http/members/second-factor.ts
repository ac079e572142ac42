// The second step of a member's sign-in.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { formTarget } from '../headers.ts';
import { type Flow, flowUrl, languageOf, requestOf, sealFlow, stepOf, withoutWaiting } from '../oidc/flow.ts';
import { sendProblem } from '../pages/problem.ts';
import {
  type AskedStep,
  askedStep,
  noteWrongStep,
  sendRecoveryCodes,
  sendStep,
  sentStep,
  takeSecondStep,
  trustHere,
} from '../pages/second-step.ts';
import { answerSignedIn, flowPage, goToFlow, setSignedIn, signInTo } from './flow-page.ts';

const url = '/second-factor';
const place = { kind: 'member' } as const;

/**
 * GET and POST /second-factor: asks who has proven one factor for the second one, or sets it up where the tenant demands
 * one. Nobody is signed in before.
 */
export function secondFactorPage(app: FastifyInstance, deps: Deps): void {
  flowPage(app, deps, url, { show, submit });
}

async function show(reply: FastifyReply, flow: Flow, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { waiting } = flow;
  const asked =
    waiting === undefined
      ? null
      : await transactionOf(request, deps, (tx) => askedStep(tx, request, waiting, place, deps));
  // It took too long, or the account is another now: the first factor is given again.
  return asked === null ? back(reply, flow, deps) : send(reply, flow, asked, deps);
}

async function submit(reply: FastifyReply, flow: Flow, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { waiting } = flow;
  const { action } = pageForm(request, ['action']);
  if (waiting === undefined || action === 'back') return back(reply, flow, deps);
  const sent = await sentStep(request);
  const goesOn = withoutWaiting(flow);
  const step = await stepOf(request, goesOn);
  const { taken, signedIn } = await transactionOf(request, deps, async (tx) => {
    const taken = await takeSecondStep(tx, request, { waiting, sent }, place, deps);
    if (taken.kind !== 'right') return { taken, signedIn: null };
    // New recovery codes are shown first, and the flow goes on from there.
    const at = { flow: goesOn, step: taken.codes === null ? step : null };
    const signedIn = await signInTo(tx, request, at, taken.proven, deps);
    if (sent.trusts && taken.codes === null) await trustHere(tx, request, waiting.memberId, deps);
    return { taken, signedIn };
  });
  const language = languageOf(request, flow);
  switch (taken.kind) {
    case 'over':
      return back(reply, flow, deps);
    case 'too-many': {
      noteWrongStep(request, waiting.memberId, place.kind);
      const ways = [{ href: flowUrl('/sign-in', sealFlow(reply, goesOn, deps)), text: 'recover.back' }];
      const { retryAfter, limitKey } = taken;
      return sendProblem(reply.header('retry-after', retryAfter), 'tooManySignIns', {
        language,
        limitKey,
        ways,
      });
    }
    case 'wrong':
      noteWrongStep(request, waiting.memberId, place.kind);
      return send(reply, flow, taken, deps, sent.given.by);
    case 'right': {
      if (signedIn === null) return back(reply, flow, deps);
      if (taken.codes === null) return answerSignedIn(reply, signedIn, deps);
      setSignedIn(reply, signedIn);
      const next = flowUrl('/sign-in', sealFlow(reply, goesOn, deps));
      return sendRecoveryCodes(reply, { language, codes: taken.codes, next });
    }
    default:
      throw new Error(`unknown step ${JSON.stringify(taken satisfies never)}`);
  }
}

const back = (reply: FastifyReply, flow: Flow, deps: Deps) =>
  goToFlow(reply, '/sign-in', withoutWaiting(flow), deps);

async function send(
  reply: FastifyReply,
  flow: Flow,
  asked: AskedStep,
  deps: Deps,
  wrong: 'app' | 'recovery' | null = null,
): Promise<FastifyReply> {
  const { request } = reply;
  const shown = await requestOf(request, flow, deps);
  const sealed = sealFlow(reply, flow, deps);
  const page = {
    language: languageOf(request, flow),
    formTargets: shown === null ? [] : [formTarget(shown.request.target.redirectUri)],
    again: { action: url, fields: { flow: sealed } },
    action: url,
    hidden: { flow: sealed },
    kind: place.kind,
    back: flowUrl('/sign-in', sealFlow(reply, withoutWaiting(flow), deps)),
  };
  return sendStep(reply, asked, page, deps, wrong);
}
