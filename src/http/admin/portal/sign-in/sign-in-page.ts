// The portal's own way in and out.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { auditEvent } from '../../../../core/operators/audit-event.ts';
import { endSession } from '../../../../core/session.ts';
import type { SignInWay } from '../../../../core/strength.ts';
import { checkCredentials } from '../../../../operations/sign-in/credentials.ts';
import { byPassword, type Entered } from '../../../../operations/sign-in/enter.ts';
import { isHashable } from '../../../../secrets/password.ts';
import { apply } from '../../../../storage/apply.ts';
import { insertAuditEvent } from '../../../../storage/operators/audit-event.ts';
import { say } from '../../../../text/portal.ts';
import { refuseOtherMethods } from '../../../answers.ts';
import { noteRefusal, sourceOf, storeOf, transactionOf } from '../../../audit.ts';
import { clearSessionCookie, redirectAfter, setSessionCookie, takeDone } from '../../../cookies.ts';
import type { Deps } from '../../../deps.ts';
import { pageForm, pageQuery } from '../../../form.ts';
import { formToken, givenForm } from '../../../pages/form-token.ts';
import { type Act, guardedPage } from '../../../pages/guarded-page.ts';
import { askForPasskey } from '../../../pages/passkey.ts';
import { type PasskeyEntrance, signInByPasskey, toSignIn } from '../../../pages/sign-in-passkey.ts';
import { requireOwnForm } from '../../../same-origin.ts';
import { guesserOf } from '../../../session.ts';
import { portalUrl, readReturn, signInUrl as url } from '../addresses.ts';
import { type Notice, plainNotice } from '../done.ts';
import { type FieldProblem, notePortalMethod, sendPortalPage } from '../page.ts';
import { adminGuard, currentAdmin } from '../visit.ts';
import type { Portal, Visit } from '../visitor.ts';
import { administratorsOnly, enterPortal } from './entrance.ts';
import { goToSecondStep, secondStepPages, sendTooMany } from './second-step.ts';

const signedOut = 'signed-out';

/**
 * GET and POST /admin/sign-in, POST /admin/sign-out: the portal's own way in, for administrators of this
 * tenant. Members, unknown addresses and wrong passwords get one answer (A1, A17).
 */
export function signInPages(app: FastifyInstance, portal: Portal): void {
  const { deps } = portal;
  refuseOtherMethods(app, url, ['GET', 'POST'], (request) => notePortalMethod(request, url));
  app.get(url, (request, reply) => show(request, reply, deps));
  app.post(url, { onRequest: requireOwnForm }, (request, reply) => submit(request, reply, deps));
  secondStepPages(app, portal);
  guardedPage(app, adminGuard(portal, false), { url: `${portalUrl}/sign-out`, submit: signOut });
}

async function show(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const next = readReturn(pageQuery(request, ['next']).next);
  const current = await transactionOf(request, deps, (tx) => currentAdmin(tx, request, deps.clock()));
  if (current !== null) return reply.redirect(next, 303);
  const notice = takeDone(reply) === signedOut ? plainNotice(say('signIn.out')) : null;
  return sendForm(reply, deps, { next, notice });
}

async function submit(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const form = pageForm(request, ['token', 'next', 'email', 'password', 'passkey']);
  const { email = '', password = '', passkey = '' } = form;
  const next = readReturn(form.next);
  const again = (problems: readonly FieldProblem[], status = 422) =>
    sendForm(reply, deps, { next, email, problems }, status);
  const refused = (reason: string, target: string | null = null, way: SignInWay = 'password') =>
    noteRefusal(request, { event: 'admin_sign_in_refused', target, way, reason });
  if (givenForm(request, url, form.token) === null) {
    noteRefusal(request, { event: 'form_refused', reason: 'a sign-in to the portal without its seal' });
    return again([{ field: null, text: say('signIn.expired') }], 403);
  }
  if (passkey !== '') {
    const entrance: PasskeyEntrance<Entered> = {
      enter: (tx, proven) => enterPortal(tx, request, proven, deps),
      refused: (memberId, reason) => refused(reason, memberId, 'passkey'),
    };
    const result = await signInByPasskey(request, passkey, entrance, deps);
    if (result.kind === 'too-many') return sendTooMany(reply, result);
    if (result.kind === 'right') return goOn(reply, result.signedIn, next, deps);
    return again([{ field: 'passkey', text: say(`signIn.passkey.${result.kind}`) }]);
  }
  const problems = [
    ...(email.trim() === '' ? [{ field: 'email', text: say('signIn.noEmail') }] : []),
    ...(password === '' ? [{ field: 'password', text: say('signIn.noPassword') }] : []),
  ];
  if (problems.length > 0) return again(problems);
  // No account has a password that long; it is turned away before it costs a hash (A3).
  if (!isHashable(password)) {
    refused('the password is too long for any account');
    return again(wrong, 400);
  }
  const guess = { email, password, guesser: guesserOf(request) };
  const guessing = { ...deps, store: storeOf(request, deps) };
  const checked = await checkCredentials(request.tenant, guess, guessing, {
    admission: administratorsOnly,
  });
  if (checked.kind === 'too-many') {
    refused('too many failed sign-ins');
    return sendTooMany(reply, checked);
  }
  if (checked.kind === 'wrong') {
    refused(checked.reason, checked.memberId);
    return again(wrong);
  }
  const proven = byPassword(checked.verified);
  const entered = await transactionOf(request, deps, (tx) => enterPortal(tx, request, proven, deps));
  if (entered === null) {
    refused('the account changed meanwhile', checked.verified.member.id);
    return again(wrong);
  }
  return goOn(reply, entered, next, deps);
}

/** Leads into the portal, or to what is missing. */
function goOn(reply: FastifyReply, entered: Entered, next: string, deps: Deps): FastifyReply {
  if (entered.kind === 'waiting') return goToSecondStep(reply, { waiting: entered.waiting, next }, deps);
  setSessionCookie(reply, entered.secret, 'admin');
  return reply.redirect(next, 303);
}

const wrong: readonly FieldProblem[] = [{ field: 'email', text: say('signIn.wrong') }];

const signOut: Act<Visit> = async (tx, { session, request, reply, deps }) => {
  await apply(tx, endSession(session));
  const source = { ...sourceOf(request, deps), actorKind: 'admin', actorId: session.memberId } as const;
  await insertAuditEvent(tx, auditEvent(source, { event: 'signed_out', target: session.id }));
  return () => {
    clearSessionCookie(reply, 'admin');
    return redirectAfter(reply, url, signedOut);
  };
};

interface SignInForm {
  /** Where the sign-in leads. */
  readonly next: string;
  readonly email?: string;
  readonly problems?: readonly FieldProblem[];
  readonly notice?: Notice | null;
}

function sendForm(
  reply: FastifyReply,
  deps: Deps,
  { next, email = '', problems = [], notice = null }: SignInForm,
  status = 200,
): Promise<FastifyReply> {
  // One that was refused is not filled in at once again.
  const fills = !problems.some(({ field }) => field === 'passkey');
  const passkey = askForPasskey(reply, toSignIn, deps, { fills });
  const data = { token: formToken(reply, url, deps), next, email, passkey, problems, notice };
  const title = say('signIn.title');
  return sendPortalPage(reply, { template: 'sign-in-page', title, status, visit: null, data });
}
