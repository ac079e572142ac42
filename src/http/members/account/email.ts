// The pages where a member changes the email address.
import type { FastifyReply } from 'fastify';
import { readUserCode } from '../../../core/grants/user-code.ts';
import { emailProblem } from '../../../core/members/details.ts';
import { type EmailProof, type Presented, proofStanding } from '../../../core/members/email-proof.ts';
import { normaliseEmail } from '../../../core/members/member.ts';
import {
  askForEmailChange,
  changeEmail,
  type EmailChangePayload,
  ownEmailChange,
} from '../../../operations/account/account.ts';
import { hashProofCode } from '../../../operations/email-proof/email-proof.ts';
import { findEmailProof } from '../../../storage/members/email-proof.ts';
import type { Tx } from '../../../storage/store.ts';
import { pageForm } from '../../form.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { sendLinkDone, sendProblem, sendTooManyMails } from '../../pages/problem.ts';
import { askerOf, lookUpMailLink, sendTooManyLinks } from '../email-proof.ts';
import { type AccountPage, passwordedPage, redirectDone, sendAccountPage, type Visit } from './page.ts';

const url = '/account/email';

const askPage = passwordedPage({
  url,
  read: (request) => pageForm(request, ['email']).email ?? '',
  view: ({ member }, email) => ({
    template: 'email',
    title: 'account.email.title',
    data: { current: member.email, email: email ?? '' },
  }),
  check({ member, language }, email) {
    const isSame = normaliseEmail(email) === normaliseEmail(member.email);
    const problem = emailProblem(email);
    if (problem === null && !isSame) return null;
    const key = problem === null ? 'account.error.email.same' : `member.error.email.${problem}`;
    return { field: 'email', text: language.t(key) };
  },
  begin({ request, reply, deps }, email) {
    const asker = askerOf(reply, deps);
    return async (tx, { member, language }) => {
      const asked = { email, language: language.tag, asker };
      const proofId = await askForEmailChange(tx, request.tenant, member, asked, deps);
      return () =>
        proofId === null
          ? sendTooManyMails(reply, email, { language, link: url })
          : reply.redirect(`${url}/verify/${proofId}`, 303);
    };
  },
});

/**
 * Another address for an account (pages 18). It changes when it is proven, and only for a member who is
 * signed in: a link that went to a mistyped address gives its reader nothing.
 *
 *     GET, POST /account/email                   the new address and the password
 *     GET, POST /account/email/verify/:proof     the digits of the mail
 *     GET, POST /account/email/confirm/:secret   the mail's link, on whichever device it is opened
 */
export const emailPages: readonly AccountPage[] = [
  askPage,
  {
    url: `${url}/verify/:proof`,
    show: (tx, visit) => verify(tx, visit, null),
    submit: (tx, visit) => verify(tx, visit, pageForm(visit.request, ['code']).code ?? ''),
  },
  {
    url: `${url}/confirm/:secret`,
    show: (tx, visit) => confirm(tx, visit, false),
    submit: (tx, visit) => confirm(tx, visit, true),
  },
];

const newAddressOf = (proof: EmailProof) => (JSON.parse(proof.payload) as EmailChangePayload).email;

/** The page of the digits; `code` is null where it was only opened. */
async function verify(tx: Tx, visit: Visit, code: string | null): Promise<Answer> {
  const { request, reply, member, language, deps } = visit;
  const { tenant } = request;
  const { proof: id } = request.params as { proof: string };
  const found = ownEmailChange(member, await findEmailProof(tx, tenant.id, id));
  if (found === null) return () => sendProblem(reply, 'notFound', { language });
  if (proofStanding(found, deps.clock()) !== 'awaited') return () => sendOver(visit, found);
  if (code === null) return () => sendVerify(visit, found, null);
  const digits = readUserCode(code);
  if (digits === null) return () => sendVerify(visit, found, 'format');
  const presented: Presented = { by: 'code', codeHash: hashProofCode(tenant.tokenKey, found.id, digits) };
  const left = await changeEmail(tx, tenant, { proof: found, member }, presented, deps);
  if (left === null) return () => redirectDone(visit, '/account/details', 'email');
  const isLeft = proofStanding(left, deps.clock()) === 'awaited';
  return () => (isLeft ? sendVerify(visit, found, 'wrong') : sendOver(visit, left));
}

/** The page of a proof that is over: it says so where it has changed the address, which is the member's now. */
function sendOver({ reply, member, language, deps }: Visit, proof: EmailProof | null): Promise<FastifyReply> {
  const isOfMember = proof?.email === normaliseEmail(member.email);
  const isDone = isOfMember && proofStanding(proof, deps.clock()) === 'finished';
  if (!isDone) return sendProblem(reply, 'linkUsed', { language, link: url });
  const ways = [{ href: '/account', text: 'account.title' }];
  return sendLinkDone(reply, { language, title: 'signUp.confirmed.title', ways });
}

function sendVerify(visit: Visit, proof: EmailProof, problem: 'format' | 'wrong' | null) {
  const { t } = visit.language;
  return sendAccountPage(visit, {
    template: 'email/verify',
    title: 'signUp.verify.title',
    problems: problem === null ? [] : [{ field: 'code', text: t(`signUp.verify.error.${problem}`) }],
    data: { email: newAddressOf(proof), action: `${url}/verify/${proof.id}` },
  });
}

/** The page of the mail's link; nothing happens before its button is pressed. */
async function confirm(tx: Tx, visit: Visit, isPressed: boolean): Promise<Answer> {
  const { request, reply, member, deps } = visit;
  const { tenant } = request;
  const { secret } = request.params as { secret: string };
  const looked = await lookUpMailLink(tx, request, deps);
  if (looked.kind === 'too-many') return () => sendTooManyLinks(reply, looked.retryAfter);
  const found = ownEmailChange(member, looked.found);
  const isAwaited = found !== null && proofStanding(found, deps.clock()) === 'awaited';
  if (!isAwaited) return () => sendOver(visit, found);
  if (isPressed) {
    const left = await changeEmail(tx, tenant, { proof: found, member }, { by: 'link' }, deps);
    return () => (left === null ? redirectDone(visit, '/account/details', 'email') : sendOver(visit, left));
  }
  return () =>
    sendAccountPage(visit, {
      template: 'email/confirm',
      title: 'signUp.confirm.title',
      data: { email: newAddressOf(found), action: `${url}/confirm/${secret}` },
    });
}
