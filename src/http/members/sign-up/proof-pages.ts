// The pages that a sign-up shows while its address is proven.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type EmailProof, proofStanding } from '../../../core/members/email-proof.ts';
import { memberOfProof, type SignUpPayload } from '../../../operations/sign-up/sign-up.ts';
import type { Language } from '../../../text/language.ts';
import { transactionOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { formTarget } from '../../headers.ts';
import { type Flow, flowUrl, languageOf, requestOf, sealFlow } from '../../oidc/flow.ts';
import { sendPage } from '../../pages/pages.ts';
import { sendLinkDone, sendProblem } from '../../pages/problem.ts';

/** What was said at the sign-up that a proof is about. */
export const payloadOf = (proof: EmailProof) => JSON.parse(proof.payload) as SignUpPayload;

/** The flow that the sign-up goes on with. */
export const flowOf = (proof: EmailProof) => payloadOf(proof).flow as Flow;

/** Where the forms that finish a sign-up lead: on to the client, in one redirect. */
export async function formTargetsOf(
  request: FastifyRequest,
  proof: EmailProof,
  deps: Deps,
): Promise<readonly string[]> {
  const asked = await requestOf(request, flowOf(proof), deps);
  return asked === null ? [] : [formTarget(asked.request.target.redirectUri)];
}

/**
 * The proof is over: it has made an account, or nothing comes of it. The browser that asked goes on with its flow;
 * another one knows of none.
 */
export async function sendUsed(
  reply: FastifyReply,
  proof: EmailProof,
  isBrowserThatAsked: boolean,
  deps: Deps,
): Promise<FastifyReply> {
  const kept = flowOf(proof);
  // The person who finished it is signed in for this flow; others sign in from now on.
  const isFinished = proofStanding(proof, deps.clock()) === 'finished';
  const flow = isFinished ? kept : { ...kept, startedAt: deps.clock() };
  const language = languageOf(reply.request, flow);
  const href = isBrowserThatAsked ? flowUrl('/sign-in', sealFlow(reply, flow, deps)) : '/sign-in';
  const member = await transactionOf(reply.request, deps, (tx) => memberOfProof(tx, proof, deps.clock()));
  if (!isFinished || member === null) {
    return sendProblem(reply, 'linkUsed', { language, link: href });
  }
  const ways = [{ href, text: isBrowserThatAsked ? 'signUp.verify.submit' : 'signIn.submit' }];
  return sendLinkDone(reply, { language, title: 'signUp.confirmed.title', ways });
}

/** The page that takes the digits of the mail, or goes on where the link has proven the address. */
export async function sendVerify(
  reply: FastifyReply,
  proof: EmailProof,
  sealed: string,
  problem: 'format' | 'wrong' | null,
  deps: Deps,
): Promise<FastifyReply> {
  const flow = { ...flowOf(proof), startedAt: deps.clock() };
  const language = languageOf(reply.request, flow);
  const isProven = proofStanding(proof, deps.clock()) === 'proven';
  return sendPage(reply, {
    template: 'members/sign-up/verify.eta',
    language,
    title: isProven ? 'signUp.confirmed.title' : 'signUp.verify.title',
    isError: problem !== null,
    formTargets: await formTargetsOf(reply.request, proof, deps),
    data: {
      proof: sealed,
      isProven,
      lead: language.t('signUp.verify.lead', { email: payloadOf(proof).email }),
      startAgain: flowUrl('/sign-up', sealFlow(reply, flow, deps)),
      problems:
        problem === null ? [] : [{ field: 'code', text: language.t(`signUp.verify.error.${problem}`) }],
    },
  });
}

/** The page of another browser than the one that asked: it goes on there. */
export function sendConfirmed(reply: FastifyReply, language: Language): Promise<FastifyReply> {
  return sendPage(reply, {
    template: 'members/sign-up/confirmed.eta',
    language,
    title: 'signUp.confirmed.title',
  });
}
