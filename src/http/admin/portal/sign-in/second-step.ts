// The second step of the portal's sign-in, and the one that grave acts ask for again.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../../../core/hash.ts';
import type { FactorStep } from '../../../../core/members/second-factor.ts';
import { strengthenSession } from '../../../../core/session.ts';
import { checkPasskey, takePasskey } from '../../../../operations/passkey/assertion.ts';
import { judgeFactor } from '../../../../operations/second-factor/second-factor.ts';
import type { Waiting } from '../../../../operations/sign-in/enter.ts';
import { factorStepOf } from '../../../../operations/sign-in/factor-step.ts';
import { seal, unseal } from '../../../../secrets/seal.ts';
import { apply } from '../../../../storage/apply.ts';
import { refuseOtherMethods } from '../../../answers.ts';
import { storeOf, transactionOf } from '../../../audit.ts';
import { browserCookie, ensureBrowserCookie, setSessionCookie } from '../../../cookies.ts';
import type { Deps } from '../../../deps.ts';
import { pageForm, pageQuery } from '../../../form.ts';
import { noteLimit } from '../../../limit-reached.ts';
import { toConfirm } from '../../../pages/confirmed-form.ts';
import { formToken } from '../../../pages/form-token.ts';
import { type Act, guardedPage, type Next } from '../../../pages/guarded-page.ts';
import { requestLanguage } from '../../../pages/pages.ts';
import { presentedIn, useHere } from '../../../pages/passkey.ts';
import {
  type AskedStep,
  askedStep,
  noteWrongStep,
  sendRecoveryCodes,
  sendStep,
  sentStep,
  takeSecondStep,
  type WrongStep,
} from '../../../pages/second-step.ts';
import { toSignIn } from '../../../pages/sign-in-passkey.ts';
import { requireSameOrigin } from '../../../same-origin.ts';
import { portalUrl, proofUrl, readReturn, signInUrl } from '../addresses.ts';
import { notePortalMethod, sendPortalProblem } from '../page.ts';
import { adminGuard } from '../visit.ts';
import type { Portal, Visit } from '../visitor.ts';
import { enterPortal, place } from './entrance.ts';

const url = `${portalUrl}/second-factor`;

/** What travels sealed from the sign-in to its second step: what was proven, and where the sign-in leads. */
interface Going {
  readonly waiting: Waiting;
  readonly next: string;
}

/** GET and POST /admin/second-factor and /admin/proof. */
export function secondStepPages(app: FastifyInstance, portal: Portal): void {
  const { deps } = portal;
  refuseOtherMethods(app, url, ['GET', 'POST'], (request) => notePortalMethod(request, url));
  app.get(url, (request, reply) => show(request, reply, deps));
  app.post(url, { onRequest: requireSameOrigin }, (request, reply) => submit(request, reply, deps));
  guardedPage(app, adminGuard(portal, true), { url: proofUrl, show: showProof, submit: takeProof });
}

/** Leads from the sign-in to its second step. */
export function goToSecondStep(reply: FastifyReply, going: Going, deps: Deps): FastifyReply {
  return reply.redirect(`${url}?step=${sealGoing(reply, going, deps)}`, 303);
}

function sealGoing(reply: FastifyReply, going: Going, { random }: Pick<Deps, 'random'>): string {
  const { tokenKey } = reply.request.tenant;
  return seal(tokenKey, 'step', ensureBrowserCookie(reply, random), going, { isHidden: true });
}

function openGoing(request: FastifyRequest, sealed = ''): Going | null {
  const unsealed = unseal(request.tenant.tokenKey, 'step', browserCookie(request), sealed);
  return unsealed.kind === 'opened' ? (unsealed.value as Going) : null;
}

async function show(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const going = openGoing(request, pageQuery(request, ['step']).step);
  if (going === null) return reply.redirect(signInUrl, 303);
  const asked = await transactionOf(request, deps, (tx) =>
    askedStep(tx, request, going.waiting, place, deps),
  );
  return asked === null ? reply.redirect(signInUrl, 303) : send(reply, going, asked, deps);
}

async function submit(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const going = openGoing(request, pageForm(request, ['step']).step);
  if (going === null) return reply.redirect(signInUrl, 303);
  const { waiting, next } = going;
  const sent = await sentStep(request);
  const { taken, entered } = await transactionOf(request, deps, async (tx) => {
    const taken = await takeSecondStep(tx, request, { waiting, sent }, place, deps);
    return {
      taken,
      entered: taken.kind === 'right' ? await enterPortal(tx, request, taken.proven, deps) : null,
    };
  });
  if (taken.kind === 'too-many' || taken.kind === 'wrong')
    noteWrongStep(request, waiting.memberId, place.kind);
  if (taken.kind === 'too-many') return sendTooMany(reply, taken);
  if (taken.kind === 'wrong') return send(reply, going, taken, deps, sent.given.by);
  if (taken.kind === 'over' || entered?.kind !== 'entered') return reply.redirect(signInUrl, 303);
  setSessionCookie(reply, entered.secret, 'admin');
  if (taken.codes === null) return reply.redirect(next, 303);
  const language = requestLanguage(request, [], entered.member.locale);
  return sendRecoveryCodes(reply, { language, codes: taken.codes, next });
}

function send(
  reply: FastifyReply,
  going: Going,
  asked: AskedStep,
  deps: Deps,
  wrong: WrongStep | null = null,
): Promise<FastifyReply> {
  const step = sealGoing(reply, going, deps);
  const page = {
    language: requestLanguage(reply.request, [], asked.member.locale),
    again: { action: url, fields: { step } },
    action: url,
    hidden: { step },
    mayTrust: false,
    // A passkey signs in by itself, with both factors.
    byPasskey: {
      action: signInUrl,
      hidden: { token: formToken(reply, signInUrl, deps), next: going.next },
      about: toSignIn,
    },
    back: signInUrl,
  } as const;
  return sendStep(reply, asked, page, deps, wrong);
}

export function sendTooMany(
  reply: FastifyReply,
  {
    retryAfter,
    limitKey,
  }: { readonly retryAfter: number; readonly limitKey: Parameters<typeof noteLimit>[2] },
  visit?: Visit,
): Promise<FastifyReply> {
  noteLimit(reply.header('retry-after', retryAfter), 'sign_ins', limitKey);
  return sendPortalProblem(reply, 'tooMany', visit);
}

const showProof: Act<Visit> = async (tx, visit) => {
  const missing = await factorStepOf(tx, visit.request.tenant, visit.member.id);
  const back = readReturn(pageQuery(visit.request, ['next']).next);
  return () => sendProof(visit, missing, back);
};

const takeProof: Act<Visit> = (_tx, visit, next) => async () => {
  const { request } = visit;
  const form = pageForm(request, ['next', 'passkey']);
  const back = readReturn(form.next);
  if (form.passkey !== undefined && form.passkey !== '')
    return proveByPasskey(visit, form.passkey, back, next);
  const sent = await sentStep(request);
  return next(async (tx, visit) => {
    const { reply, deps, session, member } = visit;
    const judged = await judgeFactor(tx, request.tenant, member, sent.given, { ...deps, totp: sent.totp });
    const secret = deps.random.secret();
    if (judged.kind === 'right') {
      await apply(tx, strengthenSession(session, ['otp', 'mfa'], sha256(secret), deps.clock()));
    }
    return () => {
      if (judged.kind === 'too-many' || judged.kind === 'wrong')
        noteWrongStep(request, member.id, place.kind);
      if (judged.kind === 'too-many') return sendTooMany(reply, judged, visit);
      if (judged.kind === 'wrong') return sendProof(visit, 'proof', back, sent.given.by);
      if (judged.kind === 'right') setSessionCookie(reply, secret, place.kind);
      return reply.redirect(back, 303);
    };
  });
};

/** The same by a passkey of the administrator, which has two factors in it. */
async function proveByPasskey(
  { request, session, member, reply, deps }: Visit,
  text: string,
  back: string,
  next: Next<Visit>,
): Promise<FastifyReply> {
  const presented = presentedIn(request, text, toConfirm({ session }), member.id);
  const checked = await checkPasskey(request.tenant, presented, { ...deps, store: storeOf(request, deps) });
  if (checked.kind === 'too-many') return sendTooMany(reply, checked);
  return next(async (tx, visit) => {
    const taken =
      checked.kind === 'right'
        ? await takePasskey(tx, request.tenant, checked, useHere(request, deps))
        : null;
    if (taken === null || typeof taken === 'string') {
      const missing = await factorStepOf(tx, request.tenant, member.id);
      return () => {
        noteWrongStep(request, member.id, place.kind);
        return sendProof(visit, missing, back, 'passkey');
      };
    }
    const secret = deps.random.secret();
    await apply(tx, strengthenSession(visit.session, taken.factors, sha256(secret), deps.clock()));
    return () => {
      setSessionCookie(visit.reply, secret, place.kind);
      return visit.reply.redirect(back, 303);
    };
  });
}

function sendProof(
  visit: Visit,
  missing: FactorStep,
  next: string,
  wrong: WrongStep | null = null,
): Promise<FastifyReply> {
  const { reply, member, deps } = visit;
  const form = { action: proofUrl, hidden: { token: visit.newToken(), next } };
  const page = {
    ...form,
    language: requestLanguage(reply.request, [], member.locale),
    again: null,
    mayTrust: false,
    byPasskey: { ...form, about: toConfirm(visit) },
    back: next,
  } as const;
  return sendStep(reply, { member, missing }, page, deps, wrong);
}
