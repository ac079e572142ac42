import type { FastifyInstance, FastifyReply } from 'fastify';
import { passwordProblem } from '../../../core/members/password-rules.ts';
import { changePassword } from '../../../operations/account/account.ts';
import { commonPasswords } from '../../../operations/member/common-passwords.ts';
import { shareOf } from '../../address.ts';
import { refuseOtherMethods } from '../../answers.ts';
import { setSessionCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { seenAt } from '../seen-at.ts';
import { startSession } from '../start-session.ts';
import { actConfirmed, confirmPassword, sendUnconfirmed, type Unconfirmed } from './confirm-password.ts';
import { accountPage, type FieldProblem, redirectDone, sendAccountPage, type Visit } from './page.ts';

const url = '/account/password';

/**
 * GET and POST /account/password (pages 18), and the address by which password managers find it
 * (W3C, A Well-Known URL for Changing Passwords; pages 9).
 */
export function passwordPages(app: FastifyInstance, deps: Deps): void {
  accountPage(app, deps, url, { show: (visit) => sendForm(visit, true, []), submit });
  const wellKnown = '/.well-known/change-password';
  refuseOtherMethods(app, wellKnown, ['GET', 'HEAD']);
  app.route({
    method: ['GET', 'HEAD'],
    url: wellKnown,
    handler: async (_request, reply) => reply.redirect(url, 303),
  });
}

async function submit(visit: Visit): Promise<FastifyReply> {
  const { request, reply, session, member, language, deps } = visit;
  const form = pageForm(request, ['currentPassword', 'password', 'everywhere']);
  const { currentPassword = '', password = '' } = form;
  const everywhere = form.everywhere !== undefined;
  const least = request.tenant.passwordLength;
  const problem = passwordProblem(password, {
    least,
    email: member.email,
    isCommon: await commonPasswords(),
  });
  if (problem !== null) {
    const text = language.t(`member.error.password.${problem}`, { least });
    return sendForm(visit, everywhere, [{ field: 'password', text }]);
  }
  const confirmed = await confirmPassword(visit, currentPassword);
  const refuse = (why: Unconfirmed) =>
    sendUnconfirmed(visit, why, (wrong) => sendForm(visit, everywhere, [wrong]));
  if (confirmed.kind !== 'right') return refuse(confirmed);

  const passwordHash = await deps.passwords.hash(password, shareOf(request));
  const { place, address } = seenAt(visit, request.address);
  const origin = { sessionId: session.id, place: place ?? address, language: language.tag };
  const acted = await actConfirmed(visit, confirmed, async (tx, { member }) => {
    await changePassword(tx, request.tenant, member, { passwordHash, everywhere, origin }, deps);
    // The cookie changes with the password: whoever copied it has nothing any more (ASVS 7.2.4).
    return startSession(tx, request, member, null, deps);
  });
  if (acted.kind !== 'done') return refuse(acted);
  setSessionCookie(reply, acted.value.secret);
  return redirectDone(visit, '/account', 'password');
}

function sendForm(
  visit: Visit,
  everywhere: boolean,
  problems: readonly FieldProblem[],
): Promise<FastifyReply> {
  return sendAccountPage(visit, {
    template: 'password',
    title: 'account.password.title',
    problems,
    data: { email: visit.member.email, least: visit.request.tenant.passwordLength, everywhere },
  });
}
