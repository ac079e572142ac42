import type { FastifyInstance, FastifyReply } from 'fastify';
import { emailProblem } from '../../../core/members/details.ts';
import { type EmailProof, isAwaited, type Presented } from '../../../core/members/email-proof.ts';
import { normaliseEmail } from '../../../core/members/member.ts';
import { readUserCode } from '../../../core/user-code.ts';
import {
  askForEmailChange,
  changeEmail,
  type EmailChangePayload,
  ownEmailChange,
} from '../../../operations/account/account.ts';
import { hashProofCode } from '../../../operations/sign-up/sign-up.ts';
import { findEmailProof } from '../../../storage/members/email-proof.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { sendLinkDone, sendProblem, sendTooManyMails } from '../../pages/problem.ts';
import { actIn } from '../../session.ts';
import { askerOf } from '../asker.ts';
import { findMailLink, sendTooManyLinks } from '../mail-link.ts';
import { actConfirmed, confirmPassword, sendUnconfirmed, type Unconfirmed } from './confirm-password.ts';
import { accountPage, type FieldProblem, redirectDone, sendAccountPage, type Visit } from './page.ts';

const url = '/account/email';

/**
 * Another address for an account (pages 18). It changes when it is proven, and only for a member who is
 * signed in: a link that went to a mistyped address gives its reader nothing.
 *
 *     GET, POST /account/email                   the new address and the password
 *     GET, POST /account/email/verify/:proof     the digits of the mail
 *     GET, POST /account/email/confirm/:secret   the mail's link, on whichever device it is opened
 */
export function emailPages(app: FastifyInstance, deps: Deps): void {
  accountPage(app, deps, url, { show: (visit) => sendForm(visit, '', []), submit });
  accountPage(app, deps, `${url}/verify/:proof`, {
    show: (visit) => verify(visit, null),
    submit: (visit) => verify(visit, pageForm(visit.request, ['code']).code ?? ''),
  });
  accountPage(app, deps, `${url}/confirm/:secret`, {
    show: (visit) => confirm(visit, false),
    submit: (visit) => confirm(visit, true),
  });
}

async function submit(visit: Visit): Promise<FastifyReply> {
  const { request, reply, member, language, deps } = visit;
  const { email = '', currentPassword = '' } = pageForm(request, ['email', 'currentPassword']);
  const problem = emailProblem(email);
  const isSame = normaliseEmail(email) === normaliseEmail(member.email);
  const problems: FieldProblem[] = [];
  if (problem !== null) problems.push({ field: 'email', text: language.t(`member.error.email.${problem}`) });
  else if (isSame) problems.push({ field: 'email', text: language.t('account.error.email.same') });
  if (problems.length > 0) return sendForm(visit, email, problems);
  const confirmed = await confirmPassword(visit, currentPassword);
  const refuse = (why: Unconfirmed) =>
    sendUnconfirmed(visit, why, (wrong) => sendForm(visit, email, [wrong]));
  if (confirmed.kind !== 'right') return refuse(confirmed);
  const asker = askerOf(reply, deps);
  const acted = await actConfirmed(visit, confirmed, (tx, { member }) =>
    askForEmailChange(tx, request.tenant, member, { email, language: language.tag, asker }, deps),
  );
  if (acted.kind !== 'done') return refuse(acted);
  const { value: proofId } = acted;
  if (proofId === null) return sendTooManyMails(reply, email, { language, link: url });
  return reply.redirect(`${url}/verify/${proofId}`, 303);
}

function sendForm(visit: Visit, email: string, problems: readonly FieldProblem[]): Promise<FastifyReply> {
  return sendAccountPage(visit, {
    template: 'email',
    title: 'account.email.title',
    problems,
    data: { current: visit.member.email, email },
  });
}

const newAddressOf = (proof: EmailProof) => (JSON.parse(proof.payload) as EmailChangePayload).email;

/** The page of the digits; `code` is null where it was only opened. */
async function verify(visit: Visit, code: string | null): Promise<FastifyReply> {
  const { request, reply, member, language, deps } = visit;
  const { tenant } = request;
  const { proof: id } = request.params as { proof: string };
  const found = await transactionOf(request, deps, async (tx) =>
    ownEmailChange(member, await findEmailProof(tx, tenant.id, id)),
  );
  if (found === null) return sendProblem(reply, 'notFound', { language });
  if (!isAwaited(found, deps.clock())) return sendOver(visit, found);
  if (code === null) return sendVerify(visit, found, null);
  const digits = readUserCode(code);
  if (digits === null) return sendVerify(visit, found, 'format');
  const presented: Presented = { by: 'code', codeHash: hashProofCode(tenant.tokenKey, found.id, digits) };
  const changed = await actIn(visit, (tx, { member }) =>
    changeEmail(tx, tenant, { proofId: id, member }, presented, deps),
  );
  if (changed?.isChanged === true) return redirectDone(visit, '/account', 'email');
  const isLeft = changed !== null && isAwaited(changed.proof, deps.clock());
  return isLeft ? sendVerify(visit, found, 'wrong') : sendOver(visit, changed?.proof ?? found);
}

/** The page of a proof that is over: it says so where it has changed the address, which is the member's now. */
function sendOver({ reply, member, language }: Visit, proof: EmailProof | null): Promise<FastifyReply> {
  const isDone = proof?.state === 'finished' && proof.email === normaliseEmail(member.email);
  if (!isDone) return sendProblem(reply, 'linkUsed', { language, link: url });
  const ways = [{ href: '/account', text: 'account.title' }];
  return sendLinkDone(reply, { language, title: 'signUp.confirmed.title', ways });
}

function sendVerify(
  visit: Visit,
  proof: EmailProof,
  problem: 'format' | 'wrong' | null,
): Promise<FastifyReply> {
  const { t } = visit.language;
  return sendAccountPage(visit, {
    template: 'email-verify',
    title: 'signUp.verify.title',
    problems: problem === null ? [] : [{ field: 'code', text: t(`signUp.verify.error.${problem}`) }],
    data: { email: newAddressOf(proof), action: `${url}/verify/${proof.id}` },
  });
}

/** The page of the mail's link; nothing happens before its button is pressed. */
async function confirm(visit: Visit, isPressed: boolean): Promise<FastifyReply> {
  const { request, reply, member, deps } = visit;
  const { tenant } = request;
  const { secret } = request.params as { secret: string };
  const looked = await findMailLink(request, deps);
  if (looked.kind === 'too-many') return sendTooManyLinks(reply, looked.retryAfter);
  const found = ownEmailChange(member, looked.found);
  if (found === null || !isAwaited(found, deps.clock())) return sendOver(visit, found);
  if (!isPressed) {
    return sendAccountPage(visit, {
      template: 'email-confirm',
      title: 'signUp.confirm.title',
      data: { email: newAddressOf(found), action: `${url}/confirm/${secret}` },
    });
  }
  const changed = await actIn(visit, (tx, { member }) =>
    changeEmail(tx, tenant, { proofId: found.id, member }, { by: 'link' }, deps),
  );
  if (changed?.isChanged !== true) return sendOver(visit, changed?.proof ?? found);
  return redirectDone(visit, '/account', 'email');
}
