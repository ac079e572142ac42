// The second step of a member's sign-in, and the step to two factors that a client asks for later.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { strengthenSession } from '../../core/session.ts';
import { cancel, takeStep } from '../../operations/authorization/authorization.ts';
import { factorStepOf } from '../../operations/sign-in/factor-step.ts';
import { apply } from '../../storage/apply.ts';
import { findSession } from '../../storage/grants/session.ts';
import type { Tx } from '../../storage/store.ts';
import { transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { formTarget } from '../headers.ts';
import { answerAuthorization } from '../oidc/authorize.ts';
import {
  contextOf,
  type Flow,
  type FlowStep,
  flowUrl,
  languageOf,
  requestOf,
  sealFlow,
  stepOf,
  withoutWaiting,
} from '../oidc/flow.ts';
import {
  type AskedStep,
  askedStep,
  noteWrongStep,
  type SentStep,
  sendRecoveryCodes,
  sendStep,
  sentStep,
  takeFactor,
  takeSecondStep,
  trustHere,
  type WrongStep,
} from '../pages/second-step.ts';
import { toSignIn } from '../pages/sign-in-passkey.ts';
import { type CurrentSession, currentSession } from '../session.ts';
import { answerSignedIn, flowPage, goToFlow, type SignedIn, setSignedIn, signInTo } from './flow-page.ts';
import { sendTooManySteps } from './too-many-steps.ts';

const url = '/second-factor';
const place = { kind: 'member' } as const;

/**
 * GET and POST /second-factor: asks who has proven one factor for the second one, or sets it up where the tenant demands
 * one. No member is signed in before. A member who is signed in already comes here where a client asks for two factors (decision 47).
 */
export function secondFactorPage(app: FastifyInstance, deps: Deps): void {
  flowPage(app, deps, url, { show, submit });
}

/** Where a flow stands: at its second step, at the step up of a member who is signed in, or anywhere else. */
type Standing =
  | { readonly kind: 'asked'; readonly asked: AskedStep; readonly current: CurrentSession | null }
  | { readonly kind: 'outcome'; readonly outcome: Awaited<ReturnType<typeof takeStep>> }
  | { readonly kind: 'over' };

async function standingOf(
  tx: Tx,
  request: FastifyRequest,
  { waiting }: Flow,
  step: FlowStep | null,
  deps: Deps,
): Promise<Standing> {
  if (waiting !== undefined) {
    const asked = await askedStep(tx, request, waiting, place, deps);
    return asked === null ? { kind: 'over' } : { kind: 'asked', asked, current: null };
  }
  if (step === null) return { kind: 'over' };
  const now = deps.clock();
  const current = await currentSession(tx, request, now);
  const outcome = await takeStep(tx, { ...step, now }, current?.session ?? null, deps);
  if (current === null || outcome.kind !== 'interact' || outcome.page !== 'second-factor') {
    return { kind: 'outcome', outcome };
  }
  const { member } = current;
  const missing = await factorStepOf(tx, request.tenant, member.id);
  return { kind: 'asked', asked: { member, missing }, current };
}

async function show(reply: FastifyReply, flow: Flow, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const step = await stepOf(request, flow);
  const standing = await transactionOf(request, deps, (tx) => standingOf(tx, request, flow, step, deps));
  // It took too long, or the account is another now: the first factor is given again.
  if (standing.kind === 'over') return back(reply, flow, deps);
  if (standing.kind === 'outcome') return answerAuthorization(reply, standing.outcome, contextOf(flow), deps);
  return send(reply, flow, standing.asked, deps);
}

async function submit(reply: FastifyReply, flow: Flow, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const step = await stepOf(request, flow);
  const { action } = pageForm(request, ['action']);
  if (action === 'cancel' && step !== null) {
    const outcome = await transactionOf(request, deps, (tx) => cancel(tx, step));
    return answerAuthorization(reply, outcome, contextOf(flow), deps);
  }
  const sent = await sentStep(request);
  const { taken, signedIn } = await transactionOf(request, deps, (tx) =>
    take(tx, request, { flow, step, sent }, deps),
  );
  const language = languageOf(request, flow);
  const goesOn = withoutWaiting(flow);
  switch (taken.kind) {
    case 'over':
      return back(reply, flow, deps);
    case 'too-many': {
      noteWrongStep(request, taken.member.id, place.kind);
      const ways = [{ href: flowUrl('/sign-in', sealFlow(reply, goesOn, deps)), text: 'recover.back' }];
      return sendTooManySteps(reply, taken, { language, ways });
    }
    case 'wrong':
      noteWrongStep(request, taken.member.id, place.kind);
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

/** Takes what was given, and signs in or makes the session stronger; the flow goes on unless new recovery codes are shown first. */
async function take(
  tx: Tx,
  request: FastifyRequest,
  { flow, step, sent }: { readonly flow: Flow; readonly step: FlowStep | null; readonly sent: SentStep },
  deps: Deps,
) {
  const goesOn = withoutWaiting(flow);
  const { waiting } = flow;
  if (waiting !== undefined) {
    const taken = await takeSecondStep(tx, request, { waiting, sent }, place, deps);
    if (taken.kind !== 'right') return { taken, signedIn: null };
    const at = { flow: goesOn, step: taken.codes === null ? step : null };
    const signedIn = await signInTo(tx, request, at, taken.proven, deps);
    if (sent.trusts && taken.codes === null) await trustHere(tx, request, waiting.memberId, deps);
    return { taken, signedIn };
  }
  const standing = await standingOf(tx, request, flow, step, deps);
  if (standing.kind !== 'asked' || standing.current === null || step === null) {
    return { taken: { kind: 'over' } as const, signedIn: null };
  }
  const { session } = standing.current;
  const taken = await takeFactor(tx, request, standing.asked, sent, deps);
  if (taken.kind !== 'right') return { taken, signedIn: null };
  const secret = deps.random.secret();
  const now = deps.clock();
  await apply(tx, strengthenSession(session, ['otp', 'mfa'], sha256(secret), now));
  const stronger = await findSession(tx, session.tenantId, session.id);
  const outcome = taken.codes === null ? await takeStep(tx, { ...step, now }, stronger, deps) : null;
  const signedIn: SignedIn = { flow: goesOn, secret, outcome };
  return { taken, signedIn };
}

const back = (reply: FastifyReply, flow: Flow, deps: Deps) =>
  goToFlow(reply, '/sign-in', withoutWaiting(flow), deps);

async function send(
  reply: FastifyReply,
  flow: Flow,
  asked: AskedStep,
  deps: Deps,
  wrong: WrongStep | null = null,
): Promise<FastifyReply> {
  const { request } = reply;
  const shown = await requestOf(request, flow, deps);
  const sealed = sealFlow(reply, flow, deps);
  const next = sealFlow(reply, withoutWaiting(flow), deps);
  return sendStep(
    reply,
    asked,
    {
      language: languageOf(request, flow),
      formTargets: shown === null ? [] : [formTarget(shown.request.target.redirectUri)],
      again: { action: url, fields: { flow: sealed } },
      action: url,
      hidden: { flow: sealed },
      mayTrust: flow.waiting !== undefined,
      // Who is signed in turns back to the app that asks for more.
      back: flow.waiting === undefined ? null : flowUrl('/sign-in', next),
      // A passkey signs in by itself, with both factors: the sign-in takes it.
      byPasskey: { action: '/sign-in', hidden: { flow: next }, about: toSignIn },
    },
    deps,
    wrong,
  );
}
