// The pages that prove the address of a sign-up.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readUserCode } from '../../../core/grants/user-code.ts';
import { emailProblem } from '../../../core/members/details.ts';
import {
  type EmailProof,
  type Presented,
  type ProofStanding,
  proofStanding,
} from '../../../core/members/email-proof.ts';
import { normaliseEmail } from '../../../core/members/member.ts';
import { hashProofCode } from '../../../operations/email-proof/email-proof.ts';
import { byAccount, byPassword, type Proven } from '../../../operations/sign-in/enter.ts';
import {
  askAgain,
  finishSignUp,
  memberOfProof,
  proveByPassword,
  type SignUpPayload,
} from '../../../operations/sign-up/sign-up.ts';
import { unseal } from '../../../secrets/seal.ts';
import { findEmailProof } from '../../../storage/members/email-proof.ts';
import type { Language } from '../../../text/language.ts';
import { shareOf } from '../../address.ts';
import { storeOf, transactionOf } from '../../audit.ts';
import { browserCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm, pageQuery } from '../../form.ts';
import { formTarget } from '../../headers.ts';
import {
  type Flow,
  flowUrl,
  languageOf,
  requestOf,
  sealFlow,
  sendStale,
  stepOf,
  stepsOf,
  withAddress,
} from '../../oidc/flow.ts';
import { emphasized } from '../../pages/lead.ts';
import { sendPage } from '../../pages/pages.ts';
import { sendLinkDone, sendMessage, sendProblem, sendTooManyMails } from '../../pages/problem.ts';
import { requireSameOrigin } from '../../same-origin.ts';
import {
  askerOf,
  findMailLink,
  isBrowserThatAsked,
  secondsToWait,
  sendTooManyLinks,
} from '../email-proof.ts';
import { answerSignedIn, type SignedIn, signInTo } from '../flow-page.ts';
import { goToProof, signUpFor, takeSignUp } from './sign-up.ts';

const verifyUrl = '/sign-up/verify';
const confirmUrl = '/sign-up/confirm/:secret';

/**
 * The proof of a new member's address (pages 11):
 *
 *     GET, POST /sign-up/verify           the browser that asked: takes the digits, and goes on with the flow
 *     GET, POST /sign-up/confirm/:secret  the mail's link, on whichever device it is opened
 *
 * Opening a page proves nothing: mail scanners open links. It takes a press of the button, and in another
 * browser the password of the sign-up.
 */
export function signUpProofPages(app: FastifyInstance, deps: Deps): void {
  app.refuseOthers(app, verifyUrl, ['GET', 'POST']);
  app.get(verifyUrl, (request, reply) => verify(reply, pageQuery(request, ['proof']).proof, null, deps));
  app.post(verifyUrl, { onRequest: requireSameOrigin }, (request, reply) => {
    const { proof, ...form } = pageForm(request, ['proof', 'code', 'action', 'email']);
    return verify(reply, proof, form, deps);
  });
  app.refuseOthers(app, confirmUrl, ['GET', 'POST']);
  app.get(confirmUrl, (_request, reply) => confirm(reply, null, deps));
  app.post(confirmUrl, { onRequest: requireSameOrigin }, (request, reply) =>
    confirm(reply, pageForm(request, ['password']), deps),
  );
}

/** What the page of the digits sends: the digits, or a request for another mail. */
type VerifyForm = Partial<Readonly<Record<'code' | 'action' | 'email', string>>>;

/** The page of the browser that asked; `form` is null where it was only opened. */
async function verify(reply: FastifyReply, sealed = '', form: VerifyForm | null, deps: Deps) {
  const { request } = reply;
  const { tenant } = request;
  const unsealed = unseal(tenant.tokenKey, 'proof', browserCookie(request), sealed);
  if (unsealed.kind === 'broken') return sendProblem(reply, 'noFlow');
  const { proofId } = unsealed.value as { proofId: string };
  const found = await transactionOf(request, deps, (tx) => findEmailProof(tx, tenant.id, proofId));
  if (found?.purpose !== 'sign_up') return sendProblem(reply, 'linkUsed');
  if (unsealed.kind === 'foreign') return sendStale(reply, flowOf(found));
  const standing = proofStanding(found, deps.clock());
  if (isOver(standing)) return sendUsed(reply, found, true, deps);
  if (form === null) return sendVerify(reply, found, sealed, null, deps);
  const { code = '', action, email = '' } = form;
  if (standing === 'awaited' && action === 'again') return mailAgain(reply, found, sealed, null, deps);
  if (standing === 'awaited' && action === 'correct') return mailAgain(reply, found, sealed, email, deps);
  const digits = readUserCode(code);
  if (digits === null && standing === 'awaited') {
    return sendVerify(reply, found, sealed, codeProblem('format'), deps);
  }
  const codeHash = hashProofCode(tenant.tokenKey, found.id, digits ?? '');
  const presented: Presented = { by: 'code', codeHash };
  const result = await takeOn(request, found.id, presented, deps);
  if (!('refused' in result)) return answerSignedIn(reply, result, deps);
  return proofStanding(result.refused, deps.clock()) === 'awaited'
    ? sendVerify(reply, result.refused, sealed, codeProblem('wrong'), deps)
    : sendUsed(reply, result.refused, true, deps);
}

/** What is wrong with the digits, as a key of its text. */
const codeProblem = (problem: 'format' | 'wrong') =>
  ({ field: 'code', text: `signUp.verify.error.${problem}` }) as const;

/** Sends the mail of a sign-up again, or to another address: everything else that was typed stays. */
async function mailAgain(
  reply: FastifyReply,
  proof: EmailProof,
  sealed: string,
  typed: string | null,
  deps: Deps,
) {
  const { request } = reply;
  const email = typed?.trim() ?? null;
  const flow = flowOf(proof);
  const language = languageOf(request, flow);
  const problem = email === null ? null : emailProblem(email);
  if (problem !== null) {
    const wrong = { field: 'email', text: `member.error.email.${problem}` } as const;
    return sendVerify(reply, proof, sealed, wrong, deps, email ?? undefined);
  }
  const isSame = email === null || normaliseEmail(email) === proof.email;
  // Too early: the page says until when.
  if (isSame && secondsToWait(proof.createdAt, deps.clock()) > 0) {
    return reply.redirect(`${verifyUrl}?proof=${sealed}`, 303);
  }
  if ((await signUpFor(request, flow, deps)) === null) return sendProblem(reply, 'noSignUp', { language });
  const wait = await takeSignUp(request, deps);
  const link = `${verifyUrl}?proof=${sealed}`;
  if (wait !== null) {
    const ways = [{ href: link, text: 'signUp.verify.back' }];
    return sendProblem(reply.header('retry-after', wait), 'tooManySignUps', { language, ways });
  }
  const asker = askerOf(reply, deps);
  const proofId = await transactionOf(request, deps, (tx) =>
    askAgain(tx, request.tenant, { proofId: proof.id, email: isSame ? null : email }, asker, deps),
  );
  if (proofId !== null) return goToProof(reply, proofId, deps);
  const ways = [{ href: link, text: 'signUp.verify.back' }];
  return sendTooManyMails(reply, email ?? payloadOf(proof).email, { language, ways });
}

/** The page of the mail's link; nothing happens before its button is pressed. */
async function confirm(reply: FastifyReply, form: { readonly password?: string } | null, deps: Deps) {
  const { request } = reply;
  const { secret } = request.params as { secret: string };
  const looked = await findMailLink(request, deps);
  if (looked.kind === 'too-many') return sendTooManyLinks(reply, looked.retryAfter);
  const { found } = looked;
  // Without digits it was for an address that had an account already, and its link was never mailed.
  if (found?.purpose !== 'sign_up' || found.codeHash === '') {
    return sendProblem(reply, 'linkUsed', { link: '/sign-in' });
  }
  const language = languageOf(request, flowOf(found));
  const isOwn = isBrowserThatAsked(request, found);
  const standing = proofStanding(found, deps.clock());
  if (isOver(standing)) return sendUsed(reply, found, isOwn, deps);
  const sendQuestion = async (problem: 'missing' | 'wrong' | null) =>
    sendPage(reply, {
      template: 'members/sign-up/confirm.eta',
      language,
      title: 'signUp.confirm.title',
      problems:
        problem === null ? [] : [{ field: 'password', text: language.t(`signUp.confirm.error.${problem}`) }],
      formTargets: isOwn ? await formTargetsOf(request, found, deps) : [],
      data: { email: payloadOf(found).email, action: `/sign-up/confirm/${secret}`, asksPassword: !isOwn },
    });
  if (standing === 'proven' && !isOwn) return sendConfirmed(reply, language);
  // No password was chosen that could tell who began it: the browser that did takes the digits.
  if (!isOwn && payloadOf(found).account !== undefined) {
    return sendMessage(reply, { language, title: 'signUp.confirm.title', lead: 'signUp.confirm.elsewhere' });
  }
  if (form === null) return sendQuestion(null);
  if (isOwn) {
    const result = await takeOn(request, found.id, { by: 'link' }, deps);
    return 'refused' in result
      ? sendUsed(reply, result.refused, true, deps)
      : answerSignedIn(reply, result, deps);
  }
  // The reader of the mailbox need not be the person who asked: a stranger may have typed this address with a password
  // of the stranger's own. The stranger knows that password.
  const { password = '' } = form;
  if (password === '') return sendQuestion('missing');
  const guess = { password, share: shareOf(request) };
  const store = storeOf(request, deps);
  const proven = await proveByPassword(request.tenant, found, guess, { ...deps, store });
  if (proven === 'wrong') return sendQuestion('wrong');
  return proven === 'confirmed' ? sendConfirmed(reply, language) : sendUsed(reply, found, false, deps);
}

/** In the browser that asked: proves the address, uses the proof up, signs in and goes on with the flow. */
function takeOn(request: FastifyRequest, proofId: string, presented: Presented, deps: Deps) {
  return transactionOf(request, deps, async (tx): Promise<SignedIn | { readonly refused: EmailProof }> => {
    const { proof, member } = await finishSignUp(tx, request.tenant, proofId, presented, deps);
    if (member === null) return { refused: proof };
    const flow = flowOf(proof);
    const step = await stepOf(request, flow);
    const { passwordHash, account, isPasswordless = false } = payloadOf(proof);
    const found = { member, passwordHash };
    const byMail: Proven = { ...byPassword(found), ...(isPasswordless ? { factors: ['otp'] } : {}) };
    const proven = account === undefined ? byMail : byAccount(found);
    const signedIn = await signInTo(tx, request, { flow, step }, proven, deps);
    return signedIn ?? { refused: proof };
  });
}

/** Whether nothing can come of a proof any more. */
const isOver = (standing: ProofStanding) => standing === 'finished' || standing === 'over';

/** What was said at the sign-up that a proof is about. */
const payloadOf = (proof: EmailProof) => JSON.parse(proof.payload) as SignUpPayload;

/** What the page of the digits says of the mail: without a password there is no link in it. */
const leadOf = (proof: EmailProof) =>
  payloadOf(proof).isPasswordless === true ? 'signUp.verify.leadCode' : 'signUp.verify.lead';

/** The flow that the sign-up goes on with. */
const flowOf = (proof: EmailProof) => payloadOf(proof).flow as Flow;

/** Where the forms that finish a sign-up lead: on to the client, in one redirect. */
async function formTargetsOf(request: FastifyRequest, proof: EmailProof, deps: Deps) {
  const asked = await requestOf(request, flowOf(proof), deps);
  return asked === null ? [] : [formTarget(asked.request.target.redirectUri)];
}

/**
 * The proof is over: it has made an account, or nothing comes of it. The browser that asked goes on with its flow;
 * another one knows of none.
 *
 * @param isOwn whether this is the browser that asked
 */
async function sendUsed(reply: FastifyReply, proof: EmailProof, isOwn: boolean, deps: Deps) {
  const kept = flowOf(proof);
  // The person who finished it is signed in for this flow; others sign in from now on.
  const isFinished = proofStanding(proof, deps.clock()) === 'finished';
  const flow = isFinished ? kept : { ...kept, startedAt: deps.clock() };
  const language = languageOf(reply.request, flow);
  const addressed = withAddress(flow, payloadOf(proof).email);
  const href = isOwn ? flowUrl('/sign-in', sealFlow(reply, addressed, deps)) : '/sign-in';
  const member = await transactionOf(reply.request, deps, (tx) => memberOfProof(tx, proof, deps.clock()));
  if (!isFinished || member === null) return sendProblem(reply, 'linkUsed', { language, link: href });
  const ways = [{ href, text: isOwn ? 'signUp.verify.submit' : 'signIn.submit' }];
  return sendLinkDone(reply, { language, title: 'signUp.confirmed.title', ways });
}

/** The page that takes the digits of the mail, or goes on where the link has proven the address. */
async function sendVerify(
  reply: FastifyReply,
  proof: EmailProof,
  sealed: string,
  problem: { readonly field: 'code' | 'email'; readonly text: string } | null,
  deps: Deps,
  typed?: string,
) {
  const { email } = payloadOf(proof);
  const kept = flowOf(proof);
  const { ui_locales: chosen = kept.language } = pageQuery(reply.request, ['ui_locales']);
  const flow = { ...withAddress(kept, email), startedAt: deps.clock(), language: chosen };
  const language = languageOf(reply.request, flow);
  const isProven = proofStanding(proof, deps.clock()) === 'proven';
  return sendPage(reply, {
    template: 'members/sign-up/verify.eta',
    language,
    title: isProven ? 'signUp.confirmed.title' : 'signUp.verify.title',
    problems: problem === null ? [] : [{ ...problem, text: language.t(problem.text) }],
    again: { action: verifyUrl, fields: { proof: sealed } },
    formTargets: await formTargetsOf(reply.request, proof, deps),
    data: {
      proof: sealed,
      isProven,
      steps: stepsOf(flow),
      lead: isProven ? null : emphasized(language, leadOf(proof), { email }),
      email: typed ?? email,
      isCorrecting: problem?.field === 'email',
      wait: secondsToWait(proof.createdAt, deps.clock()),
      signIn: flowUrl('/sign-in', sealFlow(reply, flow, deps)),
    },
  });
}

/** The page of another browser than the one that asked: it goes on there. */
function sendConfirmed(reply: FastifyReply, language: Language): Promise<FastifyReply> {
  const title = 'signUp.confirmed.title';
  const ways = [{ href: '/sign-in', text: 'signIn.submit' }];
  return sendMessage(reply, { language, title, lead: 'signUp.confirmed.lead', ways });
}
