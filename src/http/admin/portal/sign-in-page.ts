// The portal's own way in and out.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { auditEvent } from '../../../core/operators/audit-event.ts';
import { endSession } from '../../../core/session.ts';
import {
  type Admission,
  anyMember,
  checkCredentials,
  findVerified,
  type VerifiedMember,
} from '../../../operations/sign-in/credentials.ts';
import { isHashable } from '../../../secrets/password.ts';
import { apply } from '../../../storage/apply.ts';
import { insertAuditEvent } from '../../../storage/operators/audit-event.ts';
import { refuseOtherMethods } from '../../answers.ts';
import { noteRefusal, sourceOf, storeOf, transactionOf } from '../../audit.ts';
import { clearSessionCookie, redirectAfter, setSessionCookie, takeDone } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm, pageQuery } from '../../form.ts';
import { noteLimit } from '../../limit-reached.ts';
import { formToken, givenForm } from '../../pages/form-token.ts';
import { type Act, guardedPage } from '../../pages/guarded-page.ts';
import { requireOwnForm } from '../../same-origin.ts';
import { beginSessionHere, guesserOf } from '../../session.ts';
import { portalUrl, readReturn, signInUrl as url } from './addresses.ts';
import { type FieldProblem, notePortalMethod, sendPortalPage, sendPortalProblem } from './page.ts';
import { adminGuard, currentAdmin, isAdmin, type Portal, type Visit } from './visit.ts';

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
  guardedPage(app, adminGuard(portal, false), { url: `${portalUrl}/sign-out`, submit: signOut });
}

async function show(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { next } = pageQuery(request, ['next']);
  const returnTo = readReturn(next);
  const current = await transactionOf(request, deps, (tx) => currentAdmin(tx, request, deps.clock()));
  if (current !== null) return reply.redirect(returnTo, 303);
  return sendForm(reply, deps, {
    returnTo,
    notice: takeDone(reply) === signedOut ? 'You are signed out.' : null,
  });
}

async function submit(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const form = pageForm(request, ['token', 'next', 'email', 'password']);
  const { email = '', password = '' } = form;
  const returnTo = readReturn(form.next);
  if (givenForm(request, url, form.token) === null) {
    noteRefusal(request, { event: 'form_refused', reason: 'a sign-in to the portal without its seal' });
    const problems = [{ field: null, text: 'The page had expired. Sign in once more.' }];
    return sendForm(reply, deps, { returnTo, email, problems, status: 403 });
  }
  const problems = [
    ...(email.trim() === '' ? [{ field: 'email', text: 'Enter your e-mail address.' }] : []),
    ...(password === '' ? [{ field: 'password', text: 'Enter your password.' }] : []),
  ];
  if (problems.length > 0) return sendForm(reply, deps, { returnTo, email, problems });
  // No account has a password that long; it is turned away before it costs a hash (A3).
  if (!isHashable(password)) {
    const reason = 'the password is too long for any account';
    noteRefusal(request, { event: 'admin_sign_in_refused', reason });
    return sendForm(reply, deps, { returnTo, email, problems: wrong, status: 400 });
  }
  const guess = { email, password, guesser: guesserOf(request) };
  const guessing = { ...deps, store: storeOf(request, deps) };
  const checked = await checkCredentials(request.tenant, guess, guessing, administratorsOnly);
  if (checked.kind === 'too-many') {
    noteRefusal(request, { event: 'admin_sign_in_refused', reason: 'too many failed sign-ins' });
    noteLimit(reply.header('retry-after', checked.retryAfter), 'sign_ins', checked.limitKey);
    return sendPortalProblem(reply, 'tooMany');
  }
  const secret = checked.kind === 'right' ? await signIn(request, checked.verified, deps) : null;
  if (secret === null) {
    const { memberId: target, reason } = checked.kind === 'wrong' ? checked : changed(checked.verified);
    noteRefusal(request, { event: 'admin_sign_in_refused', target, reason });
    return sendForm(reply, deps, { returnTo, email, problems: wrong });
  }
  setSessionCookie(reply, secret, 'admin');
  return reply.redirect(returnTo, 303);
}

const wrong: readonly FieldProblem[] = [
  { field: 'email', text: 'This address and password do not go together here. Check both.' },
];

/**
 * A member's right password counts as a wrong one here, before anybody is told: else the limits would tell the
 * two apart.
 */
const administratorsOnly: Admission = (member, now) =>
  anyMember(member, now) ?? (member !== null && isAdmin(member) ? null : 'the member is no administrator');

const changed = ({ member }: VerifiedMember) => ({
  memberId: member.id,
  reason: 'the account changed meanwhile',
});

/** Begins the portal's session. @returns its secret; null if the account changed meanwhile */
function signIn(request: FastifyRequest, verified: VerifiedMember, deps: Deps): Promise<string | null> {
  return transactionOf(request, deps, async (tx) => {
    const member = await findVerified(tx, verified, deps.clock());
    if (member === null || !isAdmin(member)) return null;
    const { session, secret } = await beginSessionHere(tx, request, member, verified.newHash, deps, 'admin');
    const source = { ...sourceOf(request, deps), actorKind: 'admin', actorId: member.id } as const;
    await insertAuditEvent(tx, auditEvent(source, { event: 'admin_signed_in', target: session.id }));
    return secret;
  });
}

const signOut: Act<Visit> = async (tx, { session, request, reply, deps }) => {
  await apply(tx, endSession(session));
  const source = { ...sourceOf(request, deps), actorKind: 'admin', actorId: session.memberId } as const;
  await insertAuditEvent(tx, auditEvent(source, { event: 'signed_out', target: session.id }));
  return () => {
    clearSessionCookie(reply, 'admin');
    return redirectAfter(reply, url, signedOut);
  };
};

interface FormState {
  readonly returnTo: string;
  readonly email?: string;
  readonly problems?: readonly FieldProblem[];
  readonly notice?: string | null;
  readonly status?: number;
}

function sendForm(
  reply: FastifyReply,
  deps: Deps,
  { returnTo, email = '', problems = [], notice = null, status = 422 }: FormState,
): Promise<FastifyReply> {
  return sendPortalPage(reply, {
    template: 'sign-in-page',
    title: 'Sign in to the portal',
    status: problems.length > 0 ? status : 200,
    visit: null,
    data: {
      token: formToken(reply, url, deps),
      next: returnTo,
      email,
      problems,
      notice,
    },
  });
}
