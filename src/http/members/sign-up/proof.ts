import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  beginTry,
  type EmailProof,
  failTry,
  finishProof,
  type Presented,
  type ProofStanding,
  presentProof,
  proofStanding,
} from '../../../core/members/email-proof.ts';
import { readUserCode } from '../../../core/user-code.ts';
import { beginMember, hashProofCode, memberOfProof } from '../../../operations/sign-up/sign-up.ts';
import { isHashable } from '../../../secrets/password.ts';
import { unseal } from '../../../secrets/seal.ts';
import { apply } from '../../../storage/apply.ts';
import { findEmailProof } from '../../../storage/members/email-proof.ts';
import type { Tx } from '../../../storage/store.ts';
import { shareOf } from '../../address.ts';
import { refuseOtherMethods } from '../../answers.ts';
import { transactionOf } from '../../audit.ts';
import { browserCookie, setSessionCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm, pick, queryOf } from '../../form.ts';
import { type AuthorizationOutcome, takeStep } from '../../oidc/authorization.ts';
import { answerAuthorization } from '../../oidc/authorize.ts';
import { contextOf, type Flow, languageOf, sendStale, stepOf } from '../../oidc/flow.ts';
import { sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { requireSameOrigin } from '../../same-origin.ts';
import { beginSessionHere } from '../../session.ts';
import { isBrowserThatAsked } from '../asker.ts';
import { findMailLink, sendTooManyLinks } from '../mail-link.ts';
import { flowOf, formTargetsOf, payloadOf, sendConfirmed, sendUsed, sendVerify } from './proof-pages.ts';

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
  refuseOtherMethods(app, verifyUrl, ['GET', 'POST']);
  app.get(verifyUrl, (request, reply) => {
    const { proof } = pick(queryOf(request) ?? new Map(), ['proof']).values;
    return verify(request, reply, proof, null, deps);
  });
  app.post(verifyUrl, { onRequest: requireSameOrigin }, (request, reply) => {
    const { proof, code = '' } = pageForm(request, ['proof', 'code']);
    return verify(request, reply, proof, code, deps);
  });
  refuseOtherMethods(app, confirmUrl, ['GET', 'POST']);
  app.get(confirmUrl, (request, reply) => confirm(request, reply, null, deps));
  app.post(confirmUrl, { onRequest: requireSameOrigin }, (request, reply) =>
    confirm(request, reply, pageForm(request, ['password']), deps),
  );
}

/** The page of the browser that asked; `code` is null where it was only opened. */
async function verify(
  request: FastifyRequest,
  reply: FastifyReply,
  sealed: string | undefined,
  code: string | null,
  deps: Deps,
): Promise<FastifyReply> {
  const { tenant } = request;
  const unsealed = unseal(tenant.tokenKey, 'proof', browserCookie(request), sealed ?? '');
  if (unsealed.kind === 'broken') return sendProblem(reply, 'noFlow');
  const { proofId } = unsealed.value as { proofId: string };
  const found = await transactionOf(request, deps, (tx) => findEmailProof(tx, tenant.id, proofId));
  if (found?.purpose !== 'sign_up') return sendProblem(reply, 'linkUsed');
  if (unsealed.kind === 'foreign') return sendStale(reply, flowOf(found));
  const standing = proofStanding(found, deps.clock());
  if (isOver(standing)) return sendUsed(reply, found, true, deps);
  if (code === null) return sendVerify(reply, found, String(sealed), null, deps);

  const digits = readUserCode(code);
  if (digits === null && standing === 'awaited') {
    return sendVerify(reply, found, String(sealed), 'format', deps);
  }
  const presented: Presented = {
    by: 'code',
    codeHash: hashProofCode(tenant.tokenKey, found.id, digits ?? ''),
  };
  const result = await takeOn(request, found.id, presented, deps);
  if (result.kind === 'refused') {
    return proofStanding(result.proof, deps.clock()) === 'awaited'
      ? sendVerify(reply, result.proof, String(sealed), 'wrong', deps)
      : sendUsed(reply, result.proof, true, deps);
  }
  return answerTakenOn(reply, result, deps);
}

/** The page of the mail's link; nothing happens before its button is pressed. */
async function confirm(
  request: FastifyRequest,
  reply: FastifyReply,
  form: { password?: string } | null,
  deps: Deps,
): Promise<FastifyReply> {
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
      status: problem === null ? 200 : 422,
      isError: problem !== null,
      formTargets: isOwn ? await formTargetsOf(request, found, deps) : [],
      data: {
        email: payloadOf(found).email,
        action: `/sign-up/confirm/${secret}`,
        asksPassword: !isOwn,
        problems:
          problem === null
            ? []
            : [{ field: 'password', text: language.t(`signUp.confirm.error.${problem}`) }],
      },
    });
  if (standing === 'proven' && !isOwn) return sendConfirmed(reply, language);
  if (form === null) return sendQuestion(null);
  if (isOwn) {
    const result = await takeOn(request, found.id, { by: 'link' }, deps);
    return result.kind === 'refused'
      ? sendUsed(reply, result.proof, true, deps)
      : answerTakenOn(reply, result, deps);
  }
  // Whoever reads the mailbox need not be who asked: a stranger may have typed this address with a password
  // of the stranger's own. The one who asked knows that password.
  const { password = '' } = form;
  if (password === '') return sendQuestion('missing');
  const proven = await proveByPassword(request, found, password, deps);
  if (proven === 'wrong') return sendQuestion('wrong');
  return proven === 'confirmed' ? sendConfirmed(reply, language) : sendUsed(reply, found, false, deps);
}

/**
 * Proves the address by the link and the password of the sign-up. A guess is counted when its turn has come,
 * before it is looked at (F1).
 *
 * @returns `over` where no try is left, or the proof came to an end meanwhile
 */
async function proveByPassword(
  request: FastifyRequest,
  found: EmailProof,
  password: string,
  deps: Deps,
): Promise<'confirmed' | 'wrong' | 'over'> {
  /** Decides on the proof as it stands. */
  const decide = (work: (tx: Tx, proof: EmailProof) => Promise<boolean>) =>
    transactionOf(request, deps, async (tx) => {
      const proof = await findEmailProof(tx, request.tenant.id, found.id);
      return proof !== null && work(tx, proof);
    });
  let isCounted = false;
  const mayBegin = async () => {
    isCounted = await decide(async (tx, proof) => {
      const { answer, writes } = beginTry(proof, deps.clock());
      await apply(tx, writes);
      return answer;
    });
    return isCounted;
  };
  const { passwordHash } = payloadOf(found);
  const isHashed = isHashable(password);
  const isRight =
    isHashed && (await deps.passwords.verify(password, passwordHash, shareOf(request), { mayBegin }));
  // One that is too long for any account counts like the others.
  if (!isHashed) await mayBegin();
  if (!isCounted) return 'over';
  const isProven = await decide(async (tx, proof) => {
    if (isRight) return prove(tx, request, proof, { by: 'link' }, deps);
    await apply(tx, failTry(proof));
    return false;
  });
  if (!isRight) return 'wrong';
  return isProven ? 'confirmed' : 'over';
}

/**
 * Presents what proves the address, and makes the account the first time it does. If the address got an
 * account in between, the proof is used up for nothing.
 *
 * @returns whether the address is proven and the account made, now or before
 */
async function prove(
  tx: Tx,
  request: FastifyRequest,
  proof: EmailProof,
  presented: Presented,
  deps: Deps,
): Promise<boolean> {
  const { tenant } = request;
  const { answer, writes } = presentProof(proof, presented, deps.clock());
  await apply(tx, writes);
  // Nothing is written where it was proven before.
  if (!answer || writes.length === 0) return answer;
  if ((await beginMember(tx, tenant, proof, deps)) !== null) return true;
  const proven = await findEmailProof(tx, tenant.id, proof.id);
  if (proven !== null) await apply(tx, finishProof(proven, deps.clock()).writes);
  return false;
}

type TakenOn =
  | { readonly kind: 'refused'; readonly proof: EmailProof }
  | {
      readonly kind: 'signed-in';
      readonly secret: string;
      readonly flow: Flow;
      readonly outcome: AuthorizationOutcome | null;
    };

/** In the browser that asked: proves the address, uses the proof up, signs in and goes on with the flow. */
async function takeOn(
  request: FastifyRequest,
  proofId: string,
  presented: Presented,
  deps: Deps,
): Promise<TakenOn> {
  const { tenant } = request;
  return transactionOf(request, deps, async (tx) => {
    const proof = await findEmailProof(tx, tenant.id, proofId);
    if (proof === null) throw new Error('a proof vanished between two steps');
    await prove(tx, request, proof, presented, deps);
    const proven = (await findEmailProof(tx, tenant.id, proofId)) ?? proof;
    const finished = finishProof(proven, deps.clock());
    await apply(tx, finished.writes);
    const member = finished.answer ? await memberOfProof(tx, proven, deps.clock()) : null;
    if (member === null) return { kind: 'refused', proof: proven };
    const flow = flowOf(proven);
    const step = await stepOf(request, flow);
    const { session, secret } = await beginSessionHere(tx, request, member, null, deps);
    const outcome = step === null ? null : await takeStep(tx, { ...step, now: deps.clock() }, session, deps);
    return { kind: 'signed-in', secret, flow, outcome };
  });
}

function answerTakenOn(
  reply: FastifyReply,
  { secret, flow, outcome }: Extract<TakenOn, { kind: 'signed-in' }>,
  deps: Deps,
): Promise<FastifyReply> | FastifyReply {
  setSessionCookie(reply, secret);
  if (outcome === null) return reply.redirect(flow.returnTo, 303);
  return answerAuthorization(reply, outcome, contextOf(flow), deps);
}

/** Whether nothing can come of a proof any more. */
const isOver = (standing: ProofStanding) => standing === 'finished' || standing === 'over';
